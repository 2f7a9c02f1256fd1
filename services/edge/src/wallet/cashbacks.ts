import type { AnswerOf } from "#contract";
import { encodeId, type IdPrefix } from "#domain";
import type { CursorKey } from "#http";
import { createdKeyset, type Page, type PageRequest, type SharedStore, type Sql, toPage } from "#postgres";
import {
  type Cashback,
  type CashbackJson,
  type CashbackSource,
  type TransactionCashback,
  toCashback,
} from "#publisher-db";
import type { PublisherEndpoint } from "../endpoint.ts";
import { defineMemberList, hasMember } from "./wallet-members.ts";

/** The endpoint that lists a member's cashbacks. */
export function cashbackEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [defineMemberList("wallet.cashback/list", { store, cursors }, listCashbacks, writeCashback)];
}

function writeCashback(cashback: Cashback): AnswerOf<"wallet.cashback/list">["data"][number] {
  return {
    transaction_id: encodeId("tx", cashback.transactionId),
    transaction_ref: cashback.transactionRef,
    ...writeReward(cashback),
  };
}

/** A member's cashbacks, oldest first; undefined if the organisation has no such member. */
export async function listCashbacks(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<Cashback> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<{ cashback: CashbackJson }[]>`
    select to_json(cashbacks) as cashback from cashbacks
    where member_id = ${memberId} and organisation_id = ${organisationId}
      ${createdKeyset(sql, { table: sql`cashbacks`, keys: sql`cashbacks where member_id = ${memberId}` }, page)}`;
  return toPage(
    rows.map(({ cashback }) => toCashback(cashback)),
    page.limit,
  );
}

type RewardAnswer = AnswerOf<"transaction/get">["rewards"][number];

/** A cashback within its transaction; `wallet.cashback/list` names the transaction, too. */
export function writeReward(reward: TransactionCashback): RewardAnswer {
  return {
    id: encodeId("cb", reward.id),
    state: reward.state,
    amount: reward.amount,
    currency: reward.currency,
    source: writeSource(reward.source),
    created_at: reward.createdAt.toISOString(),
    ...(reward.clearedAt !== null && { cleared_at: reward.clearedAt.toISOString() }),
    ...(reward.revertedAt !== null && { reverted_at: reward.revertedAt.toISOString() }),
  };
}

function writeSource(source: CashbackSource): RewardAnswer["source"] {
  switch (source.type) {
    case "clip":
      return {
        type: "clip",
        clip_id: encodeIfAny("clip", source.clipId),
        deal_id: encodeId("deal", source.dealId),
      };
    case "redemption":
      return {
        type: "loyalty-program-redemption",
        loyalty_program_id: encodeId("lp", source.loyaltyProgramId),
        stamp_collection_id: encodeIfAny("sc", source.stampCollectionId),
        redemption_id: encodeIfAny("red", source.redemptionId),
      };
  }
}

function encodeIfAny(prefix: IdPrefix, uuid: string | null): string | null {
  return uuid === null ? null : encodeId(prefix, uuid);
}
