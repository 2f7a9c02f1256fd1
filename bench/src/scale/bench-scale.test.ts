import t from "tap";
import { quickRun } from "../kit/test-quick-run.ts";
import { BENCH_SCALE } from "./bench-scale.ts";

t.setTimeout(400_000);

t.test("bench scale - the quick benchmark fills, reads, writes, deletes, verifies and records", async (t) => {
  const { report, isVerified, line } = await quickRun(t, BENCH_SCALE);
  t.ok(isVerified, report);
  t.match(report, /transaction\/list, without statistics/);
  t.equal(line.rows.transactions, line.workload.rows);
  t.ok(
    line.bytes_a_row.transactions > 250 && line.bytes_a_row.transactions_pkey > 40,
    JSON.stringify(line.bytes_a_row),
  );
  t.equal(line.reads.length, 8);
  for (const bytes of Object.values(line.wal_bytes_an_event)) t.ok((bytes as number) > 400, `${bytes}`);
  t.ok(line.deletion.wal_bytes_a_member > 0);
});
