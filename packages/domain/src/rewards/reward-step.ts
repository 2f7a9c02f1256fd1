import type { Cashback, CashbackSource, RewardTransaction, Stamp } from "./reward-state.ts";

/**
 * One change to be written. Changes are in order: within one step a stamp can be unredeemed by one and redeemed by a later one, so a
 * writer that writes them kind by kind must let the last change of a row win.
 */
export type RewardChange =
  | { readonly type: "stamp_made"; readonly stampCollectionId: string; readonly stamp: Stamp }
  | { readonly type: "stamp_voided"; readonly stampId: string; readonly at: string }
  | {
      readonly type: "redemption_made";
      readonly redemptionId: string;
      readonly stampCollectionId: string;
      readonly transactionId: string;
      readonly stampIds: readonly string[];
      readonly at: string;
    }
  | {
      readonly type: "redemption_undone";
      readonly redemptionId: string;
      /** The stamps that are unredeemed again; a voided one still names the redemption that held it. */
      readonly unredeemedStampIds: readonly string[];
      readonly at: string;
    }
  | { readonly type: "cashback_made"; readonly cashback: Cashback; readonly at: string }
  | {
      readonly type: "cashback_cleared";
      readonly cashbackId: string;
      /** The settled amount of the purchase, if it differs from that of the cashback. */
      readonly worth: Worth | null;
      readonly at: string;
    }
  | { readonly type: "cashback_reverted"; readonly cashbackId: string; readonly at: string }
  | { readonly type: "clip_redeemed"; readonly clipId: string; readonly at: string }
  | { readonly type: "clip_reopened"; readonly clipId: string }
  | {
      readonly type: "counter_set";
      readonly stampCollectionId: string;
      readonly unredeemedPurchases: number;
      /** See `StampCollection`. */
      readonly threshold: number | null;
      /** Redemptions that wait for their transaction now, and did not before. */
      readonly nowPending: readonly string[];
      /** Redemptions that waited before, and do not now. */
      readonly noLongerPending: readonly string[];
    };

const CASHBACK_EVENTS = ["cashback.created", "cashback.cleared", "cashback.reverted"] as const;
const STAMP_EVENTS = [
  "qualifying_purchase.created",
  "qualifying_purchase.voided",
  "qualifying_purchase.unredeemed",
] as const;

/** An event for webhooks (contract, section 10) before it has an id, with UUIDs. `at`: its `timestamp`. */
export type RewardEvent =
  | {
      readonly type: (typeof CASHBACK_EVENTS)[number];
      readonly at: string;
      readonly transactionId: string;
      readonly transactionRef: string;
      readonly cashbackId: string;
      readonly amount: number;
      readonly currency: string;
      readonly source: CashbackSource;
    }
  | {
      readonly type: (typeof STAMP_EVENTS)[number];
      /** Also the `created_at` or `voided_at` of the first two. */
      readonly at: string;
      readonly transactionId: string;
      readonly transactionRef: string;
      readonly qualifyingPurchaseId: string;
      readonly loyaltyProgramId: string;
      readonly stampCollectionId: string;
      /** The counter right after this event. */
      readonly unredeemedPurchases: number;
      /** Of an unredeemed stamp: the redemption that held it. */
      readonly redemptionId?: string | undefined;
    };

/** In minor units of the currency. */
export interface Worth {
  readonly amount: number;
  readonly currency: string;
}

/**
 * Why an outcome changed nothing. transaction_reverted: a refund earns nothing; already_stamped: the
 * transaction has its stamp in this collection; already_redeemed: the clip was used.
 */
export type Ignored = "transaction_reverted" | "already_stamped" | "already_redeemed";

/**
 * A rule's decision: the new state, and the changes and events in order.
 */
export interface RewardStep<T> {
  readonly state: T;
  readonly changes: readonly RewardChange[];
  readonly events: readonly RewardEvent[];
  readonly ignored: Ignored | null;
}

/** The time and the ids, which pure rules are given. */
export interface RewardContext {
  /** The time of all changes and events of the step. */
  readonly at: string;
  /**
   * The UUID of a name: the same name always gives the same id.
   * @param transactionId the id begins with its time
   * @param place orders ids of the same time
   */
  readonly idOf: (name: string, transactionId: string, place?: number) => string;
  /**
   * A place in the order of settling: transactions that settled later count as authorized, and are left to later settlements. Left
   * out: all settled ones count. So an outcome that comes again after a restore finds the same state as the first time.
   */
  readonly moment?: number | undefined;
}

/** The state of a transaction at a place in the order of settling. */
export function asOfMoment(
  transaction: RewardTransaction,
  moment = Number.POSITIVE_INFINITY,
): RewardTransaction {
  return transaction.state === "authorized" || placeOf(transaction) <= moment
    ? transaction
    : { ...transaction, state: "authorized", settledOrder: null };
}

/** The place of a settled transaction in the order of settling. */
export function placeOf({ settledOrder }: RewardTransaction): number {
  return settledOrder ?? 0;
}

/** The changes and events that a step collects. */
export interface RewardRecord {
  readonly changes: RewardChange[];
  readonly events: RewardEvent[];
  readonly at: string;
}

/** Makes a cashback. If its transaction has already cleared, the cashback is created and cleared, in that order. */
export function makeCashback(
  record: RewardRecord,
  transaction: RewardTransaction,
  fields: Pick<Cashback, "id" | "amount" | "currency" | "source">,
): Cashback {
  const pending: Cashback = {
    id: fields.id,
    transactionId: transaction.id,
    transactionRef: transaction.ref,
    amount: fields.amount,
    currency: fields.currency,
    state: "pending",
    source: fields.source,
  };
  record.changes.push({ type: "cashback_made", cashback: pending, at: record.at });
  record.events.push(cashbackEvent("cashback.created", pending, record.at));
  return transaction.state === "cleared" ? clearCashback(record, pending) : pending;
}

/** @param settled its worth after the purchase settled; absent: its worth so far */
export function clearCashback(record: RewardRecord, cashback: Cashback, settled: Worth = cashback): Cashback {
  const { amount, currency } = settled;
  const isSame = amount === cashback.amount && currency === cashback.currency;
  record.changes.push({
    type: "cashback_cleared",
    cashbackId: cashback.id,
    worth: isSame ? null : { amount, currency },
    at: record.at,
  });
  const cleared: Cashback = { ...cashback, amount, currency, state: "cleared" };
  record.events.push(cashbackEvent("cashback.cleared", cleared, record.at));
  return cleared;
}

export function revertCashback(record: RewardRecord, cashback: Cashback): Cashback {
  record.changes.push({ type: "cashback_reverted", cashbackId: cashback.id, at: record.at });
  record.events.push(cashbackEvent("cashback.reverted", cashback, record.at));
  return { ...cashback, state: "reverted" };
}

function cashbackEvent(type: (typeof CASHBACK_EVENTS)[number], cashback: Cashback, at: string): RewardEvent {
  return {
    type,
    at,
    transactionId: cashback.transactionId,
    transactionRef: cashback.transactionRef,
    cashbackId: cashback.id,
    amount: cashback.amount,
    currency: cashback.currency,
    source: cashback.source,
  };
}
