import { type Subject, startStampede } from "../kit/subjects.ts";
import { median, middle } from "../kit/timeline.ts";
import { type Database, FIRST_RUN, type RunResult, waitUntilDrained } from "./arena.ts";
import {
  type IngestArena,
  type Ready,
  type ReadyCeiling,
  readyCeiling,
  readyCluster,
  readyContender,
  runAtBest,
  runCeiling,
} from "./contenders.ts";
import type { Contender } from "./options.ts";
import type { Measured } from "./tally.ts";

/** One contender at one request size. */
interface Throughput {
  readonly contender: Contender;
  readonly size: number;
  /** What was found to be best, such as "16 connections". */
  readonly setting: string;
  readonly connections: number;
  /** Medians over the repetitions. */
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly repetitions: readonly number[];
  readonly p50: number;
  readonly p99: number;
  /** The median repetition, whole; not for the ceiling, which has no requests. */
  readonly run: RunResult | undefined;
  readonly measured: Measured;
}

/** Open loop at a fixed rate. */
export interface Latency {
  readonly contender: Contender;
  readonly size: number;
  readonly load: "half of Stampede's maximum" | "half of its own maximum";
  readonly requestsPerSecond: number;
  readonly run: RunResult;
}

interface AsyncMode {
  /** 202, as long as the streams have room. */
  readonly accepted: RunResult;
  /** How long the backlog took to reach Postgres. */
  readonly drainSeconds: number;
  /** The same with small streams: answers by status until it was over. */
  readonly bounded: Readonly<Record<string, number>>;
}

interface Overload {
  readonly wantedPerSecond: number;
  readonly run: RunResult;
}

interface Growth {
  readonly rows: number;
  /** The median repetitions. */
  readonly empty: RunResult;
  readonly full: RunResult;
}

export interface Results {
  readonly throughput: Throughput[];
  readonly latency: Latency[];
  async: AsyncMode | undefined;
  overload: Overload | undefined;
  growth: Growth | undefined;
  /** What a cluster of two peers gave, events a second by request size. */
  readonly peerCluster: Record<number, number>;
  readonly verified: { databases: number; transactions: number; events: number; faults: string[] };
}

export function emptyResults(): Results {
  return {
    throughput: [],
    latency: [],
    async: undefined,
    overload: undefined,
    growth: undefined,
    peerCluster: {},
    verified: { databases: 0, transactions: 0, events: 0, faults: [] },
  };
}

export function findThroughput(results: Results, contender: Contender, size: number): Throughput | undefined {
  return results.throughput.find((one) => one.contender === contender && one.size === size);
}

/** The ceiling knows no requests; it is measured beside the largest ones. */
const CEILING_BESIDE = 500;

/**
 * One request size: every contender set up at its best, then repetitions in turn (A B C A B C), so that a slow minute
 * of the machine meets all of them; latency at half load on the same processes; in the end every database is verified.
 */
export async function measureSize(arena: IngestArena, results: Results, size: number): Promise<void> {
  const { contenders, parts } = arena.options;
  arena.say(`requests of ${size}: finding the best settings`);
  const services: Ready[] = [];
  for (const contender of ["stampede", "peer"] as const) {
    if (contenders.includes(contender)) services.push(await readyContender(arena, contender, size));
  }
  const besides = size === CEILING_BESIDE || contenders.length === 1;
  const ceiling = contenders.includes("ceiling") && besides ? await readyCeiling(arena) : undefined;

  const runs = services.map((): RunResult[] => []);
  const ceilings: Measured[] = [];
  for (let repetition = 1; repetition <= arena.options.repetitions; repetition++) {
    arena.say(`requests of ${size}: ${repetition} of ${arena.options.repetitions}`);
    for (const [i, ready] of services.entries())
      runs[i]?.push(await runAtBest(arena, ready, size, repetition));
    if (ceiling !== undefined) ceilings.push(await runCeiling(arena, ceiling, repetition));
  }
  const measured = services.map((ready, i) => summarise(ready, size, runs[i] ?? []));
  results.throughput.push(...measured);
  if (ceiling !== undefined) results.throughput.push(summariseCeiling(ceiling, ceilings));
  if (parts.includes("latency")) await measureLatency(arena, results, services, size);
  for (const { subject, database } of services) await settle(arena, results, subject, database);
  if (ceiling !== undefined) await settle(arena, results, undefined, ceiling.database);
  const peer = findThroughput(results, "peer", size);
  if (peer !== undefined && arena.options.mode === "canonical") {
    await measureCluster(arena, results, size, peer.connections);
  }
}

/** For comparison only: the table's peer is one process, as Stampede's edge is. */
async function measureCluster(
  arena: IngestArena,
  results: Results,
  size: number,
  connections: number,
): Promise<void> {
  arena.say(`requests of ${size}: the peer as a cluster`);
  const ready = await readyCluster(arena, size, connections);
  const { measured } = await runAtBest(arena, ready, size, 1);
  results.peerCluster[size] = measured.eventsPerSecond;
  await settle(arena, results, ready.subject, ready.database);
}

function summarise(ready: Ready, size: number, runs: readonly RunResult[]): Throughput {
  const middle = median(runs, ({ measured }) => measured.eventsPerSecond);
  const { subject, setting, connections } = ready;
  return {
    contender: subject.name,
    size,
    setting,
    connections,
    run: middle,
    ...figures(runs.map((run) => run.measured)),
  };
}

function summariseCeiling(ceiling: ReadyCeiling, measured: readonly Measured[]): Throughput {
  const { rows, connections } = ceiling;
  const setting = `${connections} connections, ${rows} rows a batch`;
  return {
    contender: "ceiling",
    size: CEILING_BESIDE,
    setting,
    connections,
    run: undefined,
    ...figures(measured),
  };
}

function figures(repetitions: readonly Measured[]) {
  const measured = median(repetitions, ({ eventsPerSecond }) => eventsPerSecond);
  return {
    measured,
    eventsPerSecond: measured.eventsPerSecond,
    requestsPerSecond: measured.requestsPerSecond,
    repetitions: repetitions.map(({ eventsPerSecond }) => eventsPerSecond),
    p50: middle(repetitions.map(({ latency }) => latency.p50)),
    p99: middle(repetitions.map(({ latency }) => latency.p99)),
  };
}

/** Far above what half a load needs: where requests wait for a connection, that is the subject's doing. */
const OPEN_LOOP_CONNECTIONS = 512;

/**
 * Open loop at half of Stampede's maximum, the same rate for the peer, and the peer also at half of its own. What a
 * subject cannot serve in time shows as latency from the scheduled moment.
 */
async function measureLatency(
  arena: IngestArena,
  results: Results,
  services: readonly Ready[],
  size: number,
): Promise<void> {
  const half = (contender: "stampede" | "peer") =>
    (findThroughput(results, contender, size)?.requestsPerSecond ?? 0) / 2;
  for (const ready of services) {
    const contender = ready.subject.name;
    const loads: [Latency["load"], number][] = [["half of Stampede's maximum", half("stampede")]];
    if (contender === "peer") loads.push(["half of its own maximum", half("peer")]);
    for (const [i, [load, requestsPerSecond]] of loads.entries()) {
      if (requestsPerSecond === 0) continue;
      arena.say(`requests of ${size}: latency of ${contender} at ${load}`);
      const run = await arena.openLoop(ready.subject, ready.database, {
        size,
        requestsPerSecond,
        connections: OPEN_LOOP_CONNECTIONS,
        seconds: arena.options.seconds,
        warmUpSeconds: arena.options.warmUpSeconds,
        run: FIRST_RUN.latency + i,
      });
      results.latency.push({ contender, size, load, requestsPerSecond, run });
    }
  }
}

const ASYNC_SIZE = 500;
const CONNECTIONS = 16;
/** Accepted as fast as that, more or less: the amount of requests to prepare. */
const EXPECTED_EVENTS_PER_SECOND = 250_000;
/** The least that may be configured: full at once, on any machine. */
const SMALL_STREAM_BYTES = 1024 * 1024;

/**
 * `prefer: respond-async`: how fast events are accepted while the streams have room, and that a full stream refuses with
 * 503 and loses nothing of what it took.
 */
export async function measureAsync(arena: IngestArena, results: Results): Promise<void> {
  arena.say("202 mode");
  const { seconds, warmUpSeconds } = arena.options;
  const connections = findThroughput(results, "stampede", ASYNC_SIZE)?.connections ?? CONNECTIONS;
  const shape = {
    size: ASYNC_SIZE,
    connections,
    expectedPerSecond: (EXPECTED_EVENTS_PER_SECOND * arena.options.abundance) / ASYNC_SIZE,
    seconds,
    warmUpSeconds,
    async: true,
  };
  const database = await arena.newDatabase("async");
  const { servers } = arena;
  const subject = await startStampede({ servers, database: database.name });
  const accepted = await arena.closedLoop(subject, database, shape);
  const drainSeconds = await waitUntilDrained(subject);
  await settle(arena, results, subject, database);

  const small = await arena.newDatabase("bounded");
  const env = { STAMPEDE_STREAM_MAX_BYTES: String(SMALL_STREAM_BYTES) };
  const bounded = await startStampede({ servers, database: small.name, env });
  const { measured } = await arena.closedLoop(bounded, small, shape);
  await settle(arena, results, bounded, small);
  results.async = { accepted, drainSeconds, bounded: measured.statuses };
}

const OVERLOAD_SIZE = 500;
const TIMES = 10;
/** Without a measurement in this run. */
const ASSUMED_REQUESTS_PER_SECOND = 100;

/** Ten times as much as Stampede can take, in open loop: memory stays bounded, what is accepted is stored. */
export async function measureOverload(arena: IngestArena, results: Results): Promise<void> {
  arena.say(`overload, ${TIMES} times the maximum`);
  const maximum =
    findThroughput(results, "stampede", OVERLOAD_SIZE)?.requestsPerSecond ?? ASSUMED_REQUESTS_PER_SECOND;
  const database = await arena.newDatabase("overload");
  const { seconds } = arena.options;
  const subject = await startStampede({ servers: arena.servers, database: database.name });
  const run = await arena.openLoop(subject, database, {
    size: OVERLOAD_SIZE,
    requestsPerSecond: TIMES * maximum,
    connections: OPEN_LOOP_CONNECTIONS,
    seconds,
    warmUpSeconds: 0,
  });
  results.overload = { wantedPerSecond: TIMES * maximum, run };
  await settle(arena, results, subject, database);
}

/** The end of a contender: drained, stopped, and its database held to what it answered. */
export async function settle(
  arena: IngestArena,
  results: Results,
  subject: Subject | undefined,
  database: Database,
): Promise<void> {
  const verdict = subject ? await arena.settle(subject, database) : await arena.verifyAndDrop(database);
  results.verified.databases++;
  results.verified.transactions += verdict.transactions;
  results.verified.events += verdict.events;
  results.verified.faults.push(...verdict.faults.map((fault) => `${database.name}: ${fault}`));
}
