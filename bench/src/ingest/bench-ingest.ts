import type { Benchmark, Setting } from "../kit/benchmark.ts";
import { describeLatency, describeProcesses } from "../kit/record.ts";
import { least, most, ratio, type TargetResult, thousands } from "../kit/report.ts";
import type { Usage } from "../kit/usage.ts";
import { Arena, type RunResult } from "./arena.ts";
import { measureGrowth } from "./growth.ts";
import { INGEST_OPTIONS, type IngestOptions } from "./options.ts";
import { measureAsync, measureOverload, measureSize } from "./parts.ts";
import { drawResults, generatorCost, reportIngest } from "./report.ts";
import { emptyResults, findThroughput, type Latency, type Results, type Throughput } from "./results.ts";

/** The benchmark of ingestion. */
export const BENCH_INGEST: Benchmark<IngestOptions, Results> = {
  arguments: INGEST_OPTIONS,
  measure,
  judge,
  report: reportIngest,
  record,
  draw: drawResults,
  verdict({ verified: { faults, ...counts } }) {
    const { events, transactions, databases } = counts;
    return {
      faults,
      counts,
      what: `${thousands(events)} accepted events, ${thousands(transactions)} transactions in ${databases} databases`,
      holds: "each stored once, states and amounts right, nothing else",
    };
  },
};

async function measure(setting: Setting<IngestOptions>): Promise<Results> {
  const arena = await Arena.open(setting);
  const results = emptyResults();
  const { mode, parts, sizes, contenders } = setting.options;
  if (mode === "growth") {
    await measureGrowth(arena, results);
    return results;
  }
  if (parts.includes("throughput") || parts.includes("latency")) {
    for (const size of sizes) await measureSize(arena, results, size);
  }
  if (!contenders.includes("stampede")) return results;
  if (parts.includes("async")) await measureAsync(arena, results);
  if (parts.includes("overload")) await measureOverload(arena, results);
  return results;
}

const MIB = 1024 * 1024;

/** All but memory are ratios within one run on one machine: they apply to any other. */
function judge(results: Results): TargetResult[] {
  const { async, growth, overload } = results;
  const stampede = (size: number) => findThroughput(results, "stampede", size);
  const peer = (size: number) => findThroughput(results, "peer", size);
  const ceiling = findThroughput(results, "ceiling", 500)?.eventsPerSecond;
  const events = stampede(500)?.eventsPerSecond;
  const fullLoad = results.throughput.flatMap(({ contender, run }) =>
    contender === "stampede" && run ? [run.usage] : [],
  );
  const refused = async && (async.bounded[503] ?? 0);
  const accepted = async?.accepted.measured.eventsPerSecond;
  const [full, empty] = [growth?.full, growth?.empty].map((run) => run?.measured.eventsPerSecond);
  const rows = growth?.rows ?? "10000000";
  const { times = 10 } = overload ?? {};
  const overloaded = overload ? [overload.run.usage] : [];
  const single = ratio(stampede(1)?.requestsPerSecond, peer(1)?.requestsPerSecond);
  const latency = (size: number) =>
    `requests of ${size}: p99 at half of its maximum, against the peer at that rate`;
  return [
    least("requests of 500: events/s against the peer", ratio(events, peer(500)?.eventsPerSecond), 1.5),
    least("requests of 500: events/s against the ceiling", ratio(events, ceiling), 0.5),
    least("requests of 1: requests/s against the peer", single, 5),
    most("requests of 500: Postgres CPU an event against the peer's", databaseRatio(results, 500), 0.6),
    ...[500, 50, 1].map((size) => most(latency(size), p99Ratio(results, size), 2)),
    least(`the same throughput with ${rows} rows in the table`, ratio(full, empty), 0.85),
    least(
      "requests of 500 by the streaming client: events/s against autocannon's",
      clientRatio(results),
      0.8,
    ),
    most("resident memory of the streaming client", clientMib(results), 384, "MiB"),
    most("resident memory of each Node process, full load", largestMib(fullLoad), 256, "MiB"),
    most(`resident memory of each Node process, ${times} × overload`, largestMib(overloaded), 256, "MiB"),
    least("202 mode, requests of 500: events/s against the ceiling", ratio(accepted, ceiling), 1.5),
    least("202 mode, stream full: requests refused with 503", refused, 1, "refusals"),
  ];
}

function databaseRatio(results: Results, size: number): number | undefined {
  const perEvent = (contender: "stampede" | "peer") => {
    const run = findThroughput(results, contender, size)?.run;
    const seconds = run?.usage.databaseCpuSeconds;
    return seconds === undefined ? undefined : seconds / (run as RunResult).measured.processed.accepted;
  };
  return ratio(perEvent("stampede"), perEvent("peer"));
}

function p99Ratio(results: Results, size: number): number | undefined {
  const p99 = (contender: Latency["contender"]) =>
    results.latency.find(
      (one) => one.contender === contender && one.size === size && one.load === "half of Stampede's maximum",
    )?.run.measured.latency.p99;
  return ratio(p99("stampede"), p99("peer"));
}

function clientRatio({ client }: Results): number | undefined {
  return ratio(client?.eventsPerSecond, client?.besideEventsPerSecond);
}

function clientMib({ client }: Results): number | undefined {
  return client && client.rssBytes / MIB;
}

function largestMib(usages: readonly Usage[]): number | undefined {
  const sizes = usages.flatMap(({ processes }) => processes.map(({ rssBytes }) => rssBytes / MIB));
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

function record({ throughput, client, latency, async, overload, growth, peerCluster }: Results): object {
  return {
    throughput: throughput.map(throughputOf),
    client: client && {
      events_per_second: client.eventsPerSecond,
      autocannon_events_per_second: client.besideEventsPerSecond,
      cpu_us_per_event: client.cpuMicrosPerEvent,
      rss_bytes: client.rssBytes,
    },
    latency: latency.map(({ contender, size, load, requestsPerSecond, run }) => ({
      contender,
      request_size: size,
      load,
      offered_per_second: requestsPerSecond,
      ...describeLatency(run.measured.latency),
      answers: run.measured.statuses,
    })),
    async: async && {
      events_per_second: async.accepted.measured.eventsPerSecond,
      drain_seconds: async.drainSeconds,
      bounded_answers: async.bounded,
      ...usageOf(async.accepted),
    },
    overload: overload && {
      wanted_per_second: overload.wantedPerSecond,
      offered_per_second: overload.run.offeredPerSecond,
      answers: overload.run.measured.statuses,
      ...usageOf(overload.run),
    },
    growth: growth && {
      rows: growth.rows,
      empty_events_per_second: growth.empty.measured.eventsPerSecond,
      full_events_per_second: growth.full.measured.eventsPerSecond,
    },
    peer_cluster_events_per_second: peerCluster,
  };
}

function throughputOf(one: Throughput) {
  return {
    contender: one.contender,
    request_size: one.size,
    // Older records lack this field: all of theirs were made by autocannon.
    generator: one.generator,
    setting: one.setting,
    events_per_second: one.eventsPerSecond,
    requests_per_second: one.requestsPerSecond,
    repetitions: one.repetitions,
    // Less than requested if the prepared requests were used up.
    measured_seconds: one.measured.seconds,
    p50_ms: one.p50,
    p99_ms: one.p99,
    generator_cpu_us_per_request: generatorCost(one),
    socket_errors: one.run?.socketErrors,
    ...(one.run && usageOf(one.run)),
  };
}

function usageOf({ usage, workloadHash }: RunResult) {
  return {
    workload_hash: workloadHash,
    processes: describeProcesses(usage),
    database_cpu_seconds: usage.databaseCpuSeconds,
  };
}
