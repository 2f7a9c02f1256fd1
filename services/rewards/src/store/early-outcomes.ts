import type { Sql, Transaction } from "#postgres";

/** An outcome whose transaction is not stored. */
export interface EarlyOutcome {
  /** UUIDs. */
  readonly transactionId: string;
  readonly targetId: string;
  /** JSON, as received from the platform. */
  readonly outcome: string;
}

/** The most rows of one statement. */
const PER_STEP = 500;
/** Twice the longest replay window: ingest repeats only messages that the streams still have. */
const KEPT_DAYS = 2;

/** Stores outcomes in the database transaction that did not find their transactions. */
export async function keepEarly(sql: Transaction, early: readonly EarlyOutcome[]): Promise<void> {
  if (early.length === 0) return;
  await sql`
    insert into early_outcomes (transaction_id, target_id, outcome)
    select transaction_id, target_id, outcome
    from unnest(
      ${early.map(({ transactionId }) => transactionId)}::uuid[], ${early.map(({ targetId }) => targetId)}::uuid[],
      ${early.map(({ outcome }) => outcome)}::text[]
    ) as i (transaction_id, target_id, outcome)
    order by transaction_id, target_id
    on conflict do nothing`.send();
}

/** Outcomes whose transactions are stored now; a bounded number. */
export async function findArrived(sql: Sql): Promise<EarlyOutcome[]> {
  return sql<EarlyOutcome[]>`
    select e.transaction_id as "transactionId", e.target_id as "targetId", e.outcome
    from early_outcomes e
    left join stamp_collections s on s.id = e.target_id
    left join clips c on c.id = e.target_id
    join transactions t on t.member_id = coalesce(s.member_id, c.member_id) and t.id = e.transaction_id
    order by e.kept_at, e.transaction_id
    limit ${PER_STEP}`;
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

/** Removes outcomes whose transactions will not come. @returns how many */
export async function dropOverdue(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from early_outcomes where (transaction_id, target_id) in (
      select transaction_id, target_id from early_outcomes
      where kept_at < now() - ${KEPT_DAYS} * interval '1 day'
      limit ${PER_STEP}
    )
    returning 1`;
  return rows.length;
}
