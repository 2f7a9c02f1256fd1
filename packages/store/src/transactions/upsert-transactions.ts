import type { Sql } from "../connect.ts";
import { eventTable } from "./event-row.ts";

export interface AppliedEvent {
  readonly ord: number;
  readonly created: boolean;
}

/**
 * Applies events of distinct transactions in one statement, which decides the lifecycle by itself. It returns the
 * events that changed something; the others are unchanged, forbidden, or without a member, and `loadTransactions`
 * tells which. The `where` and the `case`s restate `applyEvent` of `#domain`; a property test holds them to it.
 *
 * Rows are locked in key order, so that concurrent calls cannot deadlock.
 * @param json a JSON array of `EventRow`, no (organisation_id, external_id) twice
 */
export async function upsertTransactions(sql: Sql, json: string): Promise<AppliedEvent[]> {
  return sql<AppliedEvent[]>`
    with input as materialized (select * from ${eventTable(sql, json)}),
    applied as (
      insert into transactions as t (
        written_by, authed_at, organisation_id, id, amount, cleared_at, reverted_at, member_id, external_id, state,
        network, merchant_id, identifier_6, identifier_8, statement_descriptor, currency
      )
      select
        i.written_by, i.authed_at, i.organisation_id, i.id, i.amount, i.cleared_at, i.reverted_at, i.member_id,
        i.external_id, i.state, i.network, i.merchant_id, i.identifier_6, i.identifier_8, i.statement_descriptor,
        i.currency
      from input i
      join members m on m.id = i.member_id and m.organisation_id = i.organisation_id
      order by i.organisation_id, i.external_id collate "C"
      on conflict (organisation_id, external_id) do update set
        written_by = excluded.written_by,
        updated_at = now(),
        state = case when t.state = 'authorized' then excluded.state else t.state end,
        cleared_at = case when t.state = 'authorized' then excluded.cleared_at else t.cleared_at end,
        reverted_at = case when t.state = 'authorized' then excluded.reverted_at else t.reverted_at end,
        amount = case when t.state = 'authorized' and excluded.state <> 'authorized'
          then coalesce(excluded.amount, t.amount) else coalesce(t.amount, excluded.amount) end,
        currency = case when t.state = 'authorized' and excluded.state <> 'authorized'
          then coalesce(excluded.currency, t.currency) else coalesce(t.currency, excluded.currency) end,
        statement_descriptor = case when t.state = 'authorized' and excluded.state <> 'authorized'
          then coalesce(excluded.statement_descriptor, t.statement_descriptor)
          else coalesce(t.statement_descriptor, excluded.statement_descriptor) end,
        identifier_8 = coalesce(t.identifier_8, excluded.identifier_8)
      where t.member_id = excluded.member_id
        and t.identifier_6 = excluded.identifier_6
        and (
          (t.state = 'authorized' and excluded.state <> 'authorized')
          or (
            excluded.state in ('authorized', t.state)
            and (
              (t.amount is null and excluded.amount is not null)
              or (t.currency is null and excluded.currency is not null)
              or (t.statement_descriptor is null and excluded.statement_descriptor is not null)
              or (t.identifier_8 is null and excluded.identifier_8 is not null)
            )
          )
        )
      returning t.organisation_id, t.external_id, t.id
    )
    select i.ord, a.id = i.id as created
    from applied a
    join input i on i.organisation_id = a.organisation_id and i.external_id = a.external_id
  `;
}
