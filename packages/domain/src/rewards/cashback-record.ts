import type { Cashback, RewardTransaction } from "./reward-state.ts";
import type { RewardChange, RewardEvent } from "./reward-step.ts";

/** The changes and events that a step collects. */
export interface RewardRecord {
  readonly changes: RewardChange[];
  readonly events: RewardEvent[];
  readonly at: string;
}

/**
 * Makes a cashback. If its transaction has already cleared, the cashback is created and cleared, in that
 * order.
 */
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

export function clearCashback(record: RewardRecord, cashback: Cashback): Cashback {
  record.changes.push({ type: "cashback_cleared", cashbackId: cashback.id, at: record.at });
  record.events.push(cashbackEvent("cashback.cleared", cashback, record.at));
  return { ...cashback, state: "cleared" };
}

export function revertCashback(record: RewardRecord, cashback: Cashback): Cashback {
  record.changes.push({ type: "cashback_reverted", cashbackId: cashback.id, at: record.at });
  record.events.push(cashbackEvent("cashback.reverted", cashback, record.at));
  return { ...cashback, state: "reverted" };
}

function cashbackEvent(
  type: "cashback.created" | "cashback.cleared" | "cashback.reverted",
  cashback: Cashback,
  at: string,
): RewardEvent {
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
