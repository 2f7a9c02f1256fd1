import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import { RequestError, TimeoutError } from "@nats-io/transport-node";

/** A cluster of NATS has a leader of its own for itself, for each stream and for each consumer. While one is being elected … */
const UNLED_CODES = new Set([
  10008, // … the server knows of nobody to ask,
  10009, // … or was it until just now,
  10118, // … or knows the stream and not where it is,
  10119, // … or the consumer.
]);

/** The cluster has not as many servers, with room, as copies were asked for. */
export const NO_PEERS = 10005;

/** An election takes at most 9 s, and the loser of a tied one starts another. */
const ELECTION_MS = 30_000;
const PAUSE_MS = 250;

/**
 * Whether a question stayed without an answer because nobody leads what it was put to (or the answer got lost). The
 * same error comes from a server without JetStream.
 */
export function isUnled(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof JetStreamApiError) {
    // A server that has just come counts as offline until the leader has heard of it.
    return UNLED_CODES.has(error.code) || (error.code === NO_PEERS && error.message.includes("offline"));
  }
  return isNobodyThere(error);
}

/** Whether nobody listened where a message was sent: nothing took it. */
export function isNobodyThere(error: unknown): boolean {
  // JetStream's client wraps it in an error of its own, "jetstream is not enabled", which need not be true.
  const cause = error instanceof RequestError ? error : (error as Error).cause;
  return cause instanceof RequestError && cause.isNoResponders();
}

/** Asks again while a leader is elected. For work that may be done twice. */
export async function untilLed<T>(ask: () => Promise<T>, patienceMs = ELECTION_MS): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnled(error) || performance.now() > deadline) throw error;
      await delay(PAUSE_MS);
    }
  }
}
