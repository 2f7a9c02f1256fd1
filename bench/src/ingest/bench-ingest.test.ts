import t from "tap";
import { drawingIsWhole, quickRun } from "../kit/test-quick-run.ts";
import { findWrk, HOW_TO_GET_WRK } from "../kit/wrk.ts";
import { BENCH_INGEST } from "./bench-ingest.ts";
import { reportIngest } from "./report.ts";
import { emptyResults } from "./results.ts";

// Tap gives a file 30 s when it is run alone; the benchmark has a minute.
t.setTimeout(400_000);

/**
 * Two sizes of three: the third takes the same way, and another third of the time. Where the other tests keep the machine
 * busy a second is too short for an answer to a request of 500.
 */
const SMALLER = ["--size", "500", "--size", "1", "--seconds", "2"];

t.test("bench - the quick benchmark verifies, prints, draws and records", async (t) => {
  const { report, isVerified, line, dir } = await quickRun(
    t,
    BENCH_INGEST,
    ...SMALLER,
    "--generator",
    "autocannon",
  );
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

const skip = findWrk() === undefined && "wrk is not installed";

t.test("bench - what wrk sends is verified and recorded likewise", { skip }, async (t) => {
  const { report, isVerified, line, dir } = await quickRun(t, BENCH_INGEST, "--generator", "wrk");
  t.ok(isVerified);
  t.match(report, /^ +1 +stampede .* wrk \d/m);
  t.match(report, /^requests of 1 with wrk: requests\/s against the peer [\d.]+ ×/m);
  t.match(line.throughput, [
    { contender: "stampede", request_size: 1, generator: "wrk", socket_errors: 0 },
    { contender: "peer", request_size: 1, generator: "wrk", socket_errors: 0 },
  ]);
  const [stampede, peer] = line.throughput;
  t.equal(stampede.workload_hash, peer.workload_hash, "both services got the same bytes");
  t.ok(stampede.requests_per_second > 0 && stampede.p99_ms >= stampede.p50_ms);
  drawingIsWhole(t, dir, "quick");
});

t.test("bench - what the streaming client sends is verified and recorded likewise", async (t) => {
  const only = ["--generator", "client", "--subject", "stampede"];
  const { report, isVerified, line, dir } = await quickRun(t, BENCH_INGEST, ...only);
  t.ok(isVerified);
  t.match(report, /^ +500 +stampede .* client \d/m);
  t.match(report, /^requests of 500 by the streaming client: .* in turn with autocannon's/m);
  t.match(line.throughput, [{ contender: "stampede", request_size: 500, generator: "client" }]);
  t.ok(line.verified.events > 0 && line.client.cpu_us_per_event > 0 && line.client.rss_bytes > 0);
  drawingIsWhole(t, dir, "quick");
});

t.test("bench - where wrk is missing the report says so, and how to get it", async (t) => {
  const report = reportIngest({ ...emptyResults(), isWrkMissing: true }).join("\n");
  t.match(report, /^wrk is not installed: /m);
  t.ok(report.includes(HOW_TO_GET_WRK));
});

t.test("bench - a wrong argument is named", async (t) => {
  t.throws(
    () => BENCH_INGEST.arguments.read(["--subject", "nobody"]),
    /--subject is one of stampede, peer, ceiling, not nobody/,
  );
  t.throws(
    () => BENCH_INGEST.arguments.read(["--generator", "wrk", "--size", "500"]),
    /--generator wrk measures the throughput of requests of 1, and nothing else|wrk is not installed/,
  );
  t.throws(() => BENCH_INGEST.arguments.read(["--seconds", "0"]), /--seconds is a whole number above 0/);
  t.equal(BENCH_INGEST.arguments.read(["--help"]), "help");
});

t.test(
  "bench - a few callers of single events are a record of their own, all else that is narrowed a trial",
  async (t) => {
    const few = ["--subject", "stampede", "--size", "1", "--connections", "10"];
    const modeOf = (...args: readonly string[]) => {
      const options = BENCH_INGEST.arguments.read(args);
      return options === "help" ? options : options.mode;
    };
    t.match(BENCH_INGEST.arguments.read(few), { mode: "callers", connections: 10, parts: ["throughput"] });
    t.equal(modeOf(...few, "--quick"), "quick");
    t.equal(modeOf(...few, "--profile", "somewhere"), "partial");
    t.equal(modeOf(...few, "--subject", "peer"), "partial");
    t.equal(modeOf("--subject", "stampede", "--size", "1"), "partial");
  },
);
