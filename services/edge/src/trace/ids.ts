import { type AnswerOf, ApiError } from "#contract";
import { decodeId, encodeId, type IdPrefix } from "#domain";
import { found, jsonResponse } from "#http";
import type { Fragment, SharedStore, Sql } from "#postgres";
import { reachableMember } from "#publisher-db";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";

type NamedKind = AnswerOf<"id/resolve">["kind"];

/** The endpoint that tells which record an id belongs to. */
export function idEndpoints(store: SharedStore): PublisherEndpoint[] {
  return [
    defineEndpoint("id/resolve", async ({ body, caller: { organisationId } }) => {
      const { kind, uuid } = found(readId(body.id), unknownId);
      const record = found(
        await findNamed(store.lineOf(organisationId), { organisationId, kind, uuid }),
        unknownId,
      );
      return jsonResponse(200, writeNamed(body.id, kind, record));
    }),
  ];
}

/** The ids that can be resolved: of records that belong to a purchase or a member and have no `get`. */
const KIND_OF: Partial<Record<IdPrefix, NamedKind>> = {
  tx: "transaction",
  qp: "qualifying_purchase",
  red: "redemption",
  cb: "cashback",
  evt: "event",
  sc: "stamp_collection",
  clip: "clip",
};

function readId(id: string): { readonly kind: NamedKind; readonly uuid: string } | undefined {
  const prefix = id.slice(0, Math.max(0, id.indexOf("_"))) as IdPrefix;
  const kind = Object.hasOwn(KIND_OF, prefix) ? KIND_OF[prefix] : undefined;
  const uuid = kind === undefined ? undefined : decodeId(prefix, id);
  return kind === undefined || uuid === undefined ? undefined : { kind, uuid };
}

function unknownId(): ApiError {
  return new ApiError("not_found", "nothing has this id", { resource: "id" });
}

function writeNamed(id: string, kind: NamedKind, record: NamedRow): AnswerOf<"id/resolve"> {
  const { transactionRef, stampCollectionId, memberId } = record;
  return {
    id,
    kind,
    ...(transactionRef !== null && { transaction_ref: transactionRef }),
    ...(stampCollectionId !== null && { stamp_collection_id: encodeId("sc", stampCollectionId) }),
    ...(memberId !== null && { member_id: encodeId("m", memberId) }),
  };
}

export interface IdQuery {
  readonly organisationId: string;
  readonly kind: NamedKind;
  readonly uuid: string;
}

/**
 * The record's owner; null: it has none. A member of a deleted memberbase counts as none, and so do its
 * cards.
 */
export interface NamedRow {
  readonly transactionRef: string | null;
  readonly stampCollectionId: string | null;
  readonly memberId: string | null;
}

/**
 * The owner of this id. undefined if nothing of this organisation has the id, and for a card or a clip whose
 * member is not reachable any more. A transaction is found by its stamps and cashbacks: its table has no
 * index on the id, which every event would pay for. So a transaction that earned nothing is found only by its
 * `external_id`.
 */
export async function findNamed(sql: Sql, query: IdQuery): Promise<NamedRow | undefined> {
  const [row] = await sql<NamedRow[]>`
    select named.ref as "transactionRef", m.id as "memberId",
           case when m.id is not null then named.stamp_collection_id end as "stampCollectionId"
    from (${selectNamed(sql, query)}) as named (ref, stamp_collection_id, member_id)
    left join stamp_collections c on c.id = named.stamp_collection_id
    left join members m on m.id = coalesce(c.member_id, named.member_id) and ${reachableMember(sql)}
    where named.ref is not null or m.id is not null or ${query.kind === "event"}
    limit 1`;
  return row;
}

/**
 * Rows of (transaction_ref, stamp_collection_id, member_id): one, or for a transaction as many as its
 * earnings.
 */
function selectNamed(sql: Sql, { kind, uuid, organisationId }: IdQuery): Fragment {
  const its = (column: Fragment) => sql`${column} = ${uuid} and organisation_id = ${organisationId}`;
  const id = sql`id`;
  const transaction = sql`transaction_id`;
  switch (kind) {
    case "transaction":
      return sql`
        select transaction_ref, null::uuid, member_id from cashbacks where ${its(transaction)}
        union all
        select transaction_ref, stamp_collection_id, null::uuid from qualifying_purchases where ${its(transaction)}`;
    case "qualifying_purchase":
      return sql`
        select transaction_ref, stamp_collection_id, null::uuid from qualifying_purchases where ${its(id)}`;
    case "redemption":
      return sql`
        select (select transaction_ref from cashbacks where redemption_id = r.id), stamp_collection_id, null::uuid
        from redemptions r where ${its(id)}`;
    case "cashback":
      return sql`select transaction_ref, stamp_collection_id, member_id from cashbacks where ${its(id)}`;
    case "event":
      return sql`select body::json ->> 'transaction_ref', null::uuid, null::uuid from events where ${its(id)}`;
    case "stamp_collection":
      return sql`select null::text, id, member_id from stamp_collections where ${its(id)}`;
    case "clip":
      return sql`select null::text, null::uuid, member_id from clips where ${its(id)}`;
  }
}
