import type { AnswerOf } from "#contract";
import { encodeId } from "#domain";
import type { TransactionCashback } from "#publisher-db";
import { writeReward } from "../wallet/cashbacks.ts";
import { writeStamp } from "../wallet/stamps.ts";
import type { Told, TracedDelivery, TracedEvent, TracedWebhook } from "./read-told.ts";
import type { TracedRedemption, TracedRows, TracedStamp, TracedTransaction } from "./read-trace.ts";

type Step = AnswerOf<"transaction/trace">["steps"][number];

/**
 * The order of steps at the same moment: rewards gives everything that it does in one batch the same time.
 */
const ORDER: Readonly<Record<Step["kind"], number>> = {
  received: 0,
  authorized: 1,
  cleared: 2,
  reverted: 3,
  sent_to_platform: 4,
  stamp: 5,
  stamp_voided: 6,
  redemption: 7,
  redemption_undone: 8,
  cashback: 9,
  cashback_cleared: 10,
  cashback_reverted: 11,
  event: 12,
  delivery: 13,
};

/**
 * The steps of a purchase. Pure.
 * @param hasLeft whether everything stored of it is known to be published to the platform
 */
export function traceSteps({ transaction, stamps, redemptions, told }: TracedRows, hasLeft: boolean): Step[] {
  const steps: Step[] = [
    ...lifecycleSteps(transaction),
    ...sentSteps(transaction, hasLeft, stamps.length + transaction.rewards.length > 0),
    ...stamps.flatMap((stamp) => stampSteps(stamp, told.events)),
    ...redemptions.flatMap((redemption) => redemptionSteps(redemption, stamps)),
    ...transaction.rewards.flatMap(cashbackSteps),
    ...told.events.map(eventStep),
    ...told.deliveries.map((delivery) => deliveryStep(delivery, told)),
  ];
  // In this form texts sort like the times, and equal ones keep their order.
  return steps.sort((a, b) => compare(a.at, b.at) || ORDER[a.kind] - ORDER[b.kind]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function lifecycleSteps(transaction: TracedTransaction): Step[] {
  const { network, createdAt, authedAt, clearedAt, revertedAt, amount, currency } = transaction;
  const transaction_id = encodeId("tx", transaction.id);
  const money = { ...(amount !== null && { amount }), ...(currency !== null && { currency }) };
  const steps: Step[] = [
    { at: createdAt.toISOString(), kind: "received", transaction_id },
    {
      at: authedAt.toISOString(),
      kind: "authorized",
      transaction_id,
      network,
      ...writeMerchant(transaction),
      ...money,
    },
  ];
  if (clearedAt !== null)
    steps.push({ at: clearedAt.toISOString(), kind: "cleared", transaction_id, ...money });
  if (revertedAt !== null) {
    steps.push({ at: revertedAt.toISOString(), kind: "reverted", transaction_id, ...money });
  }
  return steps;
}

function writeMerchant({ merchantId, statementDescriptor }: TracedTransaction) {
  return {
    merchant_id: merchantId,
    ...(statementDescriptor !== null && { statement_descriptor: statementDescriptor }),
  };
}

/**
 * The time when its record was published. It is not stored, because every event would pay for that: the
 * record is published right after the commit that created or changed the transaction.
 * @param cameBack something was earned, so its first record was published
 */
function sentSteps(transaction: TracedTransaction, hasLeft: boolean, cameBack: boolean): Step[] {
  const { createdAt, updatedAt } = transaction;
  const sent = (at: Date): Step => ({
    at: at.toISOString(),
    kind: "sent_to_platform",
    transaction_id: encodeId("tx", transaction.id),
    ...writeMerchant(transaction),
  });
  const changed = updatedAt.getTime() > createdAt.getTime();
  const first = hasLeft || cameBack ? [sent(createdAt)] : [];
  return changed && hasLeft ? [...first, sent(updatedAt)] : first;
}

function writeCard({ stampCollectionId, loyaltyProgramId, programName }: TracedStamp) {
  return {
    stamp_collection_id: encodeId("sc", stampCollectionId),
    loyalty_program_id: encodeId("lp", loyaltyProgramId),
    ...(programName !== null && { program_name: programName }),
  };
}

function stampSteps(stamp: TracedStamp, events: readonly TracedEvent[]): Step[] {
  const { createdAt, voidedAt, position, qualifyingThreshold } = stamp;
  const { state, purchase_amount, currency } = writeStamp(stamp);
  const shown = (type: string) => {
    const unredeemed = counterAfter(events, type, stamp.id);
    return {
      qualifying_purchase_id: encodeId("qp", stamp.id),
      ...writeCard(stamp),
      number: position,
      ...(unredeemed !== undefined && { unredeemed_purchases: unredeemed }),
      ...(qualifyingThreshold !== null && { qualifying_threshold: qualifyingThreshold }),
    };
  };
  const made: Step = {
    at: createdAt.toISOString(),
    kind: "stamp",
    ...shown("qualifying_purchase.created"),
    state,
    ...(purchase_amount !== undefined && { purchase_amount }),
    ...(currency !== undefined && { currency }),
  };
  if (voidedAt === null) return [made];
  const voided = shown("qualifying_purchase.voided");
  return [made, { at: voidedAt.toISOString(), kind: "stamp_voided", ...voided }];
}

/** The card's counter after a step, from its event; undefined once the event is not kept any more. */
function counterAfter(events: readonly TracedEvent[], type: string, stampId: string): number | undefined {
  const id = encodeId("qp", stampId);
  for (const event of events) {
    if (event.type !== type) continue;
    const said = JSON.parse(event.body) as { qualifying_purchase_id: string; unredeemed_purchases: number };
    if (said.qualifying_purchase_id === id) return said.unredeemed_purchases;
  }
  return undefined;
}

/** Empty without a cashback: a wallet's lists do not show such a redemption either. */
function redemptionSteps(redemption: TracedRedemption, stamps: readonly TracedStamp[]): Step[] {
  const { id, stampId, createdAt, undoneAt, stampsTotal, cashback } = redemption;
  if (cashback === null) return [];
  const shown = {
    redemption_id: encodeId("red", id),
    ...writeCard(stamps.find((stamp) => stamp.id === stampId) as TracedStamp),
    stamps_total: stampsTotal,
    transaction_ref: cashback.transactionRef,
    cashback_id: encodeId("cb", cashback.id),
    amount: cashback.amount,
    currency: cashback.currency,
  };
  const made: Step = { at: createdAt.toISOString(), kind: "redemption", ...shown };
  if (undoneAt === null) return [made];
  return [made, { at: undoneAt.toISOString(), kind: "redemption_undone", ...shown }];
}

function cashbackSteps(reward: TransactionCashback): Step[] {
  const { id, state, amount, currency, source, created_at, cleared_at, reverted_at } = writeReward(reward);
  const shown = { cashback_id: id, amount, currency, source };
  const steps: Step[] = [{ at: created_at, kind: "cashback", ...shown, state }];
  if (cleared_at !== undefined) steps.push({ at: cleared_at, kind: "cashback_cleared", ...shown });
  if (reverted_at !== undefined) steps.push({ at: reverted_at, kind: "cashback_reverted", ...shown });
  return steps;
}

function eventStep({ at, id, type }: TracedEvent): Step {
  return { at: at.toISOString(), kind: "event", event_id: encodeId("evt", id), event_type: type };
}

function deliveryStep(delivery: TracedDelivery, { webhooks, events }: Told): Step {
  const { id, webhookId, state, attempts, status, errorClass, nextAttemptAt } = delivery;
  const own = events.filter(({ sequence }) => delivery.sequences.includes(sequence));
  return {
    at: (delivery.lastAttemptAt ?? delivery.createdAt).toISOString(),
    kind: "delivery",
    delivery_id: encodeId("dlv", id),
    webhook_id: encodeId("whk", webhookId),
    webhook_url: (webhooks.find((webhook) => webhook.id === webhookId) as TracedWebhook).url,
    state,
    attempts,
    ...(status !== null && { status }),
    ...(errorClass !== null && { error_class: errorClass }),
    ...(state === "pending" && nextAttemptAt !== null && { next_attempt_at: nextAttemptAt.toISOString() }),
    event_ids: own.map((event) => encodeId("evt", event.id)),
  };
}
