import type { WebhookEventDraft } from "#contract";
import { encodeId, nameUuid, type StoredTransaction } from "#domain";
import type { Sql } from "#postgres";
import type { StoredEvent } from "#publisher-db";
import type { KeptRejection } from "./collect-findings.ts";
import { findTransactions } from "./load-for-events.ts";

/** A rejected event that webhooks report: its caller got 202 and does not wait. */
export interface ToldRejection extends KeptRejection {
  readonly batchId: string;
}

export function isTold(rejection: KeptRejection): rejection is ToldRejection {
  return !rejection.awaited && rejection.batchId !== null;
}

/**
 * Builds the webhook events for rejected events whose callers do not wait: one each, in the order of the
 * request. Its id is derived from batch and place: if the message is applied again to a restored database,
 * the id is the same.
 * @param sql the batch's transaction, which created or found their rows
 * @param now the database's time
 */
export async function composeRejections(
  sql: Sql,
  told: readonly ToldRejection[],
  now: Date,
): Promise<StoredEvent[]> {
  const found = await findTransactions(sql, told);
  return told.map((rejection, i) => toEvent(rejection, found[i], now));
}

function toEvent(
  { organisationId, batchId, index, externalId, rejection: { code, reason } }: ToldRejection,
  found: StoredTransaction | undefined,
  now: Date,
): StoredEvent {
  const transactionId = found?.id ?? null;
  const id = nameUuid(`rejected:${batchId}:${index}`);
  const event: WebhookEventDraft = {
    event_id: encodeId("evt", id),
    type: "transaction.rejected",
    timestamp: now.toISOString(),
    ...(transactionId !== null && { transaction_id: encodeId("tx", transactionId) }),
    transaction_ref: externalId,
    code,
    reason,
    batch_id: encodeId("batch", batchId),
  };
  const { type, timestamp: at } = event;
  const memberId = found?.memberId ?? null;
  return { id, organisationId, type, at, transactionId, memberId, body: JSON.stringify(event) };
}
