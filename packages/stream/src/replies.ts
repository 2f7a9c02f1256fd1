import type { Stream } from "./connect.ts";

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

/** Sends the outcome of a message to the process that waits for it. If that is gone, nobody minds. */
export function sendReply(stream: Stream, subject: string, payload: string): void {
  stream.nats.publish(subject, payload);
}
