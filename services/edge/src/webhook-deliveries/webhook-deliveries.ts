import type { AnswerOf, RequestOf } from "#contract";
import { canonicalJson, decodeId, encodeId, NIL_UUID } from "#domain";
import { answerList, type CursorKey, found, jsonResponse, notFound, readTimeSpan } from "#http";
import type { SharedStore } from "#postgres";
import { defineById, defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import type { TestEvents } from "../webhooks/ask-webhook-test.ts";
import { getWebhook } from "../webhooks/webhook-rows.ts";
import { unknownWebhook } from "../webhooks/webhooks.ts";
import {
  type AttemptedDelivery,
  type AttemptRecord,
  type DeliveryRecord,
  getDelivery,
  listDeliveries,
} from "./delivery-rows.ts";
import { type ReplayedEvents, replayDeliveries } from "./replay-deliveries.ts";
import { retryEndpoint } from "./retry-deliveries.ts";

/** An id that no event has. */
const NO_EVENT = NIL_UUID;

/** Endpoints to list what was sent to webhooks, to send it again, and to send a test. */
export function webhookDeliveryEndpoints(
  store: SharedStore,
  cursors: CursorKey,
  tests: TestEvents,
): PublisherEndpoint[] {
  return [
    defineEndpoint("webhook/test", async ({ body, caller, traceparent }) => {
      const { organisationId } = caller;
      const webhookId = found(decodeId("whk", body.id), unknownWebhook);
      found(await getWebhook(store.lineOf(organisationId), organisationId, webhookId), unknownWebhook);
      const result = await tests.send(organisationId, webhookId, traceparent);
      if (result === null) throw unknownWebhook();
      const { deliveryId, status, errorClass, answer, durationMs } = result;
      return jsonResponse(200, {
        delivery_id: encodeId("dlv", deliveryId),
        delivered: errorClass === null,
        ...writeOutcome(status, errorClass, answer),
        duration_ms: Math.round(durationMs),
      } satisfies AnswerOf<"webhook/test">);
    }),

    defineEndpoint("webhook.delivery/list", ({ body, caller: { organisationId } }) => {
      const { pagination: _, ...filters } = body;
      const scope = `webhook.delivery/list ${canonicalJson(filters)}`;
      const made = readTimeSpan(body);
      return answerList(
        { cursors, scope, owner: organisationId, pagination: body.pagination },
        async (page) => {
          const webhookId = found(decodeId("whk", body.webhook_id), unknownWebhook);
          const { state, order, event_id } = body;
          const eventId = event_id === undefined ? undefined : (decodeId("evt", event_id) ?? NO_EVENT);
          const listing = { organisationId, webhookId, state, order, made, eventId };
          return found(await listDeliveries(store.lineOf(organisationId), listing, page), unknownWebhook);
        },
        writeDelivery,
      );
    }),

    defineById(
      "webhook.delivery/get",
      { store, prefix: "dlv", unknown: unknownDelivery },
      getDelivery,
      writeAttempted,
    ),

    retryEndpoint(store),

    defineEndpoint("webhook.delivery/replay", async ({ body, caller }) => {
      const events = readReplay(body);
      const webhookId = found(decodeId("whk", body.webhook_id), unknownWebhook);
      const { organisationId } = caller;
      const queued = await replayDeliveries(store.lineOf(organisationId), {
        organisationId,
        webhookId,
        events,
      });
      return jsonResponse(200, {
        queued: found(queued, unknownWebhook),
      } satisfies AnswerOf<"webhook.delivery/replay">);
    }),
  ];
}

/**
 * The schema guarantees that it is one of the three. An id of another form belongs to no event and is left
 * out.
 */
function readReplay({ event_ids, ...span }: RequestOf<"webhook.delivery/replay">): ReplayedEvents {
  if (event_ids !== undefined) {
    return { ids: event_ids.map((id) => decodeId("evt", id)).filter((id) => id !== undefined) };
  }
  const { since, until } = readTimeSpan(span);
  if (since === undefined) return "failed";
  return { since: new Date(since), until: until === undefined ? until : new Date(until) };
}

const unknownDelivery = () => notFound("delivery", "webhook_delivery");

function writeAttempted(delivery: AttemptedDelivery): AnswerOf<"webhook.delivery/get"> {
  return { ...writeDelivery(delivery), attempt_log: delivery.attemptLog.map(writeAttempt) };
}

function writeAttempt({ number, at, durationMs, status, errorClass, answer }: AttemptRecord) {
  return {
    number,
    attempted_at: at.toISOString(),
    duration_ms: durationMs,
    ...writeOutcome(status, errorClass, answer),
  };
}

function writeDelivery(delivery: DeliveryRecord): AnswerOf<"webhook.delivery/list">["data"][number] {
  const { state, lastAttemptAt, nextAttemptAt, durationMs, splitFrom, replayedAt } = delivery;
  return {
    id: encodeId("dlv", delivery.id),
    webhook_id: encodeId("whk", delivery.webhookId),
    event_ids: delivery.eventIds.map((id) => encodeId("evt", id)),
    state,
    attempts: delivery.attempts,
    ...writeOutcome(delivery.status, delivery.errorClass, delivery.answer),
    ...(durationMs !== null && { duration_ms: durationMs }),
    created_at: delivery.createdAt.toISOString(),
    ...(lastAttemptAt !== null && { last_attempt_at: lastAttemptAt.toISOString() }),
    ...(state === "pending" && nextAttemptAt !== null && { next_attempt_at: nextAttemptAt.toISOString() }),
    ...(state === "delivered" && lastAttemptAt !== null && { delivered_at: lastAttemptAt.toISOString() }),
    ...(splitFrom !== null && { split_from: encodeId("dlv", splitFrom) }),
    ...(replayedAt !== null && { replayed_at: replayedAt.toISOString() }),
  };
}

function writeOutcome(status: number | null, errorClass: string | null, answer: string | null) {
  return {
    ...(status !== null && { status }),
    ...(errorClass !== null && { error_class: errorClass }),
    ...(answer !== null && { answer }),
  };
}
