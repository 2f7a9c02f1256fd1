import { ExpectedWait, type Store } from "#postgres";

/** Who waits for longer goes on: ingest may be away for good. What comes too early then is kept (`early-outcomes.ts`). */
const PATIENCE_MS = 600_000;
/** After every start of PostgreSQL, ingest takes its partitions over and applies what came meanwhile: by then it has, as a rule. */
const EXPECTED_MS = 10_000;

/**
 * Makes a function that throws while ingest has not applied what its streams held when this database server was started. After a
 * restore, outcomes and settlements are read again that are about transactions which ingest is still applying again: taken
 * earlier, they would find nothing to settle, and stamps would come in another order.
 *
 * That nothing was restored is not known either before ingest has said what it found. So one wait is as long as the other, and
 * the first seconds of it are no cause to warn.
 */
export function awaitIngest(store: Store, partitions: number): () => Promise<void> {
  let waiting = { server: "", since: 0 };
  return async () => {
    const [behind] = await store<{ server: string; partition: number; messages: number | null }[]>`
      select pg_postmaster_start_time()::text as server, partition,
             case when server_started = pg_postmaster_start_time() then replay_through - applied end as messages
      from ingest_positions
      where partition < ${partitions}
        and (server_started is distinct from pg_postmaster_start_time() or applied < replay_through)
      order by messages desc nulls last
      limit 1`;
    if (behind === undefined) return;
    const { server, partition, messages } = behind;
    if (waiting.server !== server) waiting = { server, since: performance.now() };
    const waitedMs = performance.now() - waiting.since;
    if (waitedMs > PATIENCE_MS) return;
    const what =
      messages === null
        ? `ingest has not taken its partition ${partition} over since PostgreSQL was started`
        : `ingest has still to apply ${messages} messages that its stream ${partition} held when PostgreSQL was started`;
    throw waitedMs < EXPECTED_MS ? new ExpectedWait(what) : new Error(what);
  };
}
