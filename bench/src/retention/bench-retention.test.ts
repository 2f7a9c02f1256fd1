import t from "tap";
import { quickRun } from "../kit/test-quick-run.ts";
import { BENCH_RETENTION } from "./bench-retention.ts";

t.setTimeout(400_000);

t.test(
  "bench retention - the quick benchmark removes the due transactions, verifies, prints and records",
  async (t) => {
    const { report, isVerified, line } = await quickRun(t, BENCH_RETENTION);
    t.ok(isVerified, report);
    t.match(report, /with retention beside it/);
    t.match(report, /beside retention ingestion does [\d.]+ × of what it does alone/);
    t.equal(line.beside_to_alone.each.length, line.workload.windows);
    t.ok(line.beside_to_alone.median > 0 && line.left_per_second > 0, JSON.stringify(line.beside_to_alone));
    t.ok(line.rows.transactions > 15_000, JSON.stringify(line.rows));
    for (const table of ["qualifying_purchases", "redemptions", "cashbacks"])
      t.ok(line.rows[table] > 0, table);
    t.ok(line.steps.count > 10 && line.steps.max_ms > 0);
  },
);
