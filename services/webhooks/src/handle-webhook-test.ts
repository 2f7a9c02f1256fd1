import { V7Generator } from "uuidv7";
import type { WebhookEvent, WebhookTestRequest, WebhookTestResult } from "#contract";
import { encodeId } from "#domain";
import type { Sql, Store } from "#postgres";
import { lockForEvents, type StoredEvent, storedEvents } from "#publisher-db";
import type { Log, Tracing } from "#runtime";
import {
  type LeasedWebhook,
  leasedColumns,
  toLeasedWebhook,
  type WebhookRow,
} from "./deliveries/leased-webhook.ts";
import { makeAttempt, type SecretCache, UNSIGNED } from "./make-attempt.ts";
import type { Sender } from "./send/sender.ts";

/**
 * Makes the one attempt that `webhook/test` asks for, in every state of the webhook, and before its pending deliveries: a test has no
 * place in their order and is not tried again. If no secret opens, nothing is sent, and that is the result. If the webhook is gone,
 * the answer is null, because without an answer the edge waits until its time-out.
 *
 * A crash after the request leaves no record of it, and the edge gets no answer.
 */
export function createTestHandler(parts: {
  store: Store;
  sender: Sender;
  secrets: SecretCache;
  /** The database's time. */
  now: () => Date;
  tracing?: Tracing | undefined;
  log: Log;
}): (data: Uint8Array) => Promise<string | undefined> {
  const { store, now, log } = parts;
  const test = async (asked: WebhookTestRequest): Promise<WebhookTestResult | null> => {
    const { organisation: organisationId, webhook: webhookId, traceparent } = asked;
    const at = now();
    const target = await findTestTarget(store, { organisationId, webhookId });
    if (target === undefined) return null;
    const id = idAt(at);
    const event = testEvent(organisationId, at);
    const delivery = {
      id,
      events: 1,
      body: event.body,
      traceparents: [traceparent],
      failures: 0,
    };
    const made = (await makeAttempt(parts, target, delivery, at)) ?? UNSIGNED;
    const { status, errorClass, answer, durationMs } = made;
    const result: WebhookTestResult = { deliveryId: id, status, errorClass, answer, durationMs };
    await recordTest(store, { webhookId, event, at, ...result });
    return result;
  };
  return async (data) => {
    try {
      return JSON.stringify(await test(JSON.parse(Buffer.from(data).toString()) as WebhookTestRequest));
    } catch (error) {
      log.warn({ err: error }, "webhook test failed");
      return undefined;
    }
  };
}

/** The webhook to test, in any state, without a lock. undefined: the organisation has no such webhook. */
async function findTestTarget(
  sql: Sql,
  { organisationId, webhookId }: { readonly organisationId: string; readonly webhookId: string },
): Promise<LeasedWebhook | undefined> {
  const [row] = await sql<WebhookRow[]>`
    select ${leasedColumns(sql)} from webhooks w
    where w.id = ${webhookId} and w.organisation_id = ${organisationId}`;
  return row && toLeasedWebhook(row, []);
}

const generator = new V7Generator();

/** An id with the database's time: lists have the order of ids, and the sweep finds old rows by them. */
function idAt(time: Date): string {
  return generator.generateOrResetWithTs(time.getTime()).toString();
}

function testEvent(organisationId: string, at: Date): StoredEvent {
  const id = idAt(at);
  const type = "webhook.test";
  const timestamp = at.toISOString();
  const told: WebhookEvent = {
    event_id: encodeId("evt", id),
    type,
    timestamp,
    member_id: null,
    member_ref: null,
  };
  return { id, organisationId, type, at: timestamp, transactionId: null, body: JSON.stringify(told) };
}

/** The one attempt of a test. Ids are UUIDs. */
interface TestAttempt extends WebhookTestResult {
  readonly webhookId: string;
  /** The `webhook.test` event that was sent, for the webhook's organisation. */
  readonly event: StoredEvent;
  readonly at: Date;
}

/**
 * Records a test among the webhook's deliveries, with its event. A test has no place in their order, and is neither tried again nor
 * replayed. It does not change whether the webhook counts as failing.
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
