import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ROOT } from "../root.ts";
import { type AcceptedAdvisory, judgeAdvisories, readAuditReport } from "./judge-advisories.ts";

const fixture = (name: string) =>
  readAuditReport(readFileSync(join(ROOT, "packages/tooling/src/audit/fixtures", name), "utf8"));

function advisories() {
  const answer = fixture("vulnerable.json");
  if (answer.kind !== "report") throw new Error(answer.why);
  return answer.advisories;
}

const HIGH = "GHSA-aaaa-bbbb-cccc";
const now = new Date("2027-01-31T23:59:59Z");
const judge = (...accepted: AcceptedAdvisory[]) =>
  judgeAdvisories(advisories(), accepted, { level: "high", now });
const accepted = { id: HIGH, package: "real-require", reason: "nobody calls it" };

t.test(
  "audit report - each advisory is there once, and packages concerned through others are not",
  async (t) => {
    t.match(advisories(), [
      { id: HIGH, package: "real-require", severity: "high", title: "A hole of this test" },
      { id: "GHSA-dddd-eeee-ffff", package: "undici", severity: "low" },
    ]);
    t.equal(advisories().length, 2);
    t.strictSame(fixture("clean.json"), { kind: "report", advisories: [] });
  },
);

t.test("audit report - who cannot be asked is told from what fails", async (t) => {
  t.strictSame(fixture("no-endpoint.json"), {
    kind: "unavailable",
    why: "the registry packages.example answers 405 to it",
  });
  t.match(fixture("no-network.json"), { kind: "unavailable", why: /ENOTFOUND/ });
  t.match(fixture("no-lockfile.json"), { kind: "failed", why: /ENOLOCK/ });
  t.match(readAuditReport(""), { kind: "failed", why: "npm audit printed no JSON: nothing at all" });
  t.match(readAuditReport("{}"), { kind: "failed" });
  t.match(readAuditReport('{"message":"401 Unauthorized","statusCode":401}'), {
    kind: "failed",
    why: "401 Unauthorized",
  });
});

t.test("audit - what nobody accepted fails from the level on", async (t) => {
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
