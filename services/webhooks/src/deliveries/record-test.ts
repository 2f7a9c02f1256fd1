import type { Sql } from "#postgres";
import { lockForEvents, type StoredEvent, storedEvents } from "#publisher-db";

/** The one attempt of a test. Ids are UUIDs. */
export interface TestAttempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  /** The `webhook.test` event that was sent, of the webhook's organisation. */
  readonly event: StoredEvent;
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  /** null: delivered. */
  readonly errorClass: string | null;
  readonly answer: string | null;
}

/**
 * Records a test among the webhook's deliveries, with its event. It has no place in their order, is not tried again and
 * not replayed, and says nothing about whether the webhook fails: it is somebody who tries something out.
 */
export async function recordTest(sql: Sql, test: TestAttempt): Promise<void> {
  const { deliveryId, webhookId, event, at, durationMs, status, errorClass, answer } = test;
  const delivered = errorClass === null;
  await sql`
    with held as materialized (select ${lockForEvents(sql)}),
    tested as (
      insert into events (id, organisation_id, type, at, transaction_id, body)
      select id, organisation_id, type, at, transaction_id, body
      from ${storedEvents(sql, [event])} cross join held
      returning sequence
    )
    insert into webhook_deliveries (
      id, webhook_id, organisation_id, created_at, last_attempt_at, failed_at, attempts, failures, status, duration_ms,
      state, error_class, event_sequences, answer
    )
    select ${deliveryId}, ${webhookId}, ${event.organisationId}, ${at}, ${at}, ${delivered ? null : at}::timestamptz, 1,
           ${delivered ? 0 : 1}, ${status}, ${Math.round(durationMs)}, ${delivered ? "delivered" : "failed"},
           ${errorClass}, array[sequence], ${answer}
    from tested`;
}
