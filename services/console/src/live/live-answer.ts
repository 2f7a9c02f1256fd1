/** The answer for the Live page (`POST api/live`). The page compiles against these types, without Node. */

/** A value for each sample; null if it is unknown. */
export type Column = readonly (number | null)[];

/**
 * - ready: all its known processes work. - not ready: a process does not, or a partition has no owner; `notes` say which.
 * - down: none of them answers. - not asked: no address ever was one of its processes.
 */
export type LiveHopState = "ready" | "not ready" | "down" | "not asked";

export interface LiveProcess {
  /** Its address; in the all-in-one start the name of the service. */
  readonly id: string;
  /** down: it does not answer. */
  readonly state: "ready" | "not ready" | "down";
  /** The partitions that it reads. */
  readonly partitions: readonly number[];
}

export interface LiveStream {
  readonly name: string;
  /** From 0 to 1; null if it is unknown. */
  readonly fill: number | null;
  /** NATS says that there is no such stream. */
  readonly missing: boolean;
}

/** The numbers of a hop in charts, which are kept of each sample. */
export interface HopNumbers {
  /** Of `LiveHop.unit`. */
  readonly perSecond: number | null;
  readonly p99Seconds: number | null;
  /** How many of `LiveHop.waiting` wait. */
  readonly lag: number | null;
  /** The age of the oldest that waits; 0 if nothing waits. */
  readonly oldestSeconds: number | null;
}

export interface LiveHop extends HopNumbers {
  readonly name: string;
  readonly state: LiveHopState;
  readonly errorsPerSecond: number | null;
  readonly unit: string;
  readonly waiting: string;
  /** What the p99 measures. */
  readonly timed: string;
  readonly processes: readonly LiveProcess[];
  /** The number of partitions that no process reads. */
  readonly unowned: number;
  readonly streams: readonly LiveStream[];
  /** Sentences: how far back its streams can be read again, and which are being read again now. */
  readonly replays: readonly string[];
  readonly notes: readonly string[];
}

/** One sample in full. */
export interface LiveState {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** In the order of a transaction's way. */
  readonly hops: readonly LiveHop[];
  readonly requestsPerSecond: number | null;
  /** Requests that were answered with 503. */
  readonly refusedPerSecond: number | null;
  /** Addresses that do not answer, and why. */
  readonly silent: ReadonlyArray<{ readonly url: string; readonly reason: string }>;
  /** Why the streams could not be read; then lag and age are those that the processes last reported. */
  readonly streamsProblem: string | null;
}

export type HopColumns = { readonly [K in keyof HopNumbers]: Column } & { readonly name: string };

export interface LiveAnswer {
  /** The times of the samples since `since`, oldest first. */
  readonly at: readonly number[];
  readonly refusedPerSecond: Column;
  readonly hops: readonly HopColumns[];
  /** The newest sample; null before the first. */
  readonly now: LiveState | null;
}
