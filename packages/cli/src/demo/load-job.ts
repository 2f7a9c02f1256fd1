import type { LoadWorld } from "./load-plan.ts";

/** What the load's process is told to do. */
export interface LoadJob extends LoadWorld {
  readonly publisherUrl: string;
  /** A write token. */
  readonly token: string;
  readonly platformUrl: string;
  /** The platform's, by which the shop's payments are sent. */
  readonly platformToken: string;
  readonly retailerId: string;
  readonly seconds: number;
}

/** How it goes, five times a second. */
export interface LoadSample {
  /** Since the load began. */
  readonly seconds: number;
  /** Events whose commit has been answered, since it began. */
  readonly committed: number;
  /** How long the oldest event without an answer has waited. */
  readonly lagMs: number;
  /** Of the events that were answered within this second, at its end. Undefined before, and if there were none. */
  readonly times?: { readonly p50Ms: number; readonly p99Ms: number } | undefined;
  /** It is the last of its second. */
  readonly endsSecond: boolean;
}

/** What was sent and what was answered, when everything is. */
export interface LoadResult {
  /** How much of the plan was sent. */
  readonly blocks: number;
  readonly sent: number;
  /** Answered as committed. */
  readonly committed: number;
  /** Answered 202: durable in the stream, and committed later. */
  readonly accepted: number;
  /** Answered as refused: there must be none. */
  readonly rejected: number;
  /** Payments of the shop that the platform took. */
  readonly payments: number;
  /** Requests that failed and were sent again. */
  readonly retries: number;
  readonly longestPauseMs: number;
}

export type FromLoad =
  | { readonly kind: "sample"; readonly sample: LoadSample }
  | { readonly kind: "done"; readonly result: LoadResult }
  | { readonly kind: "failed"; readonly message: string };
