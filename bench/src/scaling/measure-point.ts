import { cpus } from "node:os";
import { type Arena, FIRST_RUN, type RunResult } from "../ingest/arena.ts";
import { type Counters, Meter } from "../kit/meter.ts";
import type { Stampede } from "../kit/subjects.ts";
import type { WholeInstallation } from "../rewards/whole-installation.ts";
import { payAlong } from "../rewards/whole-loop.ts";

/** One measured load on one installation. */
export interface LoadPoint {
  readonly name: string;
  /** Whether one in ten purchases is paid at a retailer, and every member enrolled. */
  readonly matched: boolean;
  readonly size: number;
  /** For a closed loop: full speed. Otherwise the rate is given, below the machine's capacity. */
  readonly connections: number;
  readonly eventsPerSecond: number | undefined;
}

/** The consumption of one load, per second; `idle` is that of the same processes without load. */
export interface PointRates {
  readonly name: string;
  readonly matched: boolean;
  readonly size: number;
  readonly connections: number;
  /** The load per second. */
  readonly drivers: Drivers;
  /** Cores that each part kept busy. */
  readonly cores: Counters;
  /** The first thread's part of that, for each process. */
  readonly mainCores: Counters;
  /** All other counters, per second: bytes and messages. */
  readonly rates: Counters;
  /** Cores that other programs kept busy. */
  readonly otherCores: number;
  readonly machineCores: number;
  /** The largest resident set of each Node process, bytes. */
  readonly residentBytes: Counters;
  readonly p50Ms: number;
}

/** The units of the costs. */
export interface Drivers {
  readonly events: number;
  readonly requests: number;
  /** In the ingest streams. */
  readonly messages: number;
  /** Written by ingest: each makes one message of records. */
  readonly batches: number;
  /** Purchases that met their payment. */
  readonly matches: number;
}

const OPEN_LOOP_LANES = 4;

interface PointTiming {
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Closed loop: events a second to prepare requests for, generously. */
  readonly prepared: number;
  /** Closed loop: events a second that payments keep pace with. */
  readonly pace: number;
  /** Equal numbers mean equal transactions; each point has its own. */
  readonly number: number;
}

export async function measurePoint(
  arena: Arena,
  whole: WholeInstallation,
  point: LoadPoint,
  timing: PointTiming,
): Promise<PointRates> {
  const { seconds, warmUpSeconds, number } = timing;
  const { subject, database, store } = whole;
  const run = FIRST_RUN.repetitions + number;
  const eventsPerSecond = point.eventsPerSecond ?? timing.pace;
  const endPaying = point.matched
    ? payAlong(arena, subject, { run, eventsPerSecond, seconds: seconds + warmUpSeconds })
    : undefined;
  const pairsBefore = await countPairs(store);
  const before = await countBatches(subject);
  const meter = await Meter.start({
    servers: arena.servers,
    database: database.name,
    processes: subject.processes,
    streamPrefix: subject.streamPrefix,
  });
  let result: RunResult;
  try {
    result = await load(arena, whole, point, { ...timing, run });
    await endPaying?.();
  } finally {
    await meter.stop();
  }
  await whole.settle();
  const { measured, startedAtMs } = result;
  const counters = meter.between(startedAtMs, startedAtMs + measured.seconds * 1000);
  const perSecond = ratesOf(counters, measured.seconds);
  const pairs = (await countPairs(store)) - pairsBefore;
  const after = await countBatches(subject);
  const batchesPerEvent = (after.batches - before.batches) / Math.max(1, after.events - before.events);
  const matchedShare = measured.processed.accepted === 0 ? 0 : pairs / measured.processed.accepted;
  return {
    name: point.name,
    matched: point.matched,
    size: point.size,
    connections: point.connections,
    drivers: {
      events: measured.eventsPerSecond,
      requests: measured.requestsPerSecond,
      messages: perSecond["stored.INGEST"] ?? 0,
      batches: measured.eventsPerSecond * batchesPerEvent,
      matches: measured.eventsPerSecond * matchedShare,
    },
    ...split(perSecond),
    residentBytes: Object.fromEntries(result.usage.processes.map(({ name, rssBytes }) => [name, rssBytes])),
    p50Ms: measured.latency.p50,
  };
}

/**
 * The batches that ingest has written since it began. The messages of PLATFORM_TX do not show it, because
 * those of small batches are joined.
 */
async function countBatches({ processes }: Stampede): Promise<{ batches: number; events: number }> {
  const metrics = await processes.find(({ name }) => name === "ingest")?.metrics();
  const valueIn = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)`, "m").exec(metrics ?? "")?.[1]);
  const name = "stampede_ingest_batch_events";
  return { batches: valueIn(`${name}_count`), events: valueIn(`${name}_sum`) };
}

function load(
  arena: Arena,
  { subject, database }: WholeInstallation,
  { size, connections, eventsPerSecond }: LoadPoint,
  { seconds, warmUpSeconds, prepared, run }: PointTiming & { readonly run: number },
): Promise<RunResult> {
  const shape = { size, seconds, warmUpSeconds, run, connections };
  if (eventsPerSecond === undefined) {
    return arena.closedLoop(subject, database, { ...shape, expectedPerSecond: prepared / size });
  }
  const requestsPerSecond = eventsPerSecond / size;
  return arena.openLoop(subject, database, { ...shape, requestsPerSecond, lanes: OPEN_LOOP_LANES });
}

/** The same processes with nothing to do. */
export async function measureIdle(
  arena: Arena,
  { subject, database }: WholeInstallation,
  seconds: number,
): Promise<Counters> {
  const meter = await Meter.start({
    servers: arena.servers,
    database: database.name,
    processes: subject.processes,
    streamPrefix: subject.streamPrefix,
  });
  const startedMs = performance.timeOrigin + performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  await meter.stop();
  return split(ratesOf(meter.between(startedMs, startedMs + seconds * 1000), seconds)).cores;
}

async function countPairs(store: WholeInstallation["store"]): Promise<number> {
  const [{ pairs }] = await store<[{ pairs: number }]>`
    select count(*) as pairs from platform.payments where transaction_id is not null`;
  return pairs;
}

function ratesOf(counters: Counters, seconds: number): Counters {
  return Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, value / seconds]));
}

/** CPU by part, the rest of the machine, and everything else. */
function split(perSecond: Counters) {
  const cores: Record<string, number> = {};
  const mainCores: Record<string, number> = {};
  const rates: Record<string, number> = {};
  for (const [name, value] of Object.entries(perSecond)) {
    if (name.startsWith("cpu.")) cores[name.slice(4)] = value;
    else if (name.startsWith("main.")) mainCores[name.slice(5)] = value;
    else if (name !== "machine.busy") rates[name] = value;
  }
  const ours = Object.values(cores).reduce((sum, value) => sum + value, 0);
  const otherCores = Math.max(0, (perSecond["machine.busy"] ?? 0) - ours);
  return { cores, mainCores, rates, otherCores, machineCores: cpus().length };
}
