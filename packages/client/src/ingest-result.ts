import type { IgnoredEvent, RejectedEvent } from "#contract";
import type { Answer } from "./answer.ts";
import type { StampedeError } from "./stampede-error.ts";

/**
 * What became of the events of one request.
 *
 * - `processed`: all of them are applied and committed.
 * - `accepted`: all of them are stored for good and will be applied; nobody waited for the outcome.
 * - `rejected`: those listed were refused, all the others (`accepted`) are applied and committed.
 */
export type IngestResult =
  | Answer<"transaction/ingest">
  | {
      readonly status: "rejected";
      readonly accepted: number;
      readonly rejected: readonly RejectedEvent[];
      /** Events that were applied but for some fields: the first of them, and how many. Not there if there are none. */
      readonly ignored?: readonly IgnoredEvent[];
      readonly ignored_total?: number;
      /** Names the request in the service's log. */
      readonly trace_id: string | undefined;
    };

/** The result that a refusal stands for; undefined when the whole request was refused, not some of its events. */
export function toIngestResult(error: StampedeError): IngestResult | undefined {
  const { rejected, accepted, ignored, ignored_total } = error.data;
  if (!Array.isArray(rejected) || typeof accepted !== "number") return undefined;
  return {
    status: "rejected",
    accepted,
    rejected: rejected as RejectedEvent[],
    ...(Array.isArray(ignored) && { ignored, ignored_total: Number(ignored_total) }),
    trace_id: error.traceId,
  };
}
