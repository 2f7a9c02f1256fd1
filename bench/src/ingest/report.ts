import { type Chart, COLORS, type Line, lineOf } from "../kit/chart.ts";
import { cost, memory, milliseconds, ratio, spread, statuses, tableOf, thousands } from "../kit/report.ts";
import { HOW_TO_GET_WRK } from "../kit/wrk.ts";
import { CLIENT_SIZE, type LoadGenerator, WRK_SIZE } from "./options.ts";
import { findThroughput, type Results, type Throughput } from "./results.ts";
import type { Measured } from "./tally.ts";

const MIB = 1024 * 1024;

/** The measurements, as tables and lines. */
export function reportIngest(results: Results): string[] {
  return [throughputTable(results), latencyTable(results), otherLines(results)];
}

function throughputTable(results: Results): string {
  const rows = results.throughput.map((one) => [
    String(one.size),
    one.contender,
    thousands(one.eventsPerSecond),
    one.contender === "ceiling" ? "" : thousands(one.requestsPerSecond),
    milliseconds(one.p50),
    milliseconds(one.p99),
    one.run === undefined ? "" : cost(one.run.usage, one.run.measured.processed.accepted),
    one.run === undefined ? "" : memory(one.run.usage),
    describeGenerator(one),
    `${one.setting}${spread(one.repetitions)}`,
  ]);
  const head = [
    "requests of",
    "",
    "events/s",
    "requests/s",
    "p50",
    "p99",
    "CPU µs/event",
    "memory MiB",
    "load, CPU µs/request",
    "at",
  ];
  return tableOf(head, rows);
}

function describeGenerator(one: Throughput): string {
  if (one.generator === undefined) return "";
  const each = generatorCost(one);
  const lost = one.run?.socketErrors ? `, ${one.run.socketErrors} socket errors` : "";
  return `${one.generator}${each === undefined ? "" : ` ${each.toFixed(1)}`}${lost}`;
}

/**
 * CPU µs of the load generator for each answer, including the warm-up; undefined if it was not or cannot be
 * measured.
 */
export function generatorCost({ run }: Throughput): number | undefined {
  const { none = 0, ...answers } = run?.measured.statuses ?? {};
  const count = Object.values(answers).reduce((sum, times) => sum + times, 0);
  const seconds = run?.generatorCpuSeconds ?? 0;
  return seconds === 0 || count === 0 ? undefined : (seconds * 1e6) / count;
}

function latencyTable(results: Results): string {
  const rows = results.latency.map(({ contender, size, load, requestsPerSecond, run }) => {
    const { latency } = run.measured;
    const offered = thousands(requestsPerSecond);
    const percentiles = [latency.p50, latency.p90, latency.p99, latency.max].map(milliseconds);
    return [String(size), contender, offered, ...percentiles, statuses(run.measured.statuses), load];
  });
  const head = ["requests of", "open loop", "offered/s", "p50", "p90", "p99", "max", "answers", "load"];
  return tableOf(head, rows);
}

/** The ratio of the two by wrk, or a note that there is none. */
function wrkLines(results: Results): string[] {
  if (results.isWrkMissing) {
    return [
      `wrk is not installed: requests of ${WRK_SIZE} were not measured with it (to have it: ${HOW_TO_GET_WRK})`,
    ];
  }
  const rate = (contender: "stampede" | "peer") =>
    findThroughput(results, contender, WRK_SIZE, "wrk")?.requestsPerSecond;
  const times = ratio(rate("stampede"), rate("peer"));
  if (times === undefined) return [];
  return [`requests of ${WRK_SIZE} with wrk: requests/s against the peer ${times.toFixed(2)} ×`];
}

function clientLines({ client }: Results): string[] {
  if (client === undefined) return [];
  const { eventsPerSecond, besideEventsPerSecond, cpuMicrosPerEvent, rssBytes } = client;
  return [
    `requests of ${CLIENT_SIZE} by the streaming client: ${thousands(eventsPerSecond)} events/s, ` +
      `in turn with autocannon's ${thousands(besideEventsPerSecond)}; its process took ` +
      `${cpuMicrosPerEvent.toFixed(1)} µs CPU an event, ${(rssBytes / MIB).toFixed(0)} MiB`,
  ];
}

function otherLines(results: Results): string {
  const { async, overload, growth, peerCluster } = results;
  const lines = [...wrkLines(results), ...clientLines(results)];
  if (async !== undefined) {
    const { measured, usage } = async.accepted;
    lines.push(
      `202 mode: ${thousands(measured.eventsPerSecond)} events/s accepted, the backlog stored ` +
        `${async.drainSeconds.toFixed(1)} s later (memory MiB: ${memory(usage)}); ` +
        `with small streams the answers were ${statuses(async.bounded)}`,
    );
  }
  if (overload !== undefined) {
    const { run, wantedPerSecond } = overload;
    lines.push(
      `overload: ${thousands(run.offeredPerSecond)} of ${thousands(wantedPerSecond)} requests/s offered, ` +
        `answers ${statuses(run.measured.statuses)}, ` +
        `memory MiB: ${memory(run.usage)}`,
    );
  }
  if (growth !== undefined) {
    const [empty, full] = [growth.empty, growth.full].map(({ measured }) =>
      thousands(measured.eventsPerSecond),
    );
    lines.push(`${thousands(growth.rows)} rows: ${full} events/s, empty table: ${empty} events/s`);
  }
  for (const [size, events] of Object.entries(peerCluster)) {
    lines.push(`peer as a cluster of two, requests of ${size}: ${thousands(events)} events/s`);
  }
  return lines.join("\n");
}

/**
 * Events a second over the median run, latency percentiles over time at half load, and the queue. Time is the run's own,
 * from the end of its warm-up.
 */
export function drawResults(results: Results): Chart[] {
  return [
    ...throughputCharts(results),
    ...growthCharts(results),
    ...latencyCharts(results),
    ...queueCharts(results),
  ];
}

/** Not the default generator, if none is named. */
function isOther(generator: LoadGenerator | undefined): boolean {
  return generator !== undefined && generator !== "autocannon";
}

function sizesOf(results: Results): number[] {
  return [...new Set(results.throughput.map(({ size }) => size))];
}

function throughputCharts(results: Results): Chart[] {
  return sizesOf(results).map((size) => ({
    title: `Requests of ${size}, closed loop at full load: events a second`,
    unit: "",
    lines: results.throughput
      .filter((one) => one.size === size)
      .map(
        ({ contender, generator, measured }): Line => ({
          ...lineOf(contender, COLORS[contender], eventsOver(measured)),
          ...(isOther(generator) && { name: `${contender}, ${generator}`, dashed: true }),
        }),
      ),
  }));
}

function eventsOver({ pieces, size }: Measured): Line["points"] {
  return pieces.map(({ second, perSecond }) => [second, perSecond * size]);
}

function growthCharts({ growth }: Results): Chart[] {
  if (growth === undefined) return [];
  const lines = [
    lineOf("empty table", COLORS.ceiling, eventsOver(growth.empty.measured)),
    lineOf(`${growth.rows} rows`, COLORS.stampede, eventsOver(growth.full.measured)),
  ];
  return [{ title: "Requests of 500 with and without rows in the table: events a second", unit: "", lines }];
}

function latencyCharts(results: Results): Chart[] {
  const sizes = [...new Set(results.latency.map(({ size }) => size))];
  return sizes.map((size) => ({
    title: `Requests of ${size}, open loop, each at half of its own maximum: latency`,
    unit: " ms",
    lines: results.latency
      .filter((one) => one.size === size && isOwnHalf(one.contender, one.load))
      .flatMap(({ contender, run }): Line[] =>
        (["p50", "p99"] as const).map((rank) => ({
          name: `${contender} ${rank}`,
          color: COLORS[contender],
          dashed: rank === "p50",
          points: run.measured.pieces.map(({ second, latency }) => [second, latency?.[rank] ?? 0] as const),
        })),
      ),
  }));
}

function isOwnHalf(contender: string, load: string): boolean {
  return contender === "stampede" ? load.includes("Stampede") : load.includes("own");
}

function queueCharts(results: Results): Chart[] {
  const runs = results.throughput.flatMap(({ contender, size, generator, run }) =>
    contender === "stampede" && run
      ? [{ name: `requests of ${size}${isOther(generator) ? `, ${generator}` : ""}`, run }]
      : [],
  );
  if (results.overload)
    runs.push({ name: `${results.overload.times} × overload`, run: results.overload.run });
  const shades = ["#0b6e99", "#448361", "#9065b0", "#d44c47"];
  const charts: Chart[] = [];
  const chart = (title: string, shown: typeof runs): void => {
    const lines = shown.map(({ name, run }, i) => {
      const depths = run.usage.samples.map(
        ({ atMs, queueDepth }) => [(atMs - run.startedAtMs) / 1000, queueDepth] as const,
      );
      const measured = depths.filter(([second]) => second >= 0);
      return lineOf(name, shades[i % shades.length] as string, measured);
    });
    charts.push({ title, unit: "", lines });
  };
  if (runs.length > 0) chart("Queue depth: messages in the ingest streams, 200 after commit", runs);
  if (results.async) {
    chart("Queue depth in 202 mode: messages in the ingest streams", [
      { name: "202 mode", run: results.async.accepted },
    ]);
  }
  return charts;
}
