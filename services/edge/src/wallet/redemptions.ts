import { type AnswerOf, LIMITS } from "#contract";
import { encodeId } from "#domain";
import type { CursorKey } from "#http";
import { behindCreated, type Page, type PageRequest, type SharedStore, type Sql } from "#postgres";
import { type Cashback, type CashbackJson, toCashback } from "#publisher-db";
import type { PublisherEndpoint } from "../endpoint.ts";
import { writeReward } from "./cashbacks.ts";
import { type Stamp, stampColumns, writeStamp } from "./stamps.ts";
import { defineMemberList, hasMember } from "./wallet-members.ts";

/** The endpoint that lists a member's redemptions. */
export function redemptionEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [defineMemberList("wallet.redemption/list", { store, cursors }, listRedemptions, writeRedemption)];
}

/** A redemption with its stamps and its cashback. It appears once its amount and currency are known. */
export interface Redemption {
  readonly id: string;
  readonly loyaltyProgramId: string;
  readonly stampCollectionId: string;
  /** The transaction of its newest stamp. */
  readonly transactionId: string;
  readonly createdAt: Date;
  readonly undoneAt: Date | null;
  /** The first `LIMITS.stampsPerRedemption` of its stamps, oldest first, in their present state … */
  readonly stamps: readonly Stamp[];
  /** … and the number of all of them. */
  readonly stampsTotal: number;
  readonly cashback: Cashback;
}

type RedemptionRow = Omit<Redemption, "stamps" | "cashback"> & {
  readonly stampIds: readonly string[];
  readonly cashback: CashbackJson;
  /** The number of redemptions on the page without its bound on stamps. */
  readonly listed: number;
};

/**
 * A member's redemptions, oldest first; undefined if the organisation has no such member. A page may be shorter than its
 * limit, because it ends with the redemption that reaches `LIMITS.stampsPerPage`.
 */
export async function listRedemptions(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<Redemption> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = (await redemptionRows(sql, { organisationId, memberId }, page)).slice(0, page.limit);
  const stampIds = rows.flatMap((row) => row.stampIds);
  // As one array of ids: with a join the planner might read the whole table.
  const stamps = await sql<Stamp[]>`
    select ${stampColumns(sql)} from qualifying_purchases q where q.id = any(${stampIds}::uuid[])`;
  const stampById = new Map(stamps.map((stamp) => [stamp.id, stamp]));
  const records = rows.map((row) => ({
    ...row,
    // A stamp that is missing was deleted with its member since the first statement.
    stamps: row.stampIds.map((id) => stampById.get(id)).filter((stamp) => stamp !== undefined),
    cashback: toCashback(row.cashback),
  }));
  return { records, more: (rows[0]?.listed ?? 0) > records.length };
}

/**
 * One more than the page has, if there is one. Counts skipped redemptions in indexes alone. Takes the first
 * ones of each of the member's collections (one for each program) from an index, and the first of all these
 * are the page.
 */
function redemptionRows(
  sql: Sql,
  { organisationId, memberId }: { readonly organisationId: string; readonly memberId: string },
  { after, limit, skip = 0 }: PageRequest,
) {
  const behind = behindCreated(sql, sql`redemptions`, after);
  return sql<RedemptionRow[]>`
    with listed as materialized (
      select r.created_at, r.id, collections.loyalty_program_id
      from stamp_collections as collections
      cross join lateral (
        select created_at, id from redemptions
        cross join lateral (select from cashbacks c where c.redemption_id = redemptions.id limit 1) as told
        where stamp_collection_id = collections.id ${behind}
        order by created_at, id
        limit ${limit + 1 + skip}
      ) as r
      where collections.member_id = ${memberId} and collections.organisation_id = ${organisationId}
      order by r.created_at, r.id
      limit ${limit + 1} offset ${skip}
    ),
    measured as (
      select redemptions.*, listed.loyalty_program_id, count(*) over () as listed,
             coalesce(sum(least(cardinality(stamp_ids), ${LIMITS.stampsPerRedemption}::int))
               over (order by listed.created_at, listed.id rows between unbounded preceding and 1 preceding), 0) as stamps_before
      from listed cross join lateral (select * from redemptions where id = listed.id limit 1) as redemptions
    )
    select r.id, r.loyalty_program_id as "loyaltyProgramId", r.stamp_collection_id as "stampCollectionId",
           r.transaction_id as "transactionId", r.created_at as "createdAt", r.undone_at as "undoneAt",
           r.stamp_ids[1:${LIMITS.stampsPerRedemption}::int] as "stampIds", cardinality(r.stamp_ids) as "stampsTotal",
           r.listed, given.cashback
    from measured as r
    cross join lateral (
      select to_json(c) as cashback from cashbacks c where c.redemption_id = r.id limit 1
    ) as given
    where r.stamps_before < ${LIMITS.stampsPerPage}
    order by r.created_at, r.id`;
}

function writeRedemption(redemption: Redemption): AnswerOf<"wallet.redemption/list">["data"][number] {
  const { cashback, undoneAt } = redemption;
  return {
    id: encodeId("red", redemption.id),
    loyalty_program_id: encodeId("lp", redemption.loyaltyProgramId),
    stamp_collection_id: encodeId("sc", redemption.stampCollectionId),
    state: undoneAt === null ? "standing" : "undone",
    transaction_id: encodeId("tx", redemption.transactionId),
    transaction_ref: cashback.transactionRef,
    created_at: redemption.createdAt.toISOString(),
    ...(undoneAt !== null && { undone_at: undoneAt.toISOString() }),
    stamps: redemption.stamps.map(writeStamp),
    stamps_total: redemption.stampsTotal,
    cashback: writeReward(cashback),
  };
}
