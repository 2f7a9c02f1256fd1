import type { AnswerOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { answerList, type CursorKey, found } from "#http";
import { type Fragment, type Page, type PageRequest, type SharedStore, type Sql, toPage } from "#postgres";
import type { RewardedTransaction } from "#publisher-db";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { getTransaction } from "../transactions/transaction-rows.ts";
import { writeTransaction } from "../transactions/transactions.ts";
import { getStampCollection, unknownStampCollection } from "./stamp-collections.ts";

/** The endpoint that lists the stamps on a card. */
export function stampEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("qualifying-purchase/list", ({ body, caller: { organisationId } }) => {
      const { stamp_collection_id, pagination } = body;
      return answerList(
        {
          cursors,
          scope: `qualifying-purchase/list ${stamp_collection_id}`,
          owner: organisationId,
          pagination,
        },
        async (page) => {
          const id = found(decodeId("sc", stamp_collection_id), unknownStampCollection);
          return found(
            await listStamps(store.lineOf(organisationId), organisationId, id, page),
            unknownStampCollection,
          );
        },
        writeCardStamp,
      );
    }),
  ];
}

/** A stamp, without its transaction. */
export interface Stamp {
  readonly id: string;
  readonly stampCollectionId: string;
  /** Rises from stamp to stamp of a collection. */
  readonly position: number;
  readonly transactionId: string;
  /** The transaction's `external_id`. */
  readonly transactionRef: string;
  /** The redemption that holds it; of a voided stamp, the one that held it. */
  readonly redemptionId: string | null;
  readonly purchaseAmount: number | null;
  readonly currency: string | null;
  readonly createdAt: Date;
  readonly voidedAt: Date | null;
}

/** The columns of a `Stamp`, from `qualifying_purchases q`. */
export function stampColumns(sql: Sql): Fragment {
  return sql`
    q.id, q.stamp_collection_id as "stampCollectionId", q.position, q.transaction_id as "transactionId",
    q.transaction_ref as "transactionRef", q.redemption_id as "redemptionId",
    q.purchase_amount as "purchaseAmount", q.currency, q.created_at as "createdAt", q.voided_at as "voidedAt"`;
}

interface CardStamp extends Stamp {
  /** Undefined: the transaction is not kept any more. */
  readonly transaction: RewardedTransaction | undefined;
}

/**
 * The stamps of a collection by their places on the card, the oldest first; undefined if the organisation has
 * no such collection. A page begins after a position and not after an id, because the index that keeps
 * positions unique exists anyway.
 */
export async function listStamps(
  sql: Sql,
  organisationId: string,
  stampCollectionId: string,
  page: PageRequest,
): Promise<(Page<CardStamp> & { placeOf(stamp: CardStamp): string }) | undefined> {
  const collection = await getStampCollection(sql, organisationId, stampCollectionId);
  if (collection === undefined) return undefined;
  const behind = page.after === undefined ? sql`` : sql`and q.position > ${Number(page.after)}`;
  const ofCollection = sql`
    from qualifying_purchases q
    where q.stamp_collection_id = ${stampCollectionId} ${behind}`;
  // Skipped stamps are counted in the index alone.
  const skipped =
    page.skip === undefined || page.skip === 0
      ? sql``
      : sql`and q.position >= (select q.position ${ofCollection} order by q.position limit 1 offset ${page.skip})`;
  const rows = await sql<Stamp[]>`
    select ${stampColumns(sql)} ${ofCollection} ${skipped}
    order by q.position
    limit ${page.limit + 1}`;
  const { records, more } = toPage(rows, page.limit);
  const withTransaction = async (stamp: Stamp): Promise<CardStamp> => ({
    ...stamp,
    transaction: await getTransaction(sql, organisationId, stamp.transactionRef),
  });
  return {
    records: await Promise.all(records.map(withTransaction)),
    more,
    placeOf: ({ position }) => String(position),
  };
}

type StampAnswer = AnswerOf<"wallet.redemption/list">["data"][number]["stamps"][number];

/** A stamp within its redemption; `qualifying-purchase/list` adds the transaction. */
export function writeStamp(stamp: Stamp): StampAnswer {
  const { redemptionId, purchaseAmount, currency, voidedAt } = stamp;
  return {
    id: encodeId("qp", stamp.id),
    stamp_collection_id: encodeId("sc", stamp.stampCollectionId),
    state: voidedAt !== null ? "voided" : redemptionId !== null ? "redeemed" : "live",
    transaction_id: encodeId("tx", stamp.transactionId),
    transaction_ref: stamp.transactionRef,
    ...(purchaseAmount !== null && { purchase_amount: purchaseAmount }),
    ...(currency !== null && { currency }),
    ...(redemptionId !== null && { redemption_id: encodeId("red", redemptionId) }),
    created_at: stamp.createdAt.toISOString(),
    ...(voidedAt !== null && { voided_at: voidedAt.toISOString() }),
  };
}

function writeCardStamp(stamp: CardStamp): AnswerOf<"qualifying-purchase/list">["data"][number] {
  return {
    ...writeStamp(stamp),
    ...(stamp.transaction !== undefined && { transaction: writeTransaction(stamp.transaction) }),
  };
}
