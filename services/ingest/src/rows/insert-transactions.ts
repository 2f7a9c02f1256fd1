import type { Fragment, Sql } from "#postgres";
import { microsecondsSince1970, reachableMember } from "#publisher-db";

/** What became of the events of distinct keys, by `ord`. Those in neither list have a row already. */
export interface InsertResult {
  /** The row is new, and is what the event says. */
  readonly created: readonly number[];
  /** Their member does not exist in their organisation. */
  readonly memberless: readonly number[];
  /** Created, and the member has or had enrolments or clips. */
  readonly linked: readonly LinkedRow[];
}

/** A row whose record needs the links of its member. `authedAt`: microseconds since 1970. */
export interface LinkedRow {
  readonly ord: number;
  readonly memberId: string;
  readonly authedAt: number;
}

interface ResultRow {
  created: number[];
  memberless: number[];
  linked_ords: number[];
  linked_members: string[];
  linked_authed_ats: number[];
}

/**
 * Makes a row of every event whose key is new and whose member exists. Rows that are there stay as they are.
 *
 * Keys are written in their order, so that concurrent calls cannot deadlock. The answer is one row of arrays: a row per
 * event would cost the client more than the rest of the call.
 * @param events a table `i` with the columns of `EventRow`, no (organisation_id, external_id) twice
 */
export async function insertTransactions(sql: Sql, events: Fragment): Promise<InsertResult> {
  const [result] = await sql<[ResultRow]>`
    with input as materialized (
      select i.*, m.linked
      from ${events}
      left join members m
        on m.id = i.member_id and m.organisation_id = i.organisation_id and ${reachableMember(sql)}
    ),
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
      where i.linked is not null
      order by i.organisation_id, i.external_id collate "C"
      on conflict (organisation_id, external_id) do nothing
      returning organisation_id, external_id
    )
    select
      coalesce(array_agg(i.ord) filter (where made.external_id is not null), '{}') as created,
      coalesce(array_agg(i.ord) filter (where i.linked is null), '{}') as memberless,
      coalesce(array_agg(i.ord) filter (where made.external_id is not null and i.linked), '{}') as linked_ords,
      coalesce(array_agg(i.member_id) filter (where made.external_id is not null and i.linked), '{}') as linked_members,
      coalesce(
        array_agg(${microsecondsSince1970(sql, "i.authed_at")})
          filter (where made.external_id is not null and i.linked), '{}'
      ) as linked_authed_ats
    from input i
    left join made on made.organisation_id = i.organisation_id and made.external_id = i.external_id
  `;
  return {
    created: result.created,
    memberless: result.memberless,
    linked: result.linked_ords.map((ord, i) => ({
      ord,
      memberId: result.linked_members[i] as string,
      authedAt: result.linked_authed_ats[i] as number,
    })),
  };
}
