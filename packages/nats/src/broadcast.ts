import { createInbox } from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";

/** Handles a broadcast, then tells the sender so. Returns the function that ends it. */
export function onBroadcast(stream: Stream, subject: string, handle: () => void): () => void {
  const subscription = stream.nats.subscribe(stream.prefix + subject, {
    callback: (error, message) => {
      if (error !== null) return;
      handle();
      message.respond();
    },
  });
  return () => subscription.unsubscribe();
}

/** Sends to everybody who listens, and waits until `expected` of them have handled it, or for `timeoutMs`. */
export function broadcast(
  stream: Stream,
  subject: string,
  options: { expected: number; timeoutMs: number },
): Promise<{ handled: number }> {
  return new Promise((resolve) => {
    let handled = 0;
    const inbox = createInbox(stream.inboxPrefix);
    const finish = () => {
      clearTimeout(timer);
      answers.unsubscribe();
      resolve({ handled });
    };
    const timer = setTimeout(finish, options.timeoutMs);
    const answers = stream.nats.subscribe(inbox, {
      callback: (error) => {
        // An error here says that nobody listens; whoever was expected may be reconnecting.
        if (error === null && ++handled >= options.expected) finish();
      },
    });
    stream.nats.publish(stream.prefix + subject, undefined, { reply: inbox });
  });
}
