import type { Benchmark } from "../kit/benchmark.ts";
import { type Chart, COLORS, lineOf } from "../kit/chart.ts";
import { describeProcesses } from "../kit/record.ts";
import {
  cost,
  least,
  memory,
  milliseconds,
  ratio,
  spread,
  type TargetResult,
  tableOf,
  thousands,
} from "../kit/report.ts";
import { measureReads, type ReadsResults } from "./measure-reads.ts";
import { READS_OPTIONS, type ReadContender, type ReadsOptions } from "./options.ts";
import { READ_ROUTES, type ReadRoute } from "./read-plan.ts";

/** The benchmark of reads. */
export const BENCH_READS: Benchmark<ReadsOptions, ReadsResults> = {
  arguments: READS_OPTIONS,
  measure: measureReads,
  judge,
  report: ({ measured }) => {
    const rows = measured.map(({ run, ...one }) => [
      one.route,
      one.contender,
      thousands(one.requestsPerSecond),
      milliseconds(one.p50),
      milliseconds(one.p99),
      // Over the answers of the whole run.
      cost(run.usage, sumOf(run.statuses)),
      memory(run.usage),
      `${one.setting}${spread(one.repetitions)}`,
    ]);
    return [tableOf(["reads", "", "requests/s", "p50", "p99", "CPU µs/request", "memory MiB", "at"], rows)];
  },
  record: ({ measured }) => ({
    reads: measured.map((one) => ({
      route: one.route,
      contender: one.contender,
      setting: one.setting,
      requests_per_second: one.requestsPerSecond,
      repetitions: one.repetitions,
      p50_ms: one.p50,
      p99_ms: one.p99,
      answers: one.run.statuses,
      workload_hash: one.run.workloadHash,
      processes: describeProcesses(one.run.usage),
    })),
  }),
  draw,
  verdict: ({ verified: { faults, ...counts } }) => ({
    faults,
    counts,
    what: `${thousands(counts.answers)} answers, ${thousands(counts.compared)} of them compared in full`,
    holds: "statuses right, bodies as stored",
  }),
};

const REQUESTS_PER_SECOND = 10_000;
const TIMES_THE_PEER = 3;

/** The first of each route holds on a machine of two cores that the load and the database share. */
function judge({ measured }: ReadsResults): TargetResult[] {
  const rate = (route: ReadRoute, contender: ReadContender) =>
    measured.find((one) => one.route === route && one.contender === contender)?.requestsPerSecond;
  return READ_ROUTES.flatMap((route) => {
    const ours = rate(route, "stampede");
    return [
      least(`${route}: requests/s`, ours, REQUESTS_PER_SECOND, "requests/s"),
      least(`${route}: requests/s against the peer`, ratio(ours, rate(route, "peer")), TIMES_THE_PEER),
    ];
  });
}

/** Requests a second and p99 over the median run of each route. */
function draw({ measured }: ReadsResults): Chart[] {
  return READ_ROUTES.flatMap((route): Chart[] => {
    const own = measured.filter((one) => one.route === route);
    if (own.length === 0) return [];
    const chart = (what: string, unit: string, value: (piece: Piece) => number): Chart => ({
      title: `${route}, closed loop at full load: ${what}`,
      unit,
      lines: own.map(({ contender, run }) => {
        const points = run.figures.pieces.map((piece) => [piece.second, value(piece)] as const);
        return lineOf(contender, COLORS[contender], points);
      }),
    });
    return [
      chart("requests a second", "", ({ perSecond }) => perSecond),
      chart("p99", " ms", ({ latency }) => latency.p99),
    ];
  });
}

type Piece = ReadsResults["measured"][number]["run"]["figures"]["pieces"][number];

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
