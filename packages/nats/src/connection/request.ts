import { JetStreamApiError } from "@nats-io/jetstream";
import type { Stream } from "./connect.ts";
import { DisconnectedError, isUnled } from "./nats-errors.ts";

/**
 * How long a request waits for the connection to come back. The client loses everything it is given without a
 * connection, so the answer would never come.
 */
const RECONNECT_TIMEOUT_MS = 5_000;

/** @throws DisconnectedError if the connection is not back in time */
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
 * Rejects as soon as the connection breaks: no answer can come over it any more. Waiting for the time-out (5
 * s) would hold up everything after it, although the server may be back immediately.
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
 * Sends a request to JetStream, and gives up as soon as the connection breaks. Also reports to
 * `ClusterContact`, which watches that this node belongs to its cluster, whether a server answered. A broken
 * connection proves nothing about that; an error as an answer proves that the node does belong.
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
