import type { Store } from "#postgres";

/** Who waits for longer goes on: ingest may be away for good. What comes too early then is kept (`early-outcomes.ts`). */
const PATIENCE_MS = 600_000;

/**
 * Makes a function that throws while ingest has not applied what its streams held when this database server was started. After a
 * restore, outcomes and settlements are read again that are about transactions which ingest is still applying again: taken
 * earlier, they would find nothing to settle, and stamps would come in another order.
 */
export function awaitIngest(store: Store, partitions: number): () => Promise<void> {
  let since: number | undefined;
  return async () => {
    const [behind] = await store<{ partition: number }[]>`
      select partition from ingest_positions
      where partition < ${partitions}
        and (server_started is distinct from pg_postmaster_start_time() or applied < replay_through)
      limit 1`;
    since ??= performance.now();
    if (behind === undefined || performance.now() - since > PATIENCE_MS) return;
    throw new Error(
      `ingest has still to apply what its stream ${behind.partition} held when PostgreSQL was started`,
    );
  };
}
