import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import { PermissionViolationError, RequestError, TimeoutError } from "@nats-io/transport-node";

export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
}

/**
 * The error codes of JetStream while a leader is being elected. A NATS cluster elects a leader for itself,
 * for each stream and for each consumer.
 */
const UNLED_CODES = new Set([
  10008, // the server knows no node to ask
  10009, // the same, if it knew one until just now
  10118, // it knows the stream, but not where it is
  10119, // it knows the consumer, but not where it is
]);

/** The cluster has too few servers with room for the copies. */
export const NO_PEERS = 10005;

/** An election takes at most 9 s, and one that ends in a tie is repeated. */
const ELECTION_MS = 30_000;
const PAUSE_MS = 250;

/**
 * Whether a request got no answer because its target has no leader (or because the answer got lost). A server
 * without JetStream gives the same error.
 */
export function isUnled(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof JetStreamApiError) {
    // A server that has just joined counts as offline until the leader has heard of it.
    return UNLED_CODES.has(error.code) || (error.code === NO_PEERS && error.message.includes("offline"));
  }
  return isNobodyThere(error);
}

/** Whether a message's subject had no listener: so no stream took the message. */
export function isNobodyThere(error: unknown): boolean {
  // JetStream's client wraps the error in its own, "jetstream is not enabled", which may be wrong.
  const cause = error instanceof RequestError ? error : (error as Error).cause;
  return cause instanceof RequestError && cause.isNoResponders();
}

/** Repeats a request while a leader is elected. Only for requests that may be repeated. */
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

/** Whether the server refused the operation to this user, which only an operator can change. */
export function isRefused(error: unknown): boolean {
  return violationIn(error) !== undefined;
}

/**
 * Whether the server reported that it did not accept a message on this subject. A user that may not listen
 * for the acknowledgement may still have published: the client fails all requests under way with that error.
 */
export function isPublishRefused(error: unknown, subject: string): boolean {
  const violation = violationIn(error);
  return violation?.operation === "publish" && violation.subject === subject;
}

/** The refused operation, such as "publish to ingest.0"; undefined for another error. */
export function describeRefusal(error: unknown): string | undefined {
  const violation = violationIn(error);
  if (violation === undefined) return undefined;
  return `${violation.operation === "publish" ? "publish" : "subscribe"} to ${violation.subject}`;
}

function violationIn(error: unknown): PermissionViolationError | undefined {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (fault instanceof PermissionViolationError) return fault;
  }
  return undefined;
}
