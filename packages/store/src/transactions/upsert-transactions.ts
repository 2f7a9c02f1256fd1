import type { Transaction } from "#domain";
import { microsecondsSince1970 } from "../links/load-member-links.ts";
import { reachableMember } from "../members/reachable-member.ts";
import type { Fragment, Sql } from "../store.ts";
import { type StoredColumns, storedColumns, toTransaction } from "./stored-columns.ts";

/** What the bulk statement did, by `ord`. Events in none of the lists changed nothing: unchanged, or forbidden. */
export interface UpsertResult {
  /** The row is new, and is what the event says. */
  readonly created: readonly number[];
  /** The row was there, and is now this. */
  readonly updated: readonly {
    readonly ord: number;
    readonly id: string;
    readonly organisationId: string;
    readonly transaction: Transaction;
  }[];
  /** Their member does not exist in their organisation. */
  readonly memberless: readonly number[];
  /** Created or updated, and the member has or had enrolments or clips. */
  readonly linked: readonly LinkedRow[];
}

/** A row whose record needs the links of its member. `authedAt`: as stored, in microseconds since 1970. */
export interface LinkedRow {
  readonly ord: number;
  readonly memberId: string;
  readonly authedAt: number;
}

interface ResultRow {
  created: number[];
  updated_ords: number[];
  updated_rows: StoredColumns[];
  memberless: number[];
  linked_ords: number[];
  linked_members: string[];
  linked_authed_ats: number[];
}

/**
 * Applies events of distinct transactions in one statement, which decides the lifecycle by itself. The `where` and the
 * `case`s restate `applyEvent` of `#domain`; a property test holds them to it.
 *
 * Rows are locked in key order, so that concurrent calls cannot deadlock. The answer is one row of arrays: a row per
 * event would cost the client more than the rest of the call.
 * @param events a table `i` with the columns of `EventRow`, no (organisation_id, external_id) twice
 */
export async function upsertTransactions(sql: Sql, events: Fragment): Promise<UpsertResult> {
  const [result] = await sql<[ResultRow]>`
    with input as materialized (
      select i.*, m.linked
      from ${events}
      left join members m
        on m.id = i.member_id and m.organisation_id = i.organisation_id and ${reachableMember(sql)}
    ),
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
      where i.linked is not null
      order by i.organisation_id, i.external_id collate "C"
      on conflict (organisation_id, external_id) do update set
        written_by = excluded.written_by,
        updated_at = now(),
        state = case when t.state = 'authorized' then excluded.state else t.state end,
        cleared_at = case when t.state = 'authorized' then excluded.cleared_at else t.cleared_at end,
        reverted_at = case when t.state = 'authorized' then excluded.reverted_at else t.reverted_at end,
        -- Drawn while the row is locked, on which the order rests (migration 0017).
        settled_order = case when t.state = 'authorized' and excluded.state <> 'authorized'
          then nextval('transactions_settled_order') else t.settled_order end,
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
      -- xmax is 0 in a row that is just inserted: the many new ones need no JSON, they are what their events say.
      returning t.organisation_id, t.external_id, t.id, t.authed_at, case when t.xmax <> 0 then ${storedColumns(sql)} end as stored
    )
    select
      coalesce(array_agg(i.ord) filter (where t.id = i.id), '{}') as created,
      coalesce(array_agg(i.ord) filter (where t.id <> i.id), '{}') as updated_ords,
      coalesce(json_agg(t.stored) filter (where t.id <> i.id), '[]') as updated_rows,
      coalesce(array_agg(i.ord) filter (where i.linked is null), '{}') as memberless,
      coalesce(array_agg(i.ord) filter (where t.id is not null and i.linked), '{}') as linked_ords,
      coalesce(array_agg(i.member_id) filter (where t.id is not null and i.linked), '{}') as linked_members,
      coalesce(
        array_agg(${microsecondsSince1970(sql, "t.authed_at")}) filter (where t.id is not null and i.linked), '{}'
      ) as linked_authed_ats
    from input i
    left join applied t on t.organisation_id = i.organisation_id and t.external_id = i.external_id
  `;
  return {
    created: result.created,
    updated: result.updated_rows.map((row, i) => ({
      ord: result.updated_ords[i] as number,
      id: row.id,
      organisationId: row.organisation_id,
      transaction: toTransaction(row),
    })),
    memberless: result.memberless,
    linked: result.linked_ords.map((ord, i) => ({
      ord,
      memberId: result.linked_members[i] as string,
      authedAt: result.linked_authed_ats[i] as number,
    })),
  };
}
