import { JetStreamApiError } from "@nats-io/jetstream";
import { PublishError } from "./publish.ts";

/** stream_full: a stream took no more. stream_unavailable: it did not answer, or said no for another reason. */
export const STREAM_FAULTS = ["stream_full", "stream_unavailable"] as const;
export type StreamFault = (typeof STREAM_FAULTS)[number];

/** Which fault of the stream an error is; undefined: it is none. */
export function streamFaultOf(error: unknown): StreamFault | undefined {
  if (error instanceof PublishError) return error.isFull ? "stream_full" : "stream_unavailable";
  return error instanceof JetStreamApiError ? "stream_unavailable" : undefined;
}
