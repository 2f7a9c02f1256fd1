import type { Stream } from "./connect.ts";

/**
 * Tells everybody who listens that there is work for them. Nobody answers, and it may get lost: whoever listens looks by
 * itself too. It never fails, since it follows a commit that stands.
 */
export function kick(stream: Stream, subject: string): void {
  // What the client is given while it has no connection would arrive late, all of it at once.
  if (stream.connected()) stream.nats.publish(stream.prefix + subject);
}

/** Calls `handle` for every kick. Returns the function that ends it. */
export function onKick(stream: Stream, subject: string, handle: () => void): () => void {
  const subscription = stream.nats.subscribe(stream.prefix + subject, {
    callback: (error) => {
      if (error === null) handle();
    },
  });
  return () => subscription.unsubscribe();
}
