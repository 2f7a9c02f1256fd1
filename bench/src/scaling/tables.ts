import { thousands } from "../kit/report.ts";
import { DRIVERS, PART_NAMES, type PartName } from "./costs.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { PointRates } from "./measure-point.ts";
import { limitOf, TERMS } from "./plan-capacity.ts";
import type { PlannedAndSimulated, ScalingResults } from "./results.ts";

/** A table: its head, then its rows. */
export type Rows = string[][];

/** CPU microseconds by part and driver. */
export function costRows({ costs }: ScalingResults): Rows {
  const rows = PART_NAMES.map((part) => {
    const { micros, mainShare, idleCores, worstMiss } = costs.parts[part];
    const cells = DRIVERS.map((driver) => (micros[driver] === undefined ? "" : digits(micros[driver])));
    return [part, ...cells, isNode(part) ? percent(mainShare) : "", percent(idleCores), percent(worstMiss)];
  });
  return [
    ["CPU µs", ...DRIVERS.map((driver) => `each ${driver}`), "main thread", "idle, of a core", "worst miss"],
    ...rows,
  ];
}

function isNode(part: PartName): boolean {
  return !/database|nats/.test(part);
}

/** What was held back, predicted and measured. */
export function predictionRows({ predictions, measured }: ScalingResults): Rows {
  const rows = predictions.map(({ name, ratio, holds, ...one }, at) => {
    const point = measured.predicted[at];
    return [
      name,
      thousands(one.measured),
      thousands(one.predicted),
      ratio.toFixed(2),
      holds ? "holds" : "MISSED",
      `${digits(point?.p50Ms ?? 0)} / ${digits(one.simulated.p50Ms)}`,
      `${digits((point?.drivers.events ?? 0) / (point?.drivers.batches ?? 1))} / ${digits(one.simulated.eventsPerBatch)}`,
      digits(point?.otherCores ?? 0),
    ];
  });
  const pair = "measured / predicted";
  const head = [
    "closed loop",
    "events/s",
    "predicted",
    "ratio",
    "",
    `p50 ms, ${pair}`,
    `events a batch, ${pair}`,
  ];
  return [[...head, "cores taken by others"], ...rows];
}

const VOLUME_NAMES: Readonly<Record<keyof Volumes, string>> = {
  edgeToNats: "edge → NATS",
  natsToIngest: "NATS → ingest",
  ingestToNats: "ingest → NATS",
  natsToPlatform: "NATS → platform",
  natsToRewards: "NATS → rewards",
  writeAheadLog: "write-ahead log",
  databaseDisk: "PostgreSQL → disk, all",
  natsDisk: "NATS → disk",
};

/** Bytes an event. */
export function volumeRows({ measured }: ScalingResults): Rows {
  const [plain, matched] = [volumesOf(measured, false), volumesOf(measured, true)];
  const names = Object.keys(VOLUME_NAMES) as (keyof Volumes)[];
  const rows = names.map((name) => [VOLUME_NAMES[name], digits(plain[name]), digits(matched[name])]);
  return [["bytes an event", "nothing matches", "with matches"], ...rows];
}

/** The largest that was seen under full load. */
export function memoryRows({ measured }: ScalingResults): Rows {
  const names = Object.keys(measured.predicted[0]?.residentBytes ?? {});
  const largest = (name: string) =>
    Math.max(...measured.predicted.map((one) => one.residentBytes[name] ?? 0));
  return [["process", "MiB"], ...names.map((name) => [name, digits(largest(name) / 2 ** 20)])];
}

/** What each rate takes, in one installation and in as many as it takes to stay within the bounds. */
export function planRows({ plans }: ScalingResults): Rows {
  const columns = plans.flatMap(({ eventsPerSecond, alone, split }) => {
    const one = { head: `${thousands(eventsPerSecond)}/s, one installation`, installations: 1, of: alone };
    if (split.installations === 1) return [one];
    return [
      one,
      { head: `${thousands(eventsPerSecond)}/s, split`, installations: split.installations, of: split },
    ];
  });
  const row = (name: string, value: (of: PlannedAndSimulated) => string) => [
    name,
    ...columns.map(({ of }) => value(of)),
  ];
  return [
    ["", ...columns.map(({ head }) => head)],
    ["installations", ...columns.map(({ installations }) => String(installations))],
    row("events/s of each", ({ plan }) => thousands(plan.terms.eventsPerSecond)),
    row("edge processes", ({ plan }) => String(plan.edges)),
    row("partitions", ({ plan }) => String(plan.partitions)),
    row("ingest processes", ({ plan }) => String(plan.ingests)),
    row(
      "platform, rewards, webhooks processes",
      ({ plan }) => `${plan.platforms}, ${plan.rewards}, ${plan.webhooks}`,
    ),
    row("messages/s into the ingest streams", ({ plan }) => thousands(plan.messagesPerSecond)),
    row("events a message", ({ plan }) => digits(plan.eventsPerMessage)),
    row(
      "batches/s, events a batch",
      ({ plan }) => `${thousands(plan.batchesPerSecond)}, ${digits(plan.eventsPerBatch)}`,
    ),
    row("NATS: cores busy, nodes of 8", ({ plan }) => `${digits(plan.natsCoresBusy)}, ${plan.natsNodes}`),
    row(
      "PostgreSQL: cores busy, shards of 16",
      ({ plan }) => `${digits(plan.databaseCores)}, ${plan.shards}`,
    ),
    row("the platform's PostgreSQL: cores busy", ({ plan }) => digits(plan.platformDatabaseCores)),
    row("nearest bound", ({ plan }) => {
      const [nearest] = plan.bounds;
      return nearest === undefined ? "" : `${nearest.name}: ${percent(nearest.used)}`;
    }),
    row("simulated: events/s answered", ({ simulated }) => thousands(simulated.eventsPerSecond)),
    row(
      "simulated: p50, p99 ms",
      ({ simulated }) => `${digits(simulated.p50Ms)}, ${digits(simulated.p99Ms)}`,
    ),
    row("simulated: events a message, a batch", ({ simulated }) => {
      return `${digits(simulated.eventsPerMessage)}, ${digits(simulated.eventsPerBatch)}`;
    }),
    row("it holds", ({ holds }) => (holds ? "yes" : "no")),
  ];
}

/** Disks by what a synced write takes: a good NVMe with power-loss protection, network storage, a laptop, a disk that turns. */
const SYNCS_MS = [0.05, 0.2, 0.5, 1, 2, 5];

/** What one installation can be planned for on other disks. */
export function limitRows({ costs }: ScalingResults): Rows {
  const rows = SYNCS_MS.map((syncMs) => {
    const { eventsPerSecond, bound } = limitOf(costs, TERMS, syncMs);
    return [`${syncMs} ms`, thousands(Number(eventsPerSecond.toPrecision(2))), bound];
  });
  return [
    ["a synced write takes", "events/s of one installation at most", "what is in the way of more"],
    ...rows,
  ];
}

/** Three of them, as people read them. */
function digits(value: number): string {
  if (value >= 1000) return thousands(value);
  return value === 0 ? "0" : String(Number(value.toPrecision(value >= 100 ? 3 : 2)));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** Bytes that an event takes on each way, as NATS, PostgreSQL and the kernel count them. */
interface Volumes {
  /** Packed messages; about what the request weighed. */
  readonly edgeToNats: number;
  readonly natsToIngest: number;
  /** Records and settlements. */
  readonly ingestToNats: number;
  readonly natsToPlatform: number;
  readonly natsToRewards: number;
  readonly writeAheadLog: number;
  /** Written to disk by all of PostgreSQL, the write-ahead log included. */
  readonly databaseDisk: number;
  readonly natsDisk: number;
}

const COUNTERS = {
  edgeToNats: "from.edge",
  natsToIngest: "to.ingest",
  ingestToNats: "from.ingest",
  natsToPlatform: "to.platform",
  natsToRewards: "to.rewards",
  writeAheadLog: "wal.bytes",
  databaseDisk: "written.database",
  natsDisk: "written.nats",
} as const satisfies Record<keyof Volumes, string>;

/** Of the closed loop with requests of 500: it has most events, and the same settings as the canonical benchmark. */
function volumesOf({ predicted }: Pick<CostMeasurements, "predicted">, matched: boolean): Volumes {
  const point = predicted.find((one) => one.matched === matched && one.size === 500) as PointRates;
  const perEvent = (counter: string) => (point.rates[counter] ?? 0) / point.drivers.events;
  const volumes = Object.entries(COUNTERS).map(([name, counter]) => [name, perEvent(counter)]);
  return Object.fromEntries(volumes) as unknown as Volumes;
}
