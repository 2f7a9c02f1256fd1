import { RequestError } from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";

/** The server says at once that nobody listens. Who listens does not answer to the request itself. */
const LISTENER_MS = 1_000;

/** Receives core NATS messages on a subject of this process's own. Returns the function that ends it. */
export function subscribeReplies(
  stream: Stream,
  subject: string,
  receive: (data: Uint8Array) => void,
): () => void {
  const subscription = stream.nats.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) receive(message.data);
    },
  });
  return () => subscription.unsubscribe();
}

/**
 * Sends a message to one process, and says whether anybody heard it, as far as the server knows. True also where the server
 * says nothing.
 */
export async function hasListener(stream: Stream, subject: string, payload: string): Promise<boolean> {
  try {
    await stream.nats.request(subject, payload, { timeout: LISTENER_MS });
    return true;
  } catch (error) {
    return !(error instanceof RequestError && error.isNoResponders());
  }
}

/** Sends a message to one process, on the subject that it named. If that is gone, the message is lost. */
export function sendReply(stream: Stream, subject: string, payload: string): void {
  stream.nats.publish(subject, payload);
}
