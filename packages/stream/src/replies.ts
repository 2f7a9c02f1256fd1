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

/** Sends a message to one process, on the subject that it named. If that is gone, the message is lost. */
export function sendReply(stream: Stream, subject: string, payload: string): void {
  stream.nats.publish(subject, payload);
}
