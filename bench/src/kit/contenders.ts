import type { Subject } from "./subjects.ts";
import { findBest } from "./timeline.ts";

export type ContenderName = "stampede" | "peer" | "outbox";

/** Connections of the peer to Postgres; Stampede has its own setting. */
const PEER_POOLS = [8, 4, 6];

interface Tuning {
  readonly contender: ContenderName;
  /** Starts it; the pool is for the peer. */
  start(pool: number): Promise<Subject>;
  /** The connections of the load to try. The first is taken if none is tried. */
  readonly connections: readonly number[];
  /** Whether to try several. */
  readonly tries: boolean;
  /** Its rate with this many connections. */
  probe(subject: Subject, connections: number): Promise<number>;
}

/** A running contender with its best setting. */
export interface Tuned {
  readonly subject: Subject;
  readonly connections: number;
  /** The best setting, such as "64 connections". */
  readonly setting: string;
  /** Its rate with that setting; undefined if nothing was tried. */
  readonly score: number | undefined;
}

/** Starts a contender with its best pool, and finds the number of connections at which it is fastest. */
export async function tune({ contender, start, connections, tries, probe }: Tuning): Promise<Tuned> {
  const isPeer = contender !== "stampede";
  const usual = connections[0] as number;
  const pools = isPeer && tries ? PEER_POOLS : PEER_POOLS.slice(0, 1);
  const { best: pool } = await findBest(pools, async (candidate) => {
    const subject = await start(candidate);
    try {
      return await probe(subject, usual);
    } finally {
      await subject.stop();
    }
  });
  const subject = await start(pool);
  const candidates = tries ? connections.toSorted((a, b) => a - b) : [usual];
  const { best, score } = await findBest(candidates, (candidate) => probe(subject, candidate));
  const setting = `${best} connections${isPeer ? `, pool of ${pool}` : ""}`;
  return { subject, connections: best, setting, score };
}

/**
 * Repetitions of all of them in turn (A B C A B C), so that a slow minute of the machine affects all of them.
 */
export async function inTurn<One, Run>(
  all: readonly One[],
  repetitions: number,
  say: (progress: string) => void,
  run: (one: One, repetition: number) => Promise<Run>,
): Promise<Run[][]> {
  const runs = all.map((): Run[] => []);
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    say(`${repetition} of ${repetitions}`);
    for (const [at, one] of all.entries()) runs[at]?.push(await run(one, repetition));
  }
  return runs;
}
