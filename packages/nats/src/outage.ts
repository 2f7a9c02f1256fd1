import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import { RequestError, TimeoutError } from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";

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

class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
}

/** What the client is given while it has no connection gets lost, and its answer would be waited for in vain. */
const RECONNECT_TIMEOUT_MS = 5_000;

/** @throws DisconnectedError when it is not back in time */
export function reconnected(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (how: () => void) => {
      clearTimeout(timer);
      end();
      how();
    };
    const timer = setTimeout(
      () => settle(() => reject(new DisconnectedError("not connected"))),
      RECONNECT_TIMEOUT_MS,
    );
    const end = stream.onConnection((connected) => {
      if (connected) settle(resolve);
    });
  });
}

/**
 * Rejects as soon as the connection breaks: no answer comes over it any more, and waiting for the time-out (5 s) would
 * hold up everything behind it although the server may be back at once.
 */
export function whileConnected<T>(stream: Stream, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = stream.onConnection((connected) => {
      if (!connected) settle(() => reject(new DisconnectedError("the connection broke")));
    });
    const settle = (how: () => void) => {
      end();
      how();
    };
    answer.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}

/**
 * Asks JetStream something, and gives up as soon as the connection breaks. Whether somebody answered is told to whoever
 * watches that this node belongs to its cluster: a broken connection says nothing about that, an error that somebody
 * answered with says that it does.
 */
export async function ask<T>(stream: Stream, question: () => Promise<T>): Promise<T> {
  const askedAt = performance.now();
  try {
    const answer = await whileConnected(stream, question());
    stream.heard();
    return answer;
  } catch (error) {
    if (isUnled(error)) stream.unheard(askedAt);
    else if (error instanceof JetStreamApiError) stream.heard();
    throw error;
  }
}
