import type { Stream } from "./connect.ts";

/**
 * After this many milliseconds without a connection other processes should have the partitions. A server that
 * is started again, or another node of a cluster, is there sooner.
 */
const PATIENCE_MS = 10_000;

/**
 * Makes a function that says whether this process has been cut off from NATS for so long. Its locks are in
 * PostgreSQL, which it may still reach: it would keep its partitions and read none of them.
 */
export function watchCutOff(
  stream: Pick<Stream, "connected">,
  now: () => number = () => performance.now(),
): () => boolean {
  let since: number | undefined;
  return () => {
    since = stream.connected() ? undefined : (since ?? now());
    return since !== undefined && now() - since >= PATIENCE_MS;
  };
}
