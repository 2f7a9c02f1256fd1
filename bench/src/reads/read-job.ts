import type { TimelineFigures } from "../timeline.ts";
import type { ReadRoute } from "./read-plan.ts";
import type { StoredSpec } from "./stored.ts";

/** What a load process is told to do: closed loop, each connection asks when it has its answer. */
export interface ReadJob {
  readonly spec: StoredSpec;
  readonly route: ReadRoute;
  readonly url: string;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface ReadResult {
  readonly figures: TimelineFigures;
  /** Answers of the whole run, warm-up included, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that ended without an answer. */
  readonly unanswered: number;
  /** Answers whose status is not that of what they were asked for: 200 for a record that is there, else 404. */
  readonly wrongStatuses: number;
  /** Bodies that were compared in full with what is stored. */
  readonly compared: number;
  /** Up to three of those that differ. */
  readonly wrongBodies: readonly string[];
  readonly wrongBodyCount: number;
  /** SHA-256 of all bodies sent: runs with the same one asked the same. */
  readonly workloadHash: string;
}
