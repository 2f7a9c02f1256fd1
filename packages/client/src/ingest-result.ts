import type { Answer } from "./api-types.ts";
import type { IgnoredEvent, RejectedEvent, TransactionAccepted } from "./generated/publisher-api.ts";
import type { StampedeError } from "./stampede-error.ts";

/** All events are applied and committed. */
export type IngestProcessed = Extract<Answer<"transaction/ingest">, { status: "processed" }> & OutcomeLetters;

/** What became of each event, where `outcomes` asked for it. */
interface OutcomeLetters {
  /** One letter an event, in the order given: `c` created, `u` updated, `n` unchanged, `r` rejected. */
  readonly outcomes?: string;
}

/** The listed events were refused, all others (`accepted`) are applied and committed. */
export interface IngestRejected extends OutcomeLetters {
  readonly status: "rejected";
  readonly accepted: number;
  readonly rejected: readonly RejectedEvent[];
  /** The first of the events with ignored fields, and how many there are. Absent if there are none. */
  readonly ignored?: readonly IgnoredEvent[];
  readonly ignored_total?: number;
  /** Names the request in the service's log. */
  readonly trace_id: string | undefined;
}

/**
 * What became of the events of one request.
 *
 * - `processed`: all of them are applied and committed.
 * - `accepted`: all of them are stored durably and will be applied; the answer did not wait for the outcome.
 * - `rejected`: the listed ones were refused, all others (`accepted`) are applied and committed.
 */
export type IngestResult = IngestProcessed | TransactionAccepted | IngestRejected;

/**
 * The result that a refusal carries; undefined if the service refused the whole request, not some of its
 * events.
 */
export function toIngestResult(error: StampedeError): IngestRejected | undefined {
  const { rejected, accepted, ignored, ignored_total, outcomes } = error.data;
  if (!Array.isArray(rejected) || typeof accepted !== "number") return undefined;
  return {
    status: "rejected",
    accepted,
    rejected: rejected as RejectedEvent[],
    ...(Array.isArray(ignored) && {
      ignored: ignored as IgnoredEvent[],
      ignored_total: Number(ignored_total),
    }),
    ...(typeof outcomes === "string" && { outcomes }),
    trace_id: error.traceId,
  };
}
