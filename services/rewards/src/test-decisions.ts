import { nameUuid } from "#domain";
import type { DealOutcome, Program, PurchaseOutcome, RewardTransaction } from "#domain/rewards";
import { batchContext } from "./decide-rewards.ts";
import type { LoadedTarget } from "./store/collections.ts";
import type { LoadedSettlements } from "./store/lock-for-settlements.ts";

/** The UUID of a name. */
export const idOf = (name: string): string => nameUuid(`test:${name}`);

export const CONTEXT = batchContext(new Date("2026-05-01T10:00:00Z"));
export const STAMP: PurchaseOutcome = {
  type: "qualifying_purchase",
  purchaseAmount: null,
  currency: null,
  threshold: null,
  reward: null,
};
export const DEAL: DealOutcome = { type: "deal", amount: 120, currency: "SEK" };

export const FIXED: Program = {
  threshold: 2,
  reward: { type: "fixed-reward", amount: 300 },
  currency: "EUR",
};

/**
 * When every transaction here was authorized, in microseconds since 1970; every collection and clip was made
 * before.
 */
export const AUTHED_AT = Date.UTC(2026, 4, 1) * 1000;
const LONG_AGO = { madeAt: AUTHED_AT - 1, retroactive: [] };

export function transactionNamed(ref: string, fields: Partial<RewardTransaction> = {}): RewardTransaction {
  return {
    id: idOf(ref),
    ref,
    state: "authorized",
    settledOrder: null,
    amount: 450,
    currency: "EUR",
    ...fields,
  };
}

/** A collection without stamps, of the member of this name. */
export function emptyCollection(name: string, member = "ada", program: Program | null = FIXED): LoadedTarget {
  return {
    organisationId: idOf("organisation"),
    memberId: idOf(member),
    times: LONG_AGO,
    state: {
      kind: "collection",
      id: idOf(name),
      loyaltyProgramId: idOf("program"),
      program,
      stamps: [],
      redemptions: [],
      unredeemedPurchases: 0,
      nextPosition: 1,
      threshold: null,
    },
  };
}

export function openClip(name: string, member = "ada"): LoadedTarget {
  return {
    organisationId: idOf("organisation"),
    memberId: idOf(member),
    times: LONG_AGO,
    state: { kind: "clip", id: idOf(name), dealId: idOf("deal"), redeemed: false, cashback: null },
  };
}

/** In the form loaded from the database; all transactions belong to the member `ada`. */
export function loadedWith(
  targets: readonly LoadedTarget[],
  transactions: readonly RewardTransaction[],
  touched: Readonly<Record<string, readonly LoadedTarget[]>> = {},
): LoadedSettlements {
  return {
    transactions: new Map(transactions.map((transaction) => [transaction.id, transaction])),
    members: new Map(transactions.map(({ id }) => [id, idOf("ada")])),
    authedAt: new Map(transactions.map(({ id }) => [id, AUTHED_AT])),
    targets: new Map(targets.map((target) => [target.state.id, target])),
    touched: new Map(
      Object.entries(touched).map(([ref, found]) => [idOf(ref), found.map(({ state }) => state.id)]),
    ),
  };
}

/** A short form of an event for a webhook. */
export function told({ body }: { readonly body: string }): string {
  const event = JSON.parse(body);
  const said = event.unredeemed_purchases ?? `${event.amount} ${event.currency}`;
  return `${event.type} ${event.transaction_ref} ${said}`;
}
