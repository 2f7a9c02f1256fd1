import { findThroughput, type Latency, type Results } from "./results.ts";

/** One row of the table of ratios. */
export interface TargetResult {
  readonly name: string;
  /** undefined: this run did not measure it. */
  readonly value: number | undefined;
  readonly bound: "at least" | "at most";
  readonly target: number;
  readonly unit:
    | "×"
    | "MiB"
    | "ms"
    | "refusals"
    | `${"requests" | "members" | "outcomes" | "settlements" | "records" | "payments" | "deliveries" | "events"}/s`;
  readonly met: boolean | undefined;
}

const MIB = 1024 * 1024;

/** The targets of the benchmark. All but memory are ratios of one run on one machine: they hold on any other. */
export function judge(results: Results): TargetResult[] {
  const stampede = (size: number) => findThroughput(results, "stampede", size);
  const peer = (size: number) => findThroughput(results, "peer", size);
  const ceiling = findThroughput(results, "ceiling", 500)?.eventsPerSecond;
  const { async, growth } = results;
  const refused = async === undefined ? undefined : (async.bounded[503] ?? 0);
  return [
    least(
      "requests of 500: events/s against the peer",
      ratio(stampede(500)?.eventsPerSecond, peer(500)?.eventsPerSecond),
      1.5,
    ),
    least(
      "requests of 500: events/s against the ceiling",
      ratio(stampede(500)?.eventsPerSecond, ceiling),
      0.5,
    ),
    least(
      "requests of 1: requests/s against the peer",
      ratio(stampede(1)?.requestsPerSecond, peer(1)?.requestsPerSecond),
      5,
    ),
    ...[500, 50, 1].map((size) =>
      most(
        `requests of ${size}: p99 at half of its maximum, against the peer at that rate`,
        p99Ratio(results, size),
        2,
      ),
    ),
    least(
      `the same throughput with ${growth?.rows ?? "10000000"} rows in the table`,
      ratio(growth?.full.measured.eventsPerSecond, growth?.empty.measured.eventsPerSecond),
      0.85,
    ),
    most("resident memory of each Node process, full load", largestRss(fullLoad(results)), 256, "MiB"),
    most("resident memory of each Node process, 10 × overload", largestRss(overload(results)), 256, "MiB"),
    least(
      "202 mode, requests of 500: events/s against the ceiling",
      ratio(async?.accepted.measured.eventsPerSecond, ceiling),
      1.5,
    ),
    least("202 mode, stream full: requests refused with 503", refused, 1, "refusals"),
  ];
}

export function least(
  name: string,
  value: number | undefined,
  target: number,
  unit: TargetResult["unit"] = "×",
): TargetResult {
  const met = value === undefined ? undefined : value >= target;
  return { name, value, bound: "at least", target, unit, met };
}

export function most(
  name: string,
  value: number | undefined,
  target: number,
  unit: TargetResult["unit"] = "×",
): TargetResult {
  const met = value === undefined ? undefined : value <= target;
  return { name, value, bound: "at most", target, unit, met };
}

export function ratio(ours: number | undefined, theirs: number | undefined): number | undefined {
  return ours === undefined || theirs === undefined || theirs === 0 ? undefined : ours / theirs;
}

function p99Ratio(results: Results, size: number): number | undefined {
  const p99 = (contender: Latency["contender"]) =>
    results.latency.find(
      (one) => one.contender === contender && one.size === size && one.load === "half of Stampede's maximum",
    )?.run.measured.latency.p99;
  return ratio(p99("stampede"), p99("peer"));
}

function fullLoad(results: Results) {
  return results.throughput.flatMap(({ contender, run }) =>
    contender === "stampede" && run ? [run.usage] : [],
  );
}

function overload(results: Results) {
  return results.overload === undefined ? [] : [results.overload.run.usage];
}

function largestRss(usages: ReturnType<typeof fullLoad>): number | undefined {
  const sizes = usages.flatMap(({ processes }) => processes.map(({ rssBytes }) => rssBytes / MIB));
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}
