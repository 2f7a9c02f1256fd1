import { randomUUID } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { WebhookEvent } from "#contract";
import { encodeId } from "#domain";
import type { StoredEvent } from "#publisher-db";

/** What all webhooks here subscribe to: the most frequent type. */
export const EVENT_TYPE = "qualifying_purchase.created";

const AT = "2026-03-01T10:00:00.000Z";
const SOME_UUID = "01890a5d-ac96-774b-bcce-b302099a8057";

/** @param number of the event among those of its organisation, from 1: the receiver checks the order by it */
export function makeBenchEvent(organisationId: string, number: number): StoredEvent {
  const id = uuidv7();
  const transactionId = randomUUID();
  return {
    id,
    organisationId,
    type: EVENT_TYPE,
    // Not when it says that it happened: old events are swept.
    at: new Date().toISOString(),
    transactionId,
    body: eventBody(encodeId("evt", id), encodeId("tx", transactionId), String(number)),
  };
}

/** As large as a real one. */
export function eventBody(event_id: string, transaction_id: string, transaction_ref: string): string {
  const event: WebhookEvent = {
    event_id,
    type: EVENT_TYPE,
    timestamp: AT,
    transaction_id,
    transaction_ref,
    qualifying_purchase_id: encodeId("qp", SOME_UUID),
    loyalty_program_id: encodeId("lp", SOME_UUID),
    stamp_collection_id: encodeId("sc", SOME_UUID),
    unredeemed_purchases: 3,
    created_at: AT,
  };
  return JSON.stringify(event);
}
