import t from "tap";
import { quickRun } from "../kit/test-quick-run.ts";
import { BENCH_SCALING } from "./bench-scaling.ts";
import type { CostMeasurements } from "./measure-costs.ts";

t.setTimeout(400_000);

t.test("bench scaling - the quick benchmark measures every part, predicts, plans and records", async (t) => {
  // When other tests keep the machine busy, a second is too short for an answer to a request of 500.
  const { report, isVerified, line } = await quickRun(t, BENCH_SCALING, "--seconds", "2");
  t.ok(isVerified, "all transactions are as they were answered");
  t.match(report, /^ingest database +[\d.]+/m);
  t.match(report, /^plain 500 at most +[\d ]+/m);
  t.match(report, /^installations +\d+/m);
  t.match(report, /^syncs of one stream PLATFORM_TX +/m);
  t.notMatch(report, /undefined/);
  t.match(line, { verified: { faults: Array } });
  const { fitted, predicted } = line.measured as CostMeasurements;
  const names = [...fitted, ...predicted].map(({ name }) => name);
  t.strictSame(names, ["plain 50 at 60 %", "matched 50 at 33 %", "plain 500 at most", "matched 500 at most"]);
  for (const { name, drivers, cores, rates } of [...fitted, ...predicted]) {
    const { messages = 0, batches = 0 } = drivers;
    t.ok(messages > 0 && batches > 0, `${name}: messages and batches are counted`);
    t.ok((rates["from.edge"] ?? 0) > 0 && (rates["wal.bytes"] ?? 0) > 0, `${name}: bytes`);
    for (const part of ["edge", "ingest", "ingest database", "platform", "nats"])
      t.ok(part in cores, `${name}: ${part}`);
  }
  const ingested = predicted.reduce((sum, { cores }) => sum + (cores["ingest database"] ?? 0), 0);
  t.ok(ingested > 0, "the backends' CPU time is found");
});

t.test("bench scaling - wrong arguments are named", async (t) => {
  t.equal(BENCH_SCALING.arguments.read(["--help"]), "help");
  t.throws(() => BENCH_SCALING.arguments.read(["--seconds", "0"]), {
    message: /--seconds is a whole number above 0/,
  });
  t.match(BENCH_SCALING.arguments.read([]), { mode: "scaling", fewer: false, docOnly: false });
  t.match(BENCH_SCALING.arguments.read(["--seed", "2"]), { mode: "scaling-partial" });
});
