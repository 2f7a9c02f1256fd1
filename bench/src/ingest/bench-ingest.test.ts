import t from "tap";
import { drawingIsWhole, quickRun } from "../kit/test-quick-run.ts";
import { BENCH_INGEST } from "./bench-ingest.ts";

// Tap gives a file 30 s when it is run alone; the benchmark has a minute.
t.setTimeout(400_000);

/**
 * Two sizes of three: the third takes the same way, and another third of the time. Where the other tests keep the machine
 * busy a second is too short for an answer to a request of 500.
 */
const SMALLER = ["--size", "500", "--size", "1", "--seconds", "2"];

t.test("bench - the quick benchmark verifies, prints, draws and records", async (t) => {
  const { report, isVerified, line, dir } = await quickRun(t, BENCH_INGEST, ...SMALLER);
  t.match(report, /^verified: .*each stored once/m);
  t.ok(isVerified);
  t.match(report, /requests of 500: events\/s against the peer +[\d.]+ ×/);
  // A second of a machine that runs tests beside it may not be enough to fill a stream: see test/faults/backpressure.test.ts.
  t.match(report, /202 mode, stream full: requests refused with 503 +\d+ refusals/);
  t.strictSame(line.verified.faults, []);
  t.equal(line.throughput.length, 5, "two services at two sizes, and the ceiling");
  const hashes = new Set<string>();
  for (const one of line.throughput) if (one.request_size === 1) hashes.add(one.workload_hash);
  t.equal(hashes.size, 1, "both services got the same bytes");

  drawingIsWhole(t, dir, "quick");
});

t.test("bench - a wrong argument is named", async (t) => {
  t.throws(
    () => BENCH_INGEST.arguments.read(["--subject", "nobody"]),
    /--subject is one of stampede, peer, ceiling, not nobody/,
  );
  t.throws(() => BENCH_INGEST.arguments.read(["--seconds", "0"]), /--seconds is a whole number above 0/);
  t.equal(BENCH_INGEST.arguments.read(["--help"]), "help");
});
