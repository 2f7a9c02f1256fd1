import type { Answer, StampedeClient } from "#client";
import type { ConfiguredRetailer } from "./configure-retailers.ts";
import { type CardCount, worthOf } from "./count-card.ts";
import { CURRENCY } from "./demo-retailers.ts";
import type { PlannedCard, PlannedWallet } from "./reward-plan.ts";

type Cashback = Answer<"wallet.cashback/list">["data"][number];

export interface WalletRead {
  /** One a card of the plan. */
  readonly cards: readonly CardCount[];
  /** Cashbacks that are worth what their program or deal says of their purchase. */
  readonly worth: number;
  /** Enrolments, clips and cashbacks that the plan does not have. */
  readonly strays: number;
}

/** Reads what a member has. More than one page is far more than the plan has, so the first one tells. */
export async function readWallet(
  client: StampedeClient,
  { memberId, cards }: PlannedWallet,
  retailers: readonly ConfiguredRetailer[],
): Promise<WalletRead> {
  const member = { member_id: memberId };
  const collections = (await client.call("wallet.stamp-collection/list", member)).data;
  const cashbacks = (await client.call("wallet.cashback/list", member)).data;
  const clips = cards.some(({ clipped }) => clipped)
    ? (await client.call("wallet.clip/list", member)).data
    : [];
  let strays = collections.length + clips.length + cashbacks.length;
  let worth = 0;
  const counts = cards.map((card): CardCount => {
    const found = retailers.find(({ retailer }) => retailer === card.retailer);
    const enrolments = collections.filter(({ loyalty_program_id: id }) => id === found?.programId);
    const own = cashbacks.filter(({ source }) => sourceId(source) === found?.programId);
    const ofDeal = cashbacks.filter(({ source }) => sourceId(source) === found?.dealId);
    const ofClip = clips.filter(({ deal_id }) => deal_id === found?.dealId);
    strays -= enrolments.length + own.length + ofDeal.length + ofClip.length;
    worth += [...own, ...ofDeal].filter((cashback) => isWorthIt(card, cashback)).length;
    const inState = (state: Cashback["state"]) =>
      [...own, ...ofDeal].filter((cashback) => cashback.state === state).length;
    return {
      unredeemed: enrolments.reduce((sum, { unredeemed_purchases }) => sum + unredeemed_purchases, 0),
      redemptions: new Set(own.filter(({ state }) => state !== "reverted").map(redemptionId)).size,
      pending: inState("pending"),
      cleared: inState("cleared"),
      reverted: inState("reverted"),
      clipsRedeemed: ofClip.filter(({ redeemed_at }) => redeemed_at !== undefined).length,
    };
  });
  return { cards: counts, worth, strays };
}

function isWorthIt(card: PlannedCard, { transaction_ref, source, amount, currency }: Cashback): boolean {
  const purchase = card.purchases.find(({ externalId }) => externalId === transaction_ref);
  if (purchase === undefined || currency !== CURRENCY) return false;
  return amount === worthOf(card, source.type === "clip" ? "deal" : "program", purchase);
}

function sourceId(source: Cashback["source"]): string {
  return source.type === "clip" ? source.deal_id : source.loyalty_program_id;
}

function redemptionId({ source }: Cashback): string | undefined {
  return source.type === "clip" ? undefined : source.redemption_id;
}
