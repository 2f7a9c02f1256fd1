/**
 * What the Live page is told (`POST api/live`). The page compiles against these types, so nothing here needs Node.
 */

/** A value for each sample; null where nobody knows it. */
export type Column = readonly (number | null)[];

/**
 * - ready: all that is known of it works. - not ready: some of it does not; `notes` say what.
 * - down: nothing of it answers. - not asked: none of the addresses was ever one of its processes.
 */
export type LiveHopState = "ready" | "not ready" | "down" | "not asked";

export interface LiveProcess {
  /** Its address; in the all-in-one start the name of the service. */
  readonly id: string;
  /** down: it does not answer, so nobody knows what it does. */
  readonly state: "ready" | "not ready" | "down";
  /** Partitions that it reads. */
  readonly partitions: readonly number[];
}

export interface LiveStream {
  readonly name: string;
  /** From 0 to 1; null where it is not known. */
  readonly fill: number | null;
  /** NATS says that there is no such stream. */
  readonly missing: boolean;
}

/** The numbers of a hop that charts are drawn of: all that is kept of each sample. */
export interface HopNumbers {
  /** How much it does in a second (`LiveHop.unit`). */
  readonly perSecond: number | null;
  readonly p99Seconds: number | null;
  /** How much waits for it (`LiveHop.waiting`). */
  readonly lag: number | null;
  /** Age of the oldest that waits; 0 if nothing does. */
  readonly oldestSeconds: number | null;
}

export interface LiveHop extends HopNumbers {
  readonly name: string;
  readonly state: LiveHopState;
  readonly errorsPerSecond: number | null;
  readonly unit: string;
  readonly waiting: string;
  /** What the p99 is of. */
  readonly timed: string;
  readonly processes: readonly LiveProcess[];
  /** How many partitions no process reads. */
  readonly unowned: number;
  readonly streams: readonly LiveStream[];
  /** How far back its streams can be read again, and what is read again now: sentences. */
  readonly replays: readonly string[];
  readonly notes: readonly string[];
}

/** One sample in full. */
export interface LiveState {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** In the order in which a transaction passes them. */
  readonly hops: readonly LiveHop[];
  readonly requestsPerSecond: number | null;
  /** Requests answered with 503 in a second, of which nothing was accepted. */
  readonly refusedPerSecond: number | null;
  /** Addresses that do not answer, and why. */
  readonly silent: ReadonlyArray<{ readonly url: string; readonly reason: string }>;
  /** Why the streams could not be read; then what waits is as the processes last told it. */
  readonly streamsProblem: string | null;
}

export type HopColumns = { readonly [K in keyof HopNumbers]: Column } & { readonly name: string };

export interface LiveAnswer {
  /** When each of the samples was taken, oldest first: those that are newer than what was asked for. */
  readonly at: readonly number[];
  readonly refusedPerSecond: Column;
  readonly hops: readonly HopColumns[];
  /** The newest sample; null before the first. */
  readonly now: LiveState | null;
}
