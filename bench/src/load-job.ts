import type { Measured } from "./tally.ts";
import type { WorkloadSpec } from "./workload.ts";

/** What a load process is told to do. Fully determined by it: the parent knows every byte that was sent. */
export interface LoadJob {
  readonly spec: WorkloadSpec;
  readonly members: number;
  readonly url: string;
  /** `prefer: respond-async`. */
  readonly async: boolean;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Each lane is a connection that sends its next request when the one before is answered. */
export interface ClosedLoopJob extends LoadJob {
  readonly mode: "closed";
}

/** Requests leave on schedule, whatever the answers do. */
export interface OpenLoopJob extends LoadJob {
  readonly mode: "open";
  readonly requestsPerSecond: number;
  /** Connections at most; what finds none free waits for one, and its latency runs from the scheduled moment. */
  readonly connections: number;
}

export interface LoadResult {
  readonly measured: Measured;
  /** Fate of every request, lane after lane: bits of `tally.ts`, 0 where it was never sent. */
  readonly fates: Uint8Array;
  /** `Date.now()` when the measured time began. */
  readonly startedAtMs: number;
  /** Requests sent in the measured time, each second. */
  readonly offeredPerSecond: number;
  /** SHA-256 of the first body of each lane: runs with the same one got the same data. */
  readonly workloadHash: string;
}
