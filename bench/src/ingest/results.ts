import type { RunResult } from "./arena.ts";
import type { Contender } from "./options.ts";
import type { Measured } from "./tally.ts";

/** One contender at one request size. */
export interface Throughput {
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
