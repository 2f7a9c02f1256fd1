import { type Subject, startPeer, startStampede } from "../kit/subjects.ts";
import { findBest } from "../kit/timeline.ts";
import { type Arena, type Database, FIRST_RUN, type RunResult } from "./arena.ts";
import type { IngestOptions } from "./options.ts";
import type { Measured } from "./tally.ts";

export type IngestArena = Arena<IngestOptions>;

/** A contender that has been set up as well as it can be for one request size. */
export interface Ready {
  readonly subject: Subject;
  readonly database: Database;
  readonly connections: number;
  readonly setting: string;
  /** Events a second that may be expected, for the amount of requests to prepare. */
  readonly expected: number;
}

/** Connections that are tried, by request size. The first is what `--quick` takes. */
const CONNECTIONS: Readonly<Record<number, readonly number[]>> = {
  500: [16, 8, 32],
  50: [64, 32, 128],
  1: [128, 256, 512, 1024],
};
const OTHER_CONNECTIONS = [32, 8, 128];
const PEER_POOLS = [8, 4, 6];
/** Events a second to be prepared for before anything is known, by request size; generous. */
const FIRST_GUESS: Readonly<Record<number, number>> = { 500: 80_000, 50: 60_000, 1: 16_000 };
const PROBE_WARM_UP_SECONDS = 0.7;

/** Starts Stampede and finds the number of connections at which it is fastest. */
export async function readyStampede(arena: IngestArena, size: number): Promise<Ready> {
  const database = await arena.newDatabase("stampede");
  const subject = await startStampede({ servers: arena.servers, database: database.name });
  const { connections, expected } = await findConnections(arena, subject, database, size);
  return { subject, database, connections, expected, setting: `${connections} connections` };
}

/** Starts the peer and finds its best pool and number of connections. */
export async function readyPeer(arena: IngestArena, size: number): Promise<Ready> {
  const database = await arena.newDatabase("peer");
  const { servers, options } = arena;
  const start = (pool: number): Promise<Subject> =>
    startPeer({ servers, database: database.name, connections: pool });
  const pools = options.probeSeconds === 0 ? PEER_POOLS.slice(0, 1) : PEER_POOLS;
  const { best: pool } = await findBest(pools, async (candidate) => {
    const subject = await start(candidate);
    try {
      const [connections = 16] = candidatesFor(arena, size);
      return await probe(arena, subject, database, size, connections);
    } finally {
      await subject.stop();
    }
  });
  const subject = await start(pool);
  const { connections, expected } = await findConnections(arena, subject, database, size);
  return { subject, database, connections, expected, setting: `${connections} connections, pool of ${pool}` };
}

/** The peer as a cluster of two processes, which have the usual pool between them. */
export async function readyCluster(arena: IngestArena, size: number, connections: number): Promise<Ready> {
  const database = await arena.newDatabase("cluster");
  const { servers } = arena;
  const subject = await startPeer({ servers, database: database.name, connections: 4, processes: 2 });
  const setting = `${connections} connections, two processes with a pool of 4`;
  return { subject, database, connections, expected: firstGuess(arena, size), setting };
}

function candidatesFor(arena: IngestArena, size: number): readonly number[] {
  const { connections } = arena.options;
  if (connections > 0) return [connections];
  const all = CONNECTIONS[size] ?? OTHER_CONNECTIONS;
  return arena.options.probeSeconds === 0 ? all.slice(0, 1) : all;
}

async function findConnections(arena: IngestArena, subject: Subject, database: Database, size: number) {
  const candidates = candidatesFor(arena, size).toSorted((a, b) => a - b);
  let highest = 0;
  const { best, score } = await findBest(candidates, async (connections) => {
    const rate = await probe(arena, subject, database, size, connections, highest || undefined);
    highest = Math.max(highest, rate);
    return rate;
  });
  return { connections: best, expected: score ?? firstGuess(arena, size) };
}

function firstGuess(arena: IngestArena, size: number): number {
  return (FIRST_GUESS[size] ?? 60_000) * arena.options.abundance;
}

async function probe(
  arena: IngestArena,
  subject: Subject,
  database: Database,
  size: number,
  connections: number,
  expected = firstGuess(arena, size),
): Promise<number> {
  const { measured } = await arena.closedLoop(subject, database, {
    size,
    connections,
    expectedPerSecond: expected / size,
    seconds: arena.options.probeSeconds,
    warmUpSeconds: PROBE_WARM_UP_SECONDS,
  });
  return measured.eventsPerSecond;
}

/** One measured run at the setting that was found. */
export function runAtBest(arena: Arena, ready: Ready, size: number, repetition: number): Promise<RunResult> {
  const { subject, database, connections, expected } = ready;
  const { seconds, warmUpSeconds } = arena.options;
  return arena.closedLoop(subject, database, {
    size,
    connections,
    expectedPerSecond: expected / size,
    seconds,
    warmUpSeconds,
    run: FIRST_RUN.repetitions + repetition,
  });
}

/** The ceiling at its best: rows of a batch and connections. */
export interface ReadyCeiling {
  readonly database: Database;
  readonly rows: number;
  readonly connections: number;
  /** As in `Ready`. */
  readonly expected: number;
}

const CEILING_ROWS_PER_SECOND = 180_000;

export async function readyCeiling(arena: IngestArena): Promise<ReadyCeiling> {
  const database = await arena.newDatabase("ceiling");
  const guess = CEILING_ROWS_PER_SECOND * arena.options.abundance;
  if (arena.options.probeSeconds === 0) return { database, rows: 2000, connections: 2, expected: guess };
  const score = async (rows: number, connections: number): Promise<number> => {
    const measured = await arena.ceiling(database, {
      rows,
      connections,
      rowsPerSecond: guess,
      seconds: arena.options.probeSeconds,
      warmUpSeconds: PROBE_WARM_UP_SECONDS,
    });
    return measured.eventsPerSecond;
  };
  const { best: connections } = await findBest([2, 1, 3, 4], (candidate) => score(2000, candidate));
  const { best: rows, score: expected = guess } = await findBest([2000, 1000, 5000], (candidate) =>
    score(candidate, connections),
  );
  return { database, rows, connections, expected };
}

export function runCeiling(arena: IngestArena, ready: ReadyCeiling, repetition: number): Promise<Measured> {
  const { database, rows, connections, expected } = ready;
  const { seconds, warmUpSeconds } = arena.options;
  return arena.ceiling(database, {
    rows,
    connections,
    rowsPerSecond: expected,
    seconds,
    warmUpSeconds,
    run: FIRST_RUN.repetitions + repetition,
  });
}
