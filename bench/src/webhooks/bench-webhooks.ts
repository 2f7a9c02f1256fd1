import type { Benchmark } from "../kit/benchmark.ts";
import { describeLatency, describeProcesses } from "../kit/record.ts";
import {
  cost,
  faultsOf,
  least,
  mib,
  milliseconds,
  most,
  ratio,
  type TargetResult,
  tableOf,
  thousands,
} from "../kit/report.ts";
import type { Usage } from "../kit/usage.ts";
import { type Backlog, largestBetween, type MemoryPoint, measureBacklog } from "./measure-backlog.ts";
import { type Latency, measureLatency } from "./measure-latency.ts";
import { type Many, measureMany } from "./measure-many.ts";
import { measureRare, type Rare } from "./measure-rare.ts";
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from "./options.ts";

/** Each part, if it was measured. */
interface WebhooksResults {
  readonly backlog: Backlog | undefined;
  readonly many: Many | undefined;
  readonly latency: Latency | undefined;
  readonly rare: Rare | undefined;
}

/** The benchmark of webhook delivery, from stored events to a receiver on this machine. */
export const BENCH_WEBHOOKS: Benchmark<WebhooksOptions, WebhooksResults> = {
  arguments: WEBHOOKS_OPTIONS,
  async measure(setting) {
    const { parts } = setting.options;
    return {
      latency: parts.includes("latency") ? await measureLatency(setting) : undefined,
      many: parts.includes("many") ? await measureMany(setting) : undefined,
      rare: parts.includes("rare") ? await measureRare(setting) : undefined,
      backlog: parts.includes("backlog") ? await measureBacklog(setting) : undefined,
    };
  },
  judge,
  report: (results) => [
    paceTable(results),
    costTable(results),
    hangingTable(results),
    rareTable(results),
    memoryLine(results),
    latencyLine(results),
  ],
  record,
  verdict: (results) => ({
    faults: faultsOf(results),
    holds:
      "every webhook got every event of its own once and in order, signed; nothing is pending, nothing failed",
  }),
};

/** Memory that is as good as the same: a garbage collection more or less. */
const GROWTH_AT_MOST = 1.25;
const MIB = 1024 * 1024;

/**
 * For two cores, which the receiver, the service and the servers share; ratios of one run apply to any
 * machine.
 */
function judge({ backlog, many, latency, rare }: WebhooksResults): TargetResult[] {
  const memory = backlog?.memory ?? [];
  // Before a tenth is done the process has not yet allocated everything that it needs for any delivery.
  const early = largestBetween(memory, 0.1, 0.5);
  const late = largestBetween(memory, 0.5, 1);
  const largest = largestBetween(memory, 0, 1);
  const beside = ratio(many?.hanging.beside, many?.hanging.without);
  return [
    least("one webhook, its backlog in full deliveries", backlog?.perSecond, 20_000, "events/s"),
    most("its backlog: memory in the second half, against the first", ratio(late, early), GROWTH_AT_MOST),
    most("its backlog: resident memory of the service", largest && largest / MIB, 256, "MiB"),
    least(`${many?.webhooks ?? 1000} webhooks, an event each`, many?.perSecond, 2_000, "deliveries/s"),
    least("most of them while the others hang, against alone", beside, 0.9),
    most(
      `each of ${rare?.webhooks ?? 1000} webhooks of a rare type beside a backlog: CPU`,
      rare?.microsecondsEach,
      2_000,
      "µs",
    ),
    most("from the commit to the arrival, unloaded: p50", latency?.p50, 30, "ms"),
    most("from the commit to the arrival, unloaded: p99", latency?.p99, 150, "ms"),
  ];
}

function paceTable({ backlog, many }: WebhooksResults): string {
  const cpu = ({ processes }: Usage) => processes.map((one) => one.cpuSeconds.toFixed(1)).join(", ");
  const rows: string[][] = [];
  if (backlog !== undefined) {
    const { events, deliveries, seconds, perSecond, usage } = backlog;
    const all = `${thousands(events)} events in ${thousands(deliveries)} deliveries`;
    const note = `${all} of ${(events / deliveries).toFixed(1)}, ${seconds.toFixed(1)} s`;
    rows.push(["one webhook and its backlog", `${thousands(perSecond)} events/s`, cpu(usage), note]);
  }
  if (many !== undefined) {
    const pace = `${thousands(many.perSecond)} deliveries/s`;
    rows.push([`${thousands(many.webhooks)} webhooks, an event each`, pace, cpu(many.usage), ""]);
  }
  return tableOf(["", "pace", "CPU s", ""], rows);
}

/** The cost of a delivery for the service's process and for the backends that work for it. */
function costTable({ backlog, many, latency }: WebhooksResults): string {
  const rows: string[][] = [];
  const add = (name: string, usage: Usage, deliveries: number) => rows.push([name, cost(usage, deliveries)]);
  if (latency !== undefined) add("alone, one event every now and then", latency.usage, latency.samples);
  if (many !== undefined)
    add(`of ${thousands(many.webhooks)} webhooks, one event`, many.usage, many.deliveries);
  if (backlog !== undefined) add("of a backlog, up to 100 events", backlog.usage, backlog.deliveries);
  return tableOf(["CPU µs a delivery", ""], rows);
}

function hangingTable({ many }: WebhooksResults): string {
  if (many === undefined) return "";
  const { webhooks, without, beside, repetitions } = many.hanging;
  const row = (name: string, middle: number, all: readonly number[]) => [
    name,
    thousands(middle),
    all.map(thousands).join(", "),
  ];
  return tableOf(
    [`${thousands(many.webhooks - webhooks)} webhooks, an event each`, "deliveries/s", "repetitions"],
    [
      row("alone", without, repetitions.without),
      row(`beside ${thousands(webhooks)} that hang`, beside, repetitions.beside),
    ],
  );
}

function rareTable({ rare }: WebhooksResults): string {
  if (rare === undefined) return "";
  const { webhooks, events, without, beside } = rare;
  const row = (name: string, { usage }: Rare["without"]) => [name, cost(usage, events)];
  return tableOf(
    [`one webhook and its backlog of ${thousands(events)} events`, "CPU µs an event"],
    [row("alone", without), row(`beside ${thousands(webhooks)} that want one event`, beside)],
  );
}

const MEMORY_COLUMNS = 10;

/** The most of every tenth of the work. */
function memoryLine({ backlog }: WebhooksResults): string {
  if (backlog === undefined) return "";
  const sizes = Array.from({ length: MEMORY_COLUMNS }, (_, at) =>
    largestBetween(backlog.memory, at / MEMORY_COLUMNS, (at + 1) / MEMORY_COLUMNS),
  );
  const shown = sizes.map((bytes) => (bytes === undefined ? "–" : mib(bytes))).join(", ");
  return `resident memory by tenths of the backlog, MiB: ${shown}`;
}

function latencyLine({ latency }: WebhooksResults): string {
  if (latency === undefined) return "";
  const ranks = (["p50", "p90", "p99", "max"] as const).map(
    (rank) => `${rank} ${milliseconds(latency[rank])}`,
  );
  const what = `from the commit of an event to its arrival, ${thousands(latency.samples)} of them, unloaded`;
  return `${what}: ${ranks.join(", ")}`;
}

function record({ backlog, many, latency, rare }: WebhooksResults): object {
  return {
    backlog: backlog && {
      events: backlog.events,
      deliveries: backlog.deliveries,
      seconds: backlog.seconds,
      events_per_second: backlog.perSecond,
      memory: describeMemory(backlog.memory),
      ...describeCost(backlog.usage),
    },
    many: many && {
      deliveries_per_second: many.perSecond,
      deliveries: many.deliveries,
      ...describeCost(many.usage),
      others_per_second: {
        alone: many.hanging.repetitions.without,
        beside_hanging: many.hanging.repetitions.beside,
      },
    },
    latency: latency && {
      ...describeLatency(latency),
      samples: latency.samples,
      ...describeCost(latency.usage),
    },
    rare: rare && {
      microseconds_each: rare.microsecondsEach,
      alone: describeCost(rare.without.usage),
      beside_rare: describeCost(rare.beside.usage),
    },
  };
}

function describeCost(usage: Usage) {
  return { processes: describeProcesses(usage), database_cpu_seconds: usage.databaseCpuSeconds };
}

const MEMORY_POINTS = 40;

/** Evenly chosen: a run has hundreds. */
function describeMemory(memory: readonly MemoryPoint[]) {
  const step = Math.max(1, Math.ceil(memory.length / MEMORY_POINTS));
  return memory
    .filter((_, at) => at % step === 0)
    .map(({ seconds, done, rssBytes }) => ({ seconds, done, rss_bytes: rssBytes }));
}
