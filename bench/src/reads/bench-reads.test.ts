import t from "tap";
import { createWorld } from "../ingest/world.ts";
import { drawingIsWhole, quickRun } from "../kit/test-quick-run.ts";
import { BENCH_READS } from "./bench-reads.ts";
import { compareAnswer, planReads } from "./read-plan.ts";
import { memberAnswer, transactionAnswer } from "./stored.ts";

t.setTimeout(400_000);

t.test("bench reads - the quick benchmark verifies, prints, draws and records", async (t) => {
  const { report, isVerified, line, dir } = await quickRun(t, BENCH_READS);
  t.match(report, /^verified: .*statuses right, bodies as stored/m);
  t.ok(isVerified);
  for (const route of ["member/get", "transaction/get"]) {
    t.match(report, new RegExp(`${route}: requests/s against the peer +[\\d.]+ ×`));
  }
  t.strictSame(line.verified.faults, []);
  t.equal(line.reads.length, 4, "two contenders on two routes");
  for (const one of line.reads) {
    t.strictSame(Object.keys(one.answers), ["200", "404"]);
    t.ok(one.processes[0].cpu_seconds > 0 && one.processes[0].rss_bytes > 0);
  }
  t.ok(line.verified.compared > 10);
  const hashes = new Set<string>(line.reads.map((one: { workload_hash: string }) => one.workload_hash));
  t.equal(hashes.size, 2, "both contenders got the same requests");

  drawingIsWhole(t, dir, "reads-quick");
});

const spec = { seed: 5, members: 50, transactions: 70 };
const world = createWorld(spec.seed, spec.members);

t.test("bench reads - an answer that differs from the stored record is detected", async (t) => {
  const compare = (route: "member/get" | "transaction/get", record: number, answer: unknown) =>
    compareAnswer(spec, world, route, record, JSON.stringify(answer));
  const member = memberAnswer(spec, world, 7);
  t.equal(compare("member/get", 7, member), undefined);
  t.match(compare("member/get", 8, member), /record 8/, "another member's");
  t.match(
    compare("member/get", 7, { ...member, attributes: { ...member.attributes, points: -1 } }),
    /record 7/,
  );
  t.match(compare("member/get", 7, { ...member, more: 1 }), /record 7/);
  const transaction = transactionAnswer(spec, world, 7);
  t.equal(compare("transaction/get", 7, transaction), undefined);
  t.match(compare("transaction/get", 7, { ...transaction, amount: 1 }), /record 7/);
  t.match(compareAnswer(spec, world, "transaction/get", 7, "{"), /record 7/);

  const missing = { error: { code: "not_found", message: "", data: { resource: "member" }, trace_id: "" } };
  t.equal(compare("member/get", 50, missing), undefined);
  t.match(compare("member/get", 49, missing), /record 49/, "an existing one");
  t.match(compare("transaction/get", 70, missing), /not there/, "of another resource");
  t.match(compare("member/get", 50, member), /not there/);
});

t.test("bench reads - keys follow from the seed, and one in fifty is missing", async (t) => {
  const plan = planReads(spec, "member/get", 100_000);
  t.strictSame(planReads(spec, "member/get", 100_000), plan);
  t.not(plan.join(), planReads({ ...spec, seed: 6 }, "member/get", 100_000).join());
  const misses = plan.filter((record) => record >= spec.members).length;
  t.ok(Math.abs(misses / plan.length - 0.02) < 0.003, `${misses} misses`);
  t.equal(new Set(plan.filter((record) => record < spec.members)).size, spec.members, "all are requested");
});

t.test("bench reads - a wrong argument is named", async (t) => {
  t.throws(
    () => BENCH_READS.arguments.read(["--route", "member/list"]),
    /--route is one of member\/get, transaction\/get/,
  );
  t.throws(() => BENCH_READS.arguments.read(["--subject", "ceiling"]), /--subject is one of stampede, peer/);
  t.equal(BENCH_READS.arguments.read(["--help"]), "help");
});
