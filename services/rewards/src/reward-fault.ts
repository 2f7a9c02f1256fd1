import { STREAM_FAULTS, streamFaultOf } from "#nats";
import { DATABASE_FAULTS, databaseFaultOf } from "#store";

/** Why a batch is tried again. */
export const FAULTS = [...STREAM_FAULTS, ...DATABASE_FAULTS] as const;

export function faultOf(error: unknown): (typeof FAULTS)[number] {
  return streamFaultOf(error) ?? databaseFaultOf(error);
}
