import { type ContenderName, tune } from "../kit/contenders.ts";
import { type Subject, startPeer, startStampede } from "../kit/subjects.ts";
import { findBest } from "../kit/timeline.ts";
import { type Arena, type Database, FIRST_RUN, type RunResult } from "./arena.ts";
import { CLIENT_SIZE, type IngestOptions } from "./options.ts";
import type { Measured } from "./tally.ts";

export type IngestArena = Arena<IngestOptions>;

/** A contender with its best setting for one request size. */
export interface Ready {
  readonly subject: Subject;
  readonly database: Database;
  readonly connections: number;
  readonly setting: string;
  /** The expected events a second, for the number of requests to prepare. */
  readonly expected: number;
}

/** The connections to try, by request size. `--quick` takes the first. */
const CONNECTIONS: Readonly<Record<number, readonly number[]>> = {
  500: [16, 8, 32],
  50: [64, 32, 128],
  1: [128, 256, 512, 1024],
};
const OTHER_CONNECTIONS = [32, 8, 128];
/** Events a second to prepare for before any measurement, by request size; generous. */
const FIRST_GUESS: Readonly<Record<number, number>> = { 500: 80_000, 50: 60_000, 1: 16_000 };
const PROBE_WARM_UP_SECONDS = 0.7;

/** Starts a contender and finds its best setting. */
export async function readyContender(
  arena: IngestArena,
  contender: ContenderName,
  size: number,
): Promise<Ready> {
  const database = await arena.newDatabase(contender);
  const where = { servers: arena.servers, database: database.name };
  const { probeSeconds, connections } = arena.options;
  let highest = 0;
  const { score, ...tuned } = await tune({
    contender,
    start: (pool) =>
      contender === "stampede"
        ? startStampede(where)
        : startPeer({ ...where, connections: pool, hasOutbox: contender === "outbox" }),
    connections: connections > 0 ? [connections] : (CONNECTIONS[size] ?? OTHER_CONNECTIONS),
    tries: probeSeconds > 0,
    async probe(subject, candidate) {
      const { measured } = await arena.closedLoop(subject, database, {
        ...{ size, connections: candidate },
        expectedPerSecond: (highest || firstGuess(arena, size)) / size,
        ...{ seconds: probeSeconds, warmUpSeconds: PROBE_WARM_UP_SECONDS },
      });
      highest = Math.max(highest, measured.eventsPerSecond);
      return measured.eventsPerSecond;
    },
  });
  return { ...tuned, database, expected: score ?? firstGuess(arena, size) };
}

/** The peer as a cluster of two processes, which share the usual pool. */
export async function readyCluster(arena: IngestArena, size: number, connections: number): Promise<Ready> {
  const database = await arena.newDatabase("cluster");
  const { servers } = arena;
  const subject = await startPeer({ servers, database: database.name, connections: 4, processes: 2 });
  const setting = `${connections} connections, two processes with a pool of 4`;
  return { subject, database, connections, expected: firstGuess(arena, size), setting };
}

function firstGuess(arena: IngestArena, size: number): number {
  return (FIRST_GUESS[size] ?? 60_000) * arena.options.abundance;
}

/**
 * A contender may do this much more than with autocannon, which takes a share of the machine that wrk leaves
 * free.
 */
const WRK_SPARE = 2;

/** One of the runs with wrk, over the number of connections that was best with autocannon. */
export function runWithWrk(arena: Arena, ready: Ready, size: number, repetition: number): Promise<RunResult> {
  const { subject, database, connections, expected } = ready;
  const { seconds, warmUpSeconds } = arena.options;
  return arena.closedLoop(subject, database, {
    ...{ size, connections, seconds, warmUpSeconds },
    generator: "wrk",
    expectedPerSecond: (WRK_SPARE * expected) / size,
    run: FIRST_RUN.wrk + repetition,
  });
}

/**
 * One of the runs with the streaming client, and one with autocannon, over as many open requests as
 * connections: the same load, by each generator. Each makes its own transactions, later ones each time.
 */
export function runBesideClient(
  arena: Arena,
  ready: Ready,
  generator: "autocannon" | "client",
  repetition: number,
): Promise<RunResult> {
  const { subject, database, connections, expected } = ready;
  const { seconds, warmUpSeconds } = arena.options;
  return arena.closedLoop(subject, database, {
    ...{ size: CLIENT_SIZE, connections, seconds, warmUpSeconds, generator },
    expectedPerSecond: expected / CLIENT_SIZE,
    run: FIRST_RUN.client + 2 * repetition + (generator === "client" ? 1 : 0),
  });
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
  /** Like in `Ready`. */
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
