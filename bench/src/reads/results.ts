import type { Usage } from "../usage.ts";
import type { ReadContender } from "./options.ts";
import type { ReadResult } from "./read-job.ts";
import type { ReadRoute } from "./read-plan.ts";

/** One run of load. */
export type ReadRun = ReadResult & { readonly usage: Usage };

/** One contender on one route. */
export interface ReadsMeasured {
  readonly route: ReadRoute;
  readonly contender: ReadContender;
  /** What was found to be best, such as "64 connections". */
  readonly setting: string;
  /** Medians over the repetitions. */
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly repetitions: readonly number[];
  /** The median repetition, whole. */
  readonly run: ReadRun;
}

export interface ReadsResults {
  readonly measured: ReadsMeasured[];
  readonly verified: { answers: number; compared: number; faults: string[] };
}

export function findMeasured(
  { measured }: ReadsResults,
  route: ReadRoute,
  contender: ReadContender,
): ReadsMeasured | undefined {
  return measured.find((one) => one.route === route && one.contender === contender);
}

/** Attempts and warm-ups count here too: every answer of a contender is held to what is stored. */
export function verifyRun(results: ReadsResults, contender: ReadContender, run: ReadResult): void {
  const { verified } = results;
  for (const count of Object.values(run.statuses)) verified.answers += count;
  verified.compared += run.compared;
  const add = (count: number, what: string): void => {
    if (count > 0) verified.faults.push(`${contender}: ${count} ${what}`);
  };
  add(run.unanswered, "requests without an answer");
  add(run.wrongStatuses, "answers with a wrong status");
  add(run.wrongBodyCount, `answers that differ from what is stored: ${run.wrongBodies.join(" | ")}`);
}
