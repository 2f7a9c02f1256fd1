import type { RejectedEvent } from "#contract";
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
      /** Names the request in the service's log. */
      readonly trace_id: string | undefined;
    };

/** The result that a refusal stands for; undefined when the whole request was refused, not some of its events. */
export function toIngestResult(error: StampedeError): IngestResult | undefined {
  const { rejected, accepted } = error.data;
  if (!Array.isArray(rejected) || typeof accepted !== "number") return undefined;
  return {
    status: "rejected",
    accepted,
    rejected: rejected as RejectedEvent[],
    trace_id: error.traceId,
  };
}
