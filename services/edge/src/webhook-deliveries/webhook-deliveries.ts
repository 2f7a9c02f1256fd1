import type { AnswerOf, RequestOf } from "#contract";
import { decodeId, encodeId, toUtcMicroseconds } from "#domain";
import { answerList, badRequest, type CursorKey, found, jsonResponse } from "#http";
import type { Store } from "#postgres";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import type { TestEvents } from "../webhooks/send-test-event.ts";
import { getWebhook } from "../webhooks/webhook-rows.ts";
import { unknownWebhook } from "../webhooks/webhooks.ts";
import {
  type DeliveryRecord,
  listDeliveries,
  type ReplayedEvents,
  replayDeliveries,
} from "./delivery-rows.ts";

/** Endpoints to see what was sent to webhooks, to send it again, and to send a test. */
export function webhookDeliveryEndpoints(
  store: Store,
  cursors: CursorKey,
  tests: TestEvents,
): PublisherEndpoint[] {
  return [
    defineEndpoint("webhook/test", async ({ body, caller, traceparent }) => {
      const { organisationId } = caller;
      const webhookId = found(decodeId("whk", body.id), unknownWebhook);
      found(await getWebhook(store, organisationId, webhookId), unknownWebhook);
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
      const scope = `webhook.delivery/list ${body.webhook_id} ${body.state ?? ""}`;
      return answerList(
        { cursors, scope, owner: organisationId, pagination: body.pagination },
        async (page) => {
          const webhookId = found(decodeId("whk", body.webhook_id), unknownWebhook);
          const listing = { organisationId, webhookId, state: body.state };
          return found(await listDeliveries(store, listing, page), unknownWebhook);
        },
        writeDelivery,
      );
    }),

    defineEndpoint("webhook.delivery/replay", async ({ body, caller }) => {
      const events = readReplay(body);
      const webhookId = found(decodeId("whk", body.webhook_id), unknownWebhook);
      const { organisationId } = caller;
      const queued = await replayDeliveries(store, { organisationId, webhookId, events });
      return jsonResponse(200, {
        queued: found(queued, unknownWebhook),
      } satisfies AnswerOf<"webhook.delivery/replay">);
    }),
  ];
}

/** The schema makes sure that it is one of the three. An id of another form belongs to no event and is left out. */
function readReplay({ event_ids, since, until }: RequestOf<"webhook.delivery/replay">): ReplayedEvents {
  if (event_ids !== undefined) {
    return { ids: event_ids.map((id) => decodeId("evt", id)).filter((id) => id !== undefined) };
  }
  if (since === undefined) return "failed";
  // A leap second is a valid timestamp, but `Date` cannot read one. In this form texts sort as the times do.
  const from = toUtcMicroseconds(since);
  if (until === undefined) return { since: new Date(from) };
  const to = toUtcMicroseconds(until);
  if (to <= from) {
    throw badRequest("/until must be after since", { path: "/until", message: "must be after since" });
  }
  return { since: new Date(from), until: new Date(to) };
}

function writeDelivery(delivery: DeliveryRecord): AnswerOf<"webhook.delivery/list">["data"][number] {
  const { state, lastAttemptAt, nextAttemptAt } = delivery;
  return {
    id: encodeId("dlv", delivery.id),
    webhook_id: encodeId("whk", delivery.webhookId),
    event_ids: delivery.eventIds.map((id) => encodeId("evt", id)),
    state,
    attempts: delivery.attempts,
    ...writeOutcome(delivery.status, delivery.errorClass, delivery.answer),
    created_at: delivery.createdAt.toISOString(),
    ...(lastAttemptAt !== null && { last_attempt_at: lastAttemptAt.toISOString() }),
    ...(state === "pending" && nextAttemptAt !== null && { next_attempt_at: nextAttemptAt.toISOString() }),
    ...(state === "delivered" && lastAttemptAt !== null && { delivered_at: lastAttemptAt.toISOString() }),
  };
}

function writeOutcome(status: number | null, errorClass: string | null, answer: string | null) {
  return {
    ...(status !== null && { status }),
    ...(errorClass !== null && { error_class: errorClass }),
    ...(answer !== null && { answer }),
  };
}
