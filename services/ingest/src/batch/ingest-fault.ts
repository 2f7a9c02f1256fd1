import { FLOW } from "#contract";
import { PublishError, STREAM_FAULTS, streamFaultOf } from "#nats";
import { DATABASE_FAULTS, databaseFaultOf } from "#postgres";

/** Why a batch is tried again. */
export const FAULTS = [...STREAM_FAULTS, ...DATABASE_FAULTS] as const;
export type Fault = (typeof FAULTS)[number];

export function faultOf(error: unknown): Fault {
  return streamFaultOf(error) ?? databaseFaultOf(error);
}

/**
 * The outside causes that hold a batch up. platform_tx_full, settlement_full: a stream has no room for the
 * batch's messages, because the platform or rewards is behind. stream: NATS refuses them for another reason.
 * database: Postgres does not answer, or another transaction was in the way.
 */
export const BACKPRESSURE_REASONS = ["platform_tx_full", "settlement_full", "stream", "database"] as const;
export type BackpressureReason = (typeof BACKPRESSURE_REASONS)[number];

/** undefined: the cause is inside ingest. */
export function backpressureOf(error: unknown): BackpressureReason | undefined {
  const fault = faultOf(error);
  if (fault === "database_unavailable" || fault === "database_conflict") return "database";
  if (fault === "stream_full" && error instanceof PublishError) {
    if (error.subject.includes(`${FLOW.platformTransactions.subject}.`)) return "platform_tx_full";
    if (error.subject.includes(`${FLOW.settlement.subject}.`)) return "settlement_full";
  }
  return fault === "stream_full" || fault === "stream_unavailable" ? "stream" : undefined;
}
