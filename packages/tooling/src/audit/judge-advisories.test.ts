import t from "tap";
import {
  type AcceptedAdvisory,
  type Advisory,
  judgeAdvisories,
  readAuditReport,
} from "./judge-advisories.ts";

const HIGH = "GHSA-aaaa-bbbb-cccc";
const url = `https://github.com/advisories/${HIGH}`;
const hole = { source: 1, name: "real-require", title: "A hole of this test", url, severity: "high" };
/** In npm's form: a package that is affected through another, and one that is reached by two paths, twice. */
const REPORT = {
  auditReportVersion: 2,
  vulnerabilities: {
    pino: { via: ["real-require", "thread-stream"] },
    "real-require": { via: [hole] },
    "thread-stream": { via: ["real-require", hole] },
    undici: { via: [{ source: 2, name: "undici", title: "A small hole", url: "", severity: "low" }] },
  },
};
const read = (report: object) => readAuditReport(JSON.stringify(report));
const advisories = read(REPORT) as Advisory[];
const judge = (...accepted: AcceptedAdvisory[]) => judgeAdvisories(advisories, accepted, "2027-01-31");
const accepted = { id: HIGH, package: "real-require", reason: "it is never called" };

t.test("audit report - each advisory is listed once", async (t) => {
  t.strictSame(
    advisories.map(({ id, package: name, severity }) => [id, name, severity]),
    [
      [HIGH, "real-require", "high"],
      ["2", "undici", "low"],
    ],
  );
});

t.test("audit report - an unreachable registry differs from a failure", async (t) => {
  t.match(read({ statusCode: 503 }), { why: "the registry of this npm answers 503 to it", isOurs: false });
  const uri = "https://packages.example/-/npm/v1/security/advisories/bulk";
  t.match(read({ statusCode: 405, uri }), {
    why: "the registry packages.example answers 405 to it",
    isOurs: false,
  });
  t.match(read({ message: "reason: getaddrinfo ENOTFOUND nowhere.invalid" }), { isOurs: false });
  t.match(read({ error: { code: "ENOLOCK", summary: "needs a lockfile" } }), {
    why: /^ENOLOCK/,
    isOurs: true,
  });
  t.match(read({ message: "401 Unauthorized", statusCode: 401 }), { why: "401 Unauthorized", isOurs: true });
  t.match(read({}), { isOurs: true });
  t.match(readAuditReport(""), { why: "npm audit printed no JSON: nothing at all", isOurs: true });
});

t.test("audit - an unaccepted advisory fails from the level on", async (t) => {
  const { failures, remarks } = judge();
  t.match(failures, [/^real-require: high: A hole of this test/]);
  t.match(remarks, [/^below high: undici: low/]);
});

t.test("audit - an acceptance holds to the end of its last day", async (t) => {
  t.strictSame(judge({ ...accepted, until: "2027-01-31" }).failures, []);
  t.match(judge({ ...accepted, until: "2027-01-30" }).failures, [/it was accepted until 2027-01-30$/]);
});

t.test("audit - an acceptance is for one advisory of one package, has a day and a reason", async (t) => {
  t.match(judge({ ...accepted, package: "undici", until: "2027-12-31" }), {
    failures: [/^real-require: high/],
    remarks: [/.*/, /is accepted and no longer found: delete its entry$/],
  });
  t.match(judge({ ...accepted, until: "soon" }).failures, [/"until" must be a day/]);
  t.match(judge({ ...accepted, until: "2027-12-31", reason: "" }).failures, [/has no reason$/]);
});
