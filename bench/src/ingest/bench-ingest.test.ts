import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { runBenchmark } from "../kit/benchmark.ts";
import { BENCH_INGEST } from "./bench-ingest.ts";

// Tap gives a file 30 s when it is run alone; the benchmark has a minute.
t.setTimeout(400_000);

t.test("bench - the quick benchmark verifies, prints, draws and records", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "stampede-bench-results-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const options = BENCH_INGEST.arguments.read(["--quick", "--results", dir]);
  if (options === "help") throw new Error("no options");
  const progress: string[] = [];
  let report = "";
  const isVerified = await runBenchmark(BENCH_INGEST, options, {
    say: (text) => progress.push(text),
    print: (text) => {
      report += text;
    },
  });
  t.match(report, /^verified: .*each stored once/m);
  t.ok(isVerified);
  t.match(report, /requests of 500: events\/s against the peer +[\d.]+ ×/);
  t.match(report, /202 mode, stream full: requests refused with 503 +[1-9]\d* refusals/);

  const lines = readFileSync(join(dir, "quick.jsonl"), "utf8").trimEnd().split("\n");
  t.equal(lines.length, 1);
  const line = JSON.parse(lines[0] as string);
  t.match(line, {
    format: 1,
    mode: "quick",
    durability: { fsync: "on", synchronous_commit: "on", nats_sync_always: true },
    verified: { faults: [] },
    result_hash: /^[0-9a-f]{64}$/,
  });
  t.equal(line.throughput.length, 7, "two services at three sizes, and the ceiling");
  const hashes = new Set<string>();
  for (const one of line.throughput) if (one.request_size === 50) hashes.add(one.workload_hash);
  t.equal(hashes.size, 1, "both services got the same bytes");

  const drawing = readFileSync(join(dir, "quick.svg"), "utf8");
  t.match(drawing, /^<svg [\s\S]*<\/svg>\n$/);
  t.notMatch(drawing, /NaN|undefined|Infinity/);
});

t.test("bench - a wrong argument is named", async (t) => {
  t.throws(
    () => BENCH_INGEST.arguments.read(["--subject", "nobody"]),
    /--subject is one of stampede, peer, ceiling, not nobody/,
  );
  t.throws(() => BENCH_INGEST.arguments.read(["--seconds", "0"]), /--seconds is a whole number above 0/);
  t.equal(BENCH_INGEST.arguments.read(["--help"]), "help");
});
