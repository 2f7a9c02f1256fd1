import type { Sql } from "#postgres";
import { eventTable } from "#publisher-db";

/** Somebody else made a row since it was looked for: the caller's decision is out of date, and is to be made anew. */
export class ConcurrentWriteError extends Error {
  readonly code = "concurrent_write";
}

/**
 * Writes transactions as they were decided. Runs in the transaction in which `loadTransactions` locked the rows that
 * existed.
 * @param created rows that were not there
 * @param updated likewise, rows that are locked
 * @throws ConcurrentWriteError when a row of `created` exists by now
 */
export async function writeTransactions(sql: Sql, created: string, updated: string): Promise<void> {
  if (created !== "[]") await insertDecided(sql, created);
  if (updated !== "[]") await updateDecided(sql, updated);
}

async function insertDecided(sql: Sql, created: string): Promise<void> {
  const [inserted] = await sql<{ wanted: number; made: number }[]>`
    with input as materialized (select * from ${eventTable(sql, created)}),
    made as (
      insert into transactions (
        authed_at, organisation_id, id, amount, cleared_at, reverted_at, member_id, external_id, state,
        network, merchant_id, identifier_6, identifier_8, statement_descriptor, currency
      )
      select
        i.authed_at, i.organisation_id, i.id, i.amount, i.cleared_at, i.reverted_at, i.member_id,
        i.external_id, i.state, i.network, i.merchant_id, i.identifier_6, i.identifier_8, i.statement_descriptor,
        i.currency
      from input i
      order by i.organisation_id, i.external_id collate "C"
      on conflict (organisation_id, external_id) do nothing
      returning 1
    )
    select (select count(*) from input)::int as wanted, (select count(*) from made)::int as made
  `;
  if (inserted?.wanted !== inserted?.made) throw new ConcurrentWriteError("a transaction appeared meanwhile");
}

async function updateDecided(sql: Sql, updated: string): Promise<void> {
  await sql`
    update transactions t set
      updated_at = now(), state = i.state, amount = i.amount, currency = i.currency,
      statement_descriptor = i.statement_descriptor, cleared_at = i.cleared_at, reverted_at = i.reverted_at,
      identifier_8 = i.identifier_8,
      -- The rows are locked, on which the order rests (migration 0016).
      settled_order = case when t.state = 'authorized' and i.state <> 'authorized'
        then nextval('transactions_settled_order') else t.settled_order end
    from ${eventTable(sql, updated)}
    where t.organisation_id = i.organisation_id and t.external_id = i.external_id
  `;
}
