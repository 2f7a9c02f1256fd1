import { ExpectedWait, type Fragment, type Store } from "#postgres";

/** After this time without progress of ingest, rewards stops waiting: ingest may be gone for good. */
const INGEST_PATIENCE_MS = 600_000;
/** Rewards itself handles the outcomes: after this time without progress one of them fails, which must not hold up all others. */
const OUTCOMES_PATIENCE_MS = 30_000;
/** After a start of PostgreSQL, the other processes normally take their partitions over and catch up within this time. */
const EXPECTED_MS = 10_000;

/** Why a database is not ready after its server was started. */
interface Behind {
  /** When the server was started. */
  readonly server: string;
  readonly partition: number;
  /** Messages that its stream held at that time and that are not done; null: not counted yet. */
  readonly messages: number | null;
  /** Such messages of all partitions. */
  readonly left: number;
}

/** Throws while the caller has to wait. */
export type AssertReady = () => Promise<void>;

/**
 * Makes a function that throws until ingest has applied the messages that its streams held when this database
 * server was started. After a restore, outcomes and settlements are read again while ingest still applies
 * their transactions again: handled too early, they would find nothing to settle, and stamps would come in
 * another order. Outcomes that still come too early are kept (`early-outcomes.ts`).
 */
export function awaitIngest(store: Store, partitions: number): AssertReady {
  return patiently(
    INGEST_PATIENCE_MS,
    () => findBehind(store, store`ingest_positions where partition < ${partitions}`, store`applied`),
    ({ partition, messages }) =>
      messages === null
        ? `ingest has not taken its partition ${partition} over since PostgreSQL was started`
        : `ingest has still to apply ${messages} messages that its stream ${partition} held when PostgreSQL was started`,
  );
}

/**
 * Makes a function that throws until the outcomes are done that their streams held when this database server was started. After a
 * restore these are decided as of their time (`RewardContext`), and later settlings are left to their settlements. So no
 * settlement is handled before them, nor anything else that applies all settlings.
 * @param assertIngested checked first, because outcomes wait for ingest too: the patience with them begins after it
 */
export function awaitOutcomes(
  store: Store,
  partitions: number,
  hop: string,
  assertIngested: AssertReady,
): AssertReady {
  const assertDone = patiently(
    OUTCOMES_PATIENCE_MS,
    () =>
      findBehind(store, store`stream_places where hop = ${hop} and partition < ${partitions}`, store`done`),
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
 * The partition that is furthest behind; undefined if none is.
 * @param rows a table and the condition for its rows
 * @param done its column that says how far a partition has got
 */
async function findBehind(store: Store, rows: Fragment, done: Fragment): Promise<Behind | undefined> {
  const [behind] = await store<Behind[]>`
    select pg_postmaster_start_time()::text as server, partition,
           case when server_started = pg_postmaster_start_time() then replay_through - ${done} end as messages,
           sum(greatest(replay_through - ${done}, 0)) over ()::float8 as left
    from ${rows}
      and (server_started is distinct from pg_postmaster_start_time() or ${done} < replay_through)
    order by messages desc nulls last
    limit 1`;
  return behind;
}

/**
 * Until the other processes have reported, it is not known whether the database was restored. So every start waits, and the first
 * seconds are no reason to warn.
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
