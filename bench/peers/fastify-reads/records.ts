import type { Sql } from "postgres";
import type { RequestOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import type { StoredRow } from "../peer-app.ts";

interface MemberRow {
  readonly id: string;
  readonly memberbase_id: string;
  readonly ref: string;
  readonly attributes: object;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The answer to `member/get`; undefined: no such member in this organisation. */
export async function readMember(sql: Sql, organisation: string, body: RequestOf<"member/get">) {
  const rows = await selectMember(sql, organisation, body);
  const row = rows?.[0];
  if (row === undefined) return undefined;
  return {
    id: encodeId("m", row.id),
    member_base_id: encodeId("mb", row.memberbase_id),
    ref: row.ref,
    attributes: row.attributes,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function selectMember(sql: Sql, organisation: string, body: RequestOf<"member/get">) {
  if ("id" in body) {
    const id = decodeId("m", body.id);
    if (id === undefined) return undefined;
    return sql<MemberRow[]>`
      select m.id, m.memberbase_id, m.ref, m.attributes, m.created_at, m.updated_at
      from members m join memberbases b on b.id = m.memberbase_id and b.deleted_at is null
      where m.id = ${id} and m.organisation_id = ${organisation}`;
  }
  const memberbase = decodeId("mb", body.member_base_id);
  if (memberbase === undefined) return undefined;
  return sql<MemberRow[]>`
    select m.id, m.memberbase_id, m.ref, m.attributes, m.created_at, m.updated_at
    from members m join memberbases b on b.id = m.memberbase_id and b.deleted_at is null
    where m.memberbase_id = ${memberbase} and m.ref = ${body.ref} and m.organisation_id = ${organisation}`;
}

interface TransactionRow extends StoredRow {
  readonly id: string;
}

/** The answer to `transaction/get`; undefined: no such transaction in this organisation. */
export async function readTransaction(sql: Sql, organisation: string, externalId: string) {
  const [row] = await sql<TransactionRow[]>`
    select t.id, t.external_id, m.id as member_id, t.state, t.network, t.merchant_id, t.statement_descriptor,
      t.amount, t.currency, t.authed_at, t.cleared_at, t.reverted_at, t.identifier_6, t.identifier_8
    from transactions t left join members m on m.id = t.member_id
    where t.organisation_id = ${organisation} and t.external_id = ${externalId}`;
  if (row === undefined) return undefined;
  return {
    id: encodeId("tx", row.id),
    external_id: row.external_id,
    member_id: row.member_id === null ? null : encodeId("m", row.member_id),
    state: row.state,
    network: row.network,
    merchant_id: row.merchant_id,
    statement_descriptor: row.statement_descriptor ?? undefined,
    amount: row.amount === null ? undefined : Number(row.amount),
    currency: row.currency ?? undefined,
    authed_at: row.authed_at.toISOString(),
    cleared_at: row.cleared_at?.toISOString(),
    reverted_at: row.reverted_at?.toISOString(),
    identifiers: [row.identifier_6, row.identifier_8].flatMap((bytes) => bytes?.toString("hex") ?? []),
    rewards: [],
  };
}
