import { ExpectedWait, type Store } from "#postgres";

/** After this time without progress of ingest rewards no longer waits for it: ingest may be gone for good. */
const INGEST_PATIENCE_MS = 600_000;
/** Rewards itself has the outcomes: without any progress for so long, one of them fails, which is no reason to hold up all others. */
const OUTCOMES_PATIENCE_MS = 30_000;
/** After every start of PostgreSQL, the others take their partitions over and do what came meanwhile: by then they have, as a rule. */
const EXPECTED_MS = 10_000;

/** Why a database whose server was started lately is not ready yet. */
interface Behind {
  /** When the server was started. */
  readonly server: string;
  readonly partition: number;
  /** Messages that its stream held then and that are not done; null: not counted yet. */
  readonly messages: number | null;
  /** Of all partitions. */
  readonly left: number;
}

/** Throws while something has to be waited for. */
export type AssertReady = () => Promise<void>;

/**
 * Makes a function that throws while ingest has not applied what its streams held when this database server was started. After a
 * restore, outcomes and settlements are read again that are about transactions which ingest is still applying again: taken
 * earlier, they would find nothing to settle, and stamps would come in another order. What comes too early all the same is kept
 * (`early-outcomes.ts`).
 */
export function awaitIngest(store: Store, partitions: number): AssertReady {
  return patiently(
    INGEST_PATIENCE_MS,
    async () => {
      const [behind] = await store<Behind[]>`
        select pg_postmaster_start_time()::text as server, partition,
               case when server_started = pg_postmaster_start_time() then replay_through - applied end as messages,
               sum(greatest(replay_through - applied, 0)) over ()::float8 as left
        from ingest_positions
        where partition < ${partitions}
          and (server_started is distinct from pg_postmaster_start_time() or applied < replay_through)
        order by messages desc nulls last
        limit 1`;
      return behind;
    },
    ({ partition, messages }) =>
      messages === null
        ? `ingest has not taken its partition ${partition} over since PostgreSQL was started`
        : `ingest has still to apply ${messages} messages that its stream ${partition} held when PostgreSQL was started`,
  );
}

/**
 * Makes a function that throws while outcomes are not done that their streams held when this database server was started. After a
 * restore these are decided as of their time (`RewardContext`), and what settled later is left to its settlement. So no settlement is
 * handled before them, nor anything else that applies all that has settled.
 * @param assertIngested outcomes wait for it too: the patience with them begins behind it
 */
export function awaitOutcomes(
  store: Store,
  partitions: number,
  hop: string,
  assertIngested: AssertReady,
): AssertReady {
  const assertDone = patiently(
    OUTCOMES_PATIENCE_MS,
    async () => {
      const [behind] = await store<Behind[]>`
        select pg_postmaster_start_time()::text as server, partition,
               case when server_started = pg_postmaster_start_time() then replay_through - done end as messages,
               sum(greatest(replay_through - done, 0)) over ()::float8 as left
        from stream_places
        where hop = ${hop} and partition < ${partitions}
          and (server_started <> pg_postmaster_start_time() or done < replay_through)
        order by messages desc nulls last
        limit 1`;
      return behind;
    },
    ({ partition, messages }) =>
      messages === null
        ? `since PostgreSQL was started, no process has taken over outcomes of partition ${partition}`
        : `${messages} messages of outcomes are still to be done that stream ${partition} held when PostgreSQL was started`,
  );
  return async () => {
    await assertIngested();
    await assertDone();
  };
}

/**
 * That nothing was restored is not known before the others have said what they found. So one wait is as long as the other, and the
 * first seconds of it are no cause to warn.
 */
function patiently(
  patienceMs: number,
  find: () => Promise<Behind | undefined>,
  describe: (behind: Behind) => string,
): AssertReady {
  let waiting = { server: "", left: 0, beganAt: 0, progressAt: 0 };
  return async () => {
    const behind = await find();
    if (behind === undefined) return;
    const { server, left } = behind;
    const now = performance.now();
    if (waiting.server !== server) waiting = { server, left, beganAt: now, progressAt: now };
    else if (waiting.left !== left) waiting = { ...waiting, left, progressAt: now };
    if (now - waiting.progressAt > patienceMs) return;
    const what = describe(behind);
    throw now - waiting.beganAt < EXPECTED_MS ? new ExpectedWait(what) : new Error(what);
  };
}
