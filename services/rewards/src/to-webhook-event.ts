import type { WebhookEventDraft } from "#contract";
import { encodeId } from "#domain";
import type { CashbackSource, RewardEvent } from "#domain/rewards";

type CashbackEvent = Extract<WebhookEventDraft, { readonly cashback_id: string }>;

/** The length of `YYYY-MM-DDTHH:MM:SS.mmm`, the part of a timestamp down to milliseconds. */
const TO_THE_MILLISECOND = 23;

/**
 * An event of the reward rules in the form for webhooks (contract, section 10).
 * @param id UUID of the event
 */
export function toWebhookEvent(id: string, event: RewardEvent): WebhookEventDraft {
  const timestamp = `${event.at.slice(0, TO_THE_MILLISECOND)}Z`;
  // One literal each: spreading common fields costs twice as much.
  if ("cashbackId" in event) {
    return {
      event_id: encodeId("evt", id),
      type: event.type,
      timestamp,
      transaction_id: encodeId("tx", event.transactionId),
      transaction_ref: event.transactionRef,
      cashback_id: encodeId("cb", event.cashbackId),
      amount: event.amount,
      currency: event.currency,
      source: writeSource(event.source),
    };
  }
  const stamp = {
    event_id: encodeId("evt", id),
    type: event.type,
    timestamp,
    transaction_id: encodeId("tx", event.transactionId),
    transaction_ref: event.transactionRef,
    qualifying_purchase_id: encodeId("qp", event.qualifyingPurchaseId),
    loyalty_program_id: encodeId("lp", event.loyaltyProgramId),
    stamp_collection_id: encodeId("sc", event.stampCollectionId),
    unredeemed_purchases: event.unredeemedPurchases,
  };
  switch (event.type) {
    case "qualifying_purchase.created":
      return Object.assign(stamp, { type: event.type, created_at: timestamp });
    case "qualifying_purchase.voided":
      return Object.assign(stamp, { type: event.type, voided_at: timestamp });
    case "qualifying_purchase.unredeemed":
      return Object.assign(stamp, { type: event.type });
  }
}

function writeSource(source: CashbackSource): CashbackEvent["source"] {
  if (source.type === "clip") {
    return {
      type: source.type,
      clip_id: encodeId("clip", source.clipId),
      deal_id: encodeId("deal", source.dealId),
    };
  }
  return {
    type: source.type,
    loyalty_program_id: encodeId("lp", source.loyaltyProgramId),
    stamp_collection_id: encodeId("sc", source.stampCollectionId),
    redemption_id: encodeId("red", source.redemptionId),
  };
}
