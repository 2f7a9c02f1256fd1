import { V7Generator } from "uuidv7";
import type { WebhookEvent, WebhookTestRequest, WebhookTestResult } from "#contract";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import type { StoredEvent } from "#publisher-db";
import type { Log, Tracing } from "#runtime";
import { beginAttemptSpan, endAttemptSpan } from "./attempt-span.ts";
import { findTestTarget } from "./deliveries/find-test-target.ts";
import { recordTest } from "./deliveries/record-test.ts";
import { type SecretCache, UNSIGNED } from "./secret-cache.ts";
import type { Sender } from "./send/sender.ts";

/**
 * Makes the one attempt that `webhook/test` asks for, whatever state the webhook is in and whatever waits for it: a test
 * stands in no order and is not tried again. Without a secret that opens nothing is sent, and that is the outcome. Null is
 * answered where the webhook is gone: an asker who hears nothing waits for its time-out.
 *
 * A crash after the request leaves no record of it, and the asker without an answer.
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
  const { store, sender, secrets, now, tracing, log } = parts;
  const test = async ({
    organisation,
    webhook: webhookId,
    traceparent,
  }: WebhookTestRequest): Promise<WebhookTestResult | null> => {
    const at = now();
    const target = await findTestTarget(store, { organisationId: organisation, webhookId });
    if (target === undefined) return null;
    const opened = secrets.open(webhookId, target.secrets);
    const deliveryId = idAt(at);
    const event = testEvent(organisation, at);
    const send = async () => {
      const made = { id: deliveryId, eventIds: [event.id], failures: 0, traceparents: [traceparent] };
      const span = tracing && beginAttemptSpan(tracing, target.url, made);
      const sent = await sender.send({
        url: target.url,
        webhookId: encodeId("dlv", deliveryId),
        timestamp: at,
        body: `{"events":[${event.body}]}`,
        secrets: opened,
        traceparent: span?.traceparent,
      });
      if (span !== undefined) endAttemptSpan(span, sent);
      return sent;
    };
    const { status, errorClass, answer, durationMs } = opened.length === 0 ? UNSIGNED : await send();
    const result: WebhookTestResult = { deliveryId, status, errorClass, answer, durationMs };
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

const generator = new V7Generator();

/** Of that time, by which lists are in order and what is old is found. */
function idAt(time: Date): string {
  return generator.generateOrResetWithTs(time.getTime()).toString();
}

function testEvent(organisationId: string, at: Date): StoredEvent {
  const id = idAt(at);
  const type = "webhook.test";
  const timestamp = at.toISOString();
  const told: WebhookEvent = { event_id: encodeId("evt", id), type, timestamp };
  return { id, organisationId, type, at: timestamp, transactionId: null, body: JSON.stringify(told) };
}
