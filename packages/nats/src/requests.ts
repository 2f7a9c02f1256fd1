import { RequestError, TimeoutError } from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";

/**
 * Answers core NATS requests; of all processes that do so, one gets each. `answer` undefined, or failing: the asker hears
 * nothing and gives up at its time-out. Returns the function that ends it: nothing new comes, and what is under way is
 * answered before it resolves.
 */
export function answerRequests(
  stream: Stream,
  subject: string,
  answer: (data: Uint8Array) => Promise<string | undefined>,
): () => Promise<void> {
  const underWay = new Set<Promise<void>>();
  const subscription = stream.nats.subscribe(stream.prefix + subject, {
    queue: subject,
    callback: (error, message) => {
      if (error !== null) return;
      const answering = answer(message.data)
        .then((payload) => {
          if (payload !== undefined) message.respond(payload);
        })
        .catch(() => {})
        .finally(() => underWay.delete(answering));
      underWay.add(answering);
    },
  });
  return async () => {
    subscription.unsubscribe();
    await Promise.all(underWay);
  };
}

/** Asks one of the processes that answer. undefined: there is none, or no answer came in time; it may be at work all the same. */
export async function askOne(
  stream: Stream,
  subject: string,
  payload: string,
  timeoutMs: number,
): Promise<Uint8Array | undefined> {
  // What the client is given while it has no connection gets lost.
  if (!stream.connected()) return undefined;
  try {
    return (await stream.nats.request(stream.prefix + subject, payload, { timeout: timeoutMs })).data;
  } catch (error) {
    if (error instanceof TimeoutError || error instanceof RequestError) return undefined;
    throw error;
  }
}
