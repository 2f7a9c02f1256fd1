import { uuidv7 } from "uuidv7";
import type { RejectedEvent, WebhookEventDraft } from "#contract";
import type { StoredTransaction } from "#domain";
import { encodeId } from "#domain";
import type { Sql } from "#postgres";
import type { StoredEvent } from "#publisher-db";
import type { BatchPart } from "./record-batch-parts.ts";
import type { LatePart } from "./report.ts";
import { findTransactions } from "./transactions/find-transactions.ts";

/**
 * Adds what webhooks are told of rejected events whose caller was not: one event each, in the order of the request. Reads
 * the database only if there are any.
 *
 * The ids are new each time, and that is no harm: only the first record of a part counts, with its events.
 */
export async function tellRejections(sql: Sql, late: readonly LatePart[], now: Date): Promise<BatchPart[]> {
  const keys = late.flatMap(({ organisationId, rejected }) =>
    rejected.map((rejection) => ({ organisationId, externalId: rejection.external_id })),
  );
  const found = await findTransactions(sql, keys);
  let next = 0;
  return late.map((part) => ({
    ...part,
    events: part.rejected.map((rejection) => toEvent(part, rejection, found[next++], now)),
  }));
}

function toEvent(
  { organisationId, batchId }: LatePart,
  { code, reason, external_id }: RejectedEvent,
  found: StoredTransaction | undefined,
  now: Date,
): StoredEvent {
  const transactionId = found?.id ?? null;
  const id = uuidv7();
  const event: WebhookEventDraft = {
    event_id: encodeId("evt", id),
    type: "transaction.rejected",
    timestamp: now.toISOString(),
    ...(transactionId !== null && { transaction_id: encodeId("tx", transactionId) }),
    transaction_ref: external_id,
    code,
    reason,
    batch_id: encodeId("batch", batchId),
  };
  return {
    id,
    organisationId,
    type: event.type,
    at: event.timestamp,
    transactionId,
    memberId: found?.memberId ?? null,
    body: JSON.stringify(event),
  };
}
