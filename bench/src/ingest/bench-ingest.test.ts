import t from "tap";
import { drawingIsWhole, quickRun } from "../kit/test-quick-run.ts";
import { findWrk, HOW_TO_GET_WRK } from "../kit/wrk.ts";
import { BENCH_INGEST } from "./bench-ingest.ts";
import { reportIngest } from "./report.ts";
import { emptyResults } from "./results.ts";

// Tap gives a file 30 s if it runs alone; the benchmark has a minute.
t.setTimeout(590_000);

/**
 * One size of three: the others take the same path, and as much time again each. The outbox is measured with
 * single requests. Over two connections an answer to 500 events comes within the second, however busy the
 * other tests keep the machine.
 */
const SMALLER = [
  ...["--size", "500", "--connections", "2", "--generator", "autocannon", "--generator", "client"],
  ...["--subject", "stampede", "--subject", "peer", "--subject", "ceiling"],
];

t.test("bench - the quick benchmark verifies, prints, draws and records", async (t) => {
  const { report, isVerified, line, dir } = await quickRun(t, BENCH_INGEST, ...SMALLER);
  t.match(report, /^verified: .*each stored once/m);
  t.ok(isVerified);
  t.match(report, /requests of 500: events\/s against the peer +[\d.]+ ×/);
  // On a machine that also runs tests, a second may be too short to fill a stream: see
  // test/faults/backpressure.test.ts.
  t.match(report, /202 mode, stream full: requests refused with 503 +\d+ refusals/);
  const overload = Object.entries<number>(line.overload.answers);
  // 202: stored, but not within the 5 s of an answer.
  t.strictSame(
    overload.filter(([status]) => !["200", "202", "503"].includes(status)),
    [],
    "an overloaded service accepts or refuses",
  );
  t.ok(
    overload.some(([status, count]) => status !== "503" && count > 0),
    "and does not refuse everything",
  );
  t.strictSame(line.verified.faults, []);
  drawingIsWhole(t, dir, "quick");

  t.match(report, /^ +500 +stampede .* client \d/m);
  t.match(report, /^requests of 500 by the streaming client: .* in turn with autocannon's/m);
  const measured = (line.throughput as { contender: string; generator?: string }[]).map(
    ({ contender, generator = "itself" }) => `${contender} ${generator}`,
  );
  t.strictSame(measured.sort(), [
    "ceiling itself",
    "peer autocannon",
    "stampede autocannon",
    "stampede client",
  ]);
  t.ok(line.verified.events > 0 && line.client.cpu_us_per_event > 0 && line.client.rss_bytes > 0);
});

const hasWrk = findWrk() !== undefined;

t.test(
  "bench - single requests, and requests of wrk, are verified and recorded in the same way",
  { skip: process.env.TEST_LONG === undefined && "npm run test:long runs it" },
  async (t) => {
    const only = hasWrk ? ["--generator", "wrk"] : ["--size", "1", "--only", "throughput"];
    const { report, isVerified, line, dir } = await quickRun(t, BENCH_INGEST, ...only);
    t.ok(isVerified);
    // biome-ignore lint/suspicious/noExplicitAny: a line of the record
    const [stampede, peer, outbox, ...others] = line.throughput as any[];
    const generator = hasWrk ? "wrk" : "autocannon";
    for (const [contender, one] of Object.entries({ stampede, peer, outbox }))
      t.match(one, { contender, request_size: 1, generator });
    t.strictSame(others, []);
    t.equal(stampede.workload_hash, peer.workload_hash, "both services got the same bytes");
    t.ok(stampede.requests_per_second > 0 && stampede.p99_ms >= stampede.p50_ms);
    await t.test("with wrk", { skip: !hasWrk && "wrk is not installed" }, async (t) => {
      t.match(report, /^ +1 +stampede .* wrk \d/m);
      t.match(report, /^requests of 1 with wrk: requests\/s against the peer [\d.]+ ×/m);
      t.match(line.throughput.slice(-3), [
        { contender: "stampede", generator: "wrk", socket_errors: 0 },
        { contender: "peer", generator: "wrk", socket_errors: 0 },
        { contender: "outbox", generator: "wrk", socket_errors: 0 },
      ]);
    });
    drawingIsWhole(t, dir, "quick");
  },
);

t.test("bench - if wrk is missing the report says so, and how to get it", async (t) => {
  const report = reportIngest({ ...emptyResults(), isWrkMissing: true }).join("\n");
  t.match(report, /^wrk is not installed: /m);
  t.ok(report.includes(HOW_TO_GET_WRK));
});

t.test("bench - a wrong argument is named", async (t) => {
  t.throws(
    () => BENCH_INGEST.arguments.read(["--subject", "unknown"]),
    /--subject is one of stampede, peer, outbox, ceiling, not unknown/,
  );
  t.throws(
    () => BENCH_INGEST.arguments.read(["--generator", "wrk", "--size", "500"]),
    /--generator wrk measures the throughput of requests of 1, and nothing else|wrk is not installed/,
  );
  t.throws(() => BENCH_INGEST.arguments.read(["--seconds", "0"]), /--seconds is a whole number above 0/);
  t.equal(BENCH_INGEST.arguments.read(["--help"]), "help");
  t.match(BENCH_INGEST.arguments.read(["--generator", "client"]), {
    parts: ["throughput"],
    sizes: [500],
    generators: ["client"],
  });
});

t.test(
  "bench - a run with few callers of single events is a record of its own, any other narrowed run a trial",
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
