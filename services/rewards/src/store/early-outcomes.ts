import { NIL_UUID } from "#domain";
import type { Fragment, Sql, Transaction } from "#postgres";

/** Names an outcome. UUIDs. */
export interface EarlyKey {
  readonly transactionId: string;
  readonly targetId: string;
}

/** An outcome whose transaction is not stored, or whose card is full (`LIMITS.pendingRedemptionsPerCard`). */
export interface EarlyOutcome extends EarlyKey {
  /** JSON, as received from the platform. */
  readonly outcome: string;
}

/** The most rows of one statement. */
const PER_STEP = 500;
/** Twice the longest replay window: ingest repeats only messages that the streams still have. */
const KEPT_DAYS = 2;
/** The number of outcomes that one step looks up: some 15 ms, however many wait for their cards. */
const LOOKED_UP = 2_000;
/**
 * Kept outcomes are tried while their card has fewer than this many times the pending redemptions at which new
 * outcomes begin to wait. So they go first: new ones find the card full until none is left.
 */
const KEPT_GO_FIRST = 1.5;

/**
 * Stores outcomes in the database transaction that could not decide them. Their order stays: the next batch of a card begins later
 * than this one by more than the microseconds that number the outcomes here.
 */
export async function keepEarly(sql: Transaction, early: readonly EarlyOutcome[]): Promise<void> {
  if (early.length === 0) return;
  await sql`
    insert into early_outcomes (kept_at, transaction_id, target_id, outcome)
    select now() + place * interval '1 microsecond', transaction_id, target_id, outcome
    from unnest(
      ${early.map(({ transactionId }) => transactionId)}::uuid[], ${early.map(({ targetId }) => targetId)}::uuid[],
      ${early.map(({ outcome }) => outcome)}::text[]
    ) with ordinality as i (transaction_id, target_id, outcome, place)
    order by transaction_id, target_id, place
    on conflict do nothing`.send();
}

/**
 * Outcomes whose transactions are stored now and whose cards have room; a bounded number, the oldest first. Each card is looked up
 * once, and outcomes of full cards cost no look-up: there may be very many.
 */
export async function findArrived(sql: Sql, pendingMax: number): Promise<EarlyOutcome[]> {
  return sql<EarlyOutcome[]>`
    with full_cards as materialized (
      select card.id
      from (select distinct target_id from early_outcomes) e
      cross join lateral (
        select id from stamp_collections
        where id = e.target_id and cardinality(pending_redemptions) >= ${Math.ceil(pendingMax * KEPT_GO_FIRST)}::int
        offset 0
      ) card
    ),
    arrived as materialized (
      select e.*
      from (
        select kept_at, transaction_id, target_id from early_outcomes
        where target_id not in (select id from full_cards)
        order by kept_at, transaction_id
      ) e
      where ${isStored(sql)}
      limit ${PER_STEP}
    )
    select transaction_id as "transactionId", target_id as "targetId", e.outcome
    from arrived join early_outcomes e using (transaction_id, target_id)
    order by arrived.kept_at, transaction_id`;
}

/** Removes outcomes that were handled. */
export async function dropArrived(sql: Sql, arrived: readonly EarlyOutcome[]): Promise<void> {
  if (arrived.length === 0) return;
  await sql`
    delete from early_outcomes e
    using unnest(
      ${arrived.map(({ transactionId }) => transactionId)}::uuid[], ${arrived.map(({ targetId }) => targetId)}::uuid[]
    ) as done (transaction_id, target_id)
    where e.transaction_id = done.transaction_id and e.target_id = done.target_id`;
}

/**
 * Removes outcomes whose transactions will not come, or have left, or whose cards and clips have left. The others wait for room. Looks
 * at a bounded number of them.
 * @param after where the step before ended; undefined: begins again
 * @returns where this one ended; undefined: there are no more
 */
export async function dropOverdue(sql: Sql, after: EarlyKey | undefined): Promise<EarlyKey | undefined> {
  const { transactionId, targetId } = after ?? FIRST;
  const [last] = await sql<EarlyKey[]>`
    with looked_up as materialized (
      select kept_at, transaction_id, target_id from early_outcomes
      where (transaction_id, target_id) > (${transactionId}::uuid, ${targetId}::uuid)
      order by transaction_id, target_id
      limit ${LOOKED_UP}
    ),
    overdue as materialized (
      select transaction_id, target_id from looked_up e
      where kept_at < now() - ${KEPT_DAYS} * interval '1 day' and not ${isStored(sql)}
    ),
    dropped as (
      delete from early_outcomes e using overdue
      where e.transaction_id = overdue.transaction_id and e.target_id = overdue.target_id
    )
    select transaction_id as "transactionId", target_id as "targetId" from looked_up
    order by transaction_id desc, target_id desc
    limit 1`;
  return last;
}

const FIRST: EarlyKey = { transactionId: NIL_UUID, targetId: NIL_UUID };

/** Whether the transaction of an outcome `e` is stored, of the member of its card or clip. */
function isStored(sql: Sql): Fragment {
  return sql`exists (
    select from transactions t
    where t.id = e.transaction_id
      and t.member_id = coalesce(
        (select member_id from stamp_collections where id = e.target_id), (select member_id from clips where id = e.target_id)
      )
    offset 0
  )`;
}
