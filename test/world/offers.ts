import { DISPLAY_CONTENT, type RawAnswer, succeeded, waitFor } from "#test-support";
import type { Caller } from "./caller.ts";

/** The reward of a program, and its conditions. */
export interface ProgramTerms {
  readonly name: string;
  readonly merchants: readonly string[];
  readonly threshold: number;
  /**
   * `refund`: the price of the purchase that completes the card: the retailer's amount, or, if no payment is
   * required, the settled amount. If there are several amounts, each is in force for a while (`Reviser`).
   */
  readonly reward: readonly number[] | "refund";
  readonly minAmount: number;
  readonly confirmation: "retailer" | "none";
}

export interface DealTerms {
  readonly name: string;
  readonly merchants: readonly string[];
  readonly reward: { readonly percent: number; readonly maxAmount: number } | { readonly amount: number };
  readonly minAmount: number;
}

export const CURRENCY = "EUR";

/** Merchant ids of each retailer. All others have no retailer. */
const RETAILERS = [
  { name: "Roastery", merchants: ["ROAST-1", "ROAST-2"] },
  { name: "Bakery", merchants: ["BAKE-1"] },
  { name: "Cinema", merchants: ["CINE-1"] },
] as const;

export const PROGRAMS: readonly ProgramTerms[] = [
  {
    name: "Every third coffee",
    merchants: ["ROAST-1", "ROAST-2"],
    threshold: 3,
    reward: [500, 650, 400],
    minAmount: 300,
    confirmation: "retailer",
  },
  {
    name: "Every second loaf",
    merchants: ["BAKE-1"],
    threshold: 2,
    reward: "refund",
    minAmount: 0,
    confirmation: "retailer",
  },
  {
    name: "Every fourth film",
    merchants: ["CINE-1"],
    threshold: 4,
    reward: "refund",
    minAmount: 0,
    confirmation: "none",
  },
];

export const DEALS: readonly DealTerms[] = [
  {
    name: "A tenth of a coffee",
    merchants: ["ROAST-1", "ROAST-2"],
    reward: { percent: 10, maxAmount: 900 },
    minAmount: 300,
  },
  { name: "A roll for free", merchants: ["BAKE-1"], reward: { amount: 120 }, minAmount: 0 },
];

export const MERCHANTS = RETAILERS.flatMap(({ merchants }) => [...merchants]);

/** The platform's records, with their ids. */
export interface Offers {
  readonly memberbase: string;
  /** By index in `PROGRAMS` and `DEALS`. */
  readonly programIds: readonly string[];
  readonly dealIds: readonly string[];
  /** The token of a merchant id's retailer, whose software reports payments. */
  readonly tokens: ReadonlyMap<string, string>;
}

/** Resolves once the publisher shows all of them. */
export async function openOffers(caller: Caller): Promise<Offers> {
  const platform = async (route: string, body: object) => (await succeed(caller, "platform", route, body)).id;
  const tokens = new Map<string, string>();
  for (const { name, merchants } of RETAILERS) {
    const body = { name, merchant_ids: [...merchants] };
    const { token } = await succeed(caller, "platform", "retailer/upsert", body);
    for (const merchant of merchants) tokens.set(merchant, token);
  }
  const programIds: string[] = [];
  for (const terms of PROGRAMS) {
    programIds.push(await platform("loyalty-program/upsert", programBody(terms, 0)));
  }
  const dealIds: string[] = [];
  for (const { name, merchants, reward, minAmount } of DEALS) {
    const reward_config =
      "percent" in reward
        ? { type: "percent", percent: reward.percent, max_amount: reward.maxAmount }
        : { type: "fixed", amount: reward.amount, currency: CURRENCY };
    const id = await platform("deal/upsert", {
      name,
      display_content: DISPLAY_CONTENT,
      reward_config,
      rules: {
        merchant_ids: [...merchants],
        currency: CURRENCY,
        ...(minAmount > 0 && { min_amount: minAmount }),
      },
    });
    dealIds.push(id);
  }
  const shown = [
    ...programIds.map((id) => ["loyalty-program/get", id] as const),
    ...dealIds.map((id) => ["deal/get", id] as const),
  ];
  for (const [route, id] of shown) {
    const isShown = async () => (await caller.once("publisher", route, { id })).answer?.status === 200;
    await waitFor(isShown, { message: `the publisher does not show ${id}` });
  }
  return { memberbase: await openMemberbase(caller), programIds, dealIds, tokens };
}

/** A program as the platform takes it. @param revision which of its rewards is in force */
export function programBody(terms: ProgramTerms, revision: number): object {
  const { name, merchants, threshold, reward, minAmount, confirmation } = terms;
  return {
    name,
    display_content: DISPLAY_CONTENT,
    qualifying_threshold: threshold,
    reward_config:
      reward === "refund"
        ? { type: "refund" }
        : { type: "fixed-reward", amount: reward[revision % reward.length] },
    rules: {
      merchant_ids: [...merchants],
      currency: CURRENCY,
      confirmation,
      ...(minAmount > 0 && { min_amount: minAmount }),
    },
  };
}

export interface Clip {
  readonly id: string;
  readonly madeAt: number;
}

/** A shopper with a card of every program and every deal saved. */
export interface Shopper {
  readonly memberId: string;
  /** Stamp collections, by index in `PROGRAMS`. */
  readonly cards: readonly string[];
  /** By index in `DEALS`, the clips by which each was saved, one after the other. */
  readonly clips: readonly Clip[][];
  /** Its deletion was answered. */
  isGone: boolean;
}

/** Despite all faults: requests are repeated under their idempotency keys until they are answered. */
export async function joinShopper(caller: Caller, offers: Offers, ref: string): Promise<Shopper> {
  const member_id = await joinMember(caller, offers.memberbase, ref);
  const keyed = (name: string) => ({ "idempotency-key": `${ref} ${name}` });
  const cards: string[] = [];
  for (const loyalty_program_id of offers.programIds) {
    const body = { loyalty_program_id, member_id };
    const route = "wallet.stamp-collection/create";
    cards.push((await succeed(caller, "publisher", route, body, keyed(loyalty_program_id))).id);
  }
  const clips: Clip[][] = [];
  for (const deal_id of offers.dealIds) {
    const body = { deal_id, member_id };
    clips.push([readClip(await succeed(caller, "publisher", "wallet.clip/save", body, keyed(deal_id)))]);
  }
  return { memberId: member_id, cards, clips, isGone: false };
}

/** Saves a deal again, which succeeds if its clip is redeemed. */
export async function saveAgain(
  caller: Caller,
  offers: Offers,
  { memberId, clips }: Shopper,
  deal: number,
): Promise<void> {
  const saved = clips[deal] as Clip[];
  const body = { deal_id: offers.dealIds[deal], member_id: memberId };
  const headers = { "idempotency-key": `${memberId} ${deal} ${saved.length} ${Date.now()}` };
  const answer = await caller.until("publisher", "wallet.clip/save", body, headers);
  if (answer.status === 200) saved.push(readClip(answer.body));
  else if (answer.body?.error?.data?.reason !== "already_clipped") {
    throw new Error(`wallet.clip/save: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

const readClip = ({ id, created_at }: { id: string; created_at: string }): Clip => ({
  id,
  madeAt: Date.parse(created_at),
});

/** Deletes a shopper. Earlier purchases settle nevertheless. */
export async function deleteShopper(caller: Caller, offers: Offers, shopper: Shopper): Promise<void> {
  const body = { member_base_id: offers.memberbase, member_ids: [shopper.memberId] };
  await succeed(caller, "publisher", "member/bulk-delete", body);
  shopper.isGone = true;
}

export async function openMemberbase(caller: Caller): Promise<string> {
  return (await succeed(caller, "publisher", "member-base/create", { name: "soak" })).id;
}

export async function joinMember(caller: Caller, memberbase: string, ref: string): Promise<string> {
  const body = { member_base_id: memberbase, members: [{ ref }] };
  return (await succeed(caller, "publisher", "member/bulk-upsert", body))[0];
}

export async function succeed(
  caller: Caller,
  to: "publisher" | "platform",
  route: string,
  body: object,
  headers?: Record<string, string>,
): Promise<RawAnswer["body"]> {
  return succeeded(route, await caller.until(to, route, body, headers));
}
