import { type AnswerOf, ApiError } from "#contract";
import { decodeId } from "#domain";
import { found, jsonResponse } from "#http";
import type { SharedStore, Store } from "#postgres";
import { forwardFirst, type Webhook } from "#publisher-db";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { unknownWebhook } from "../webhooks/webhooks.ts";

export function retryEndpoint(store: SharedStore): PublisherEndpoint {
  return defineEndpoint("webhook/retry", async ({ body, caller: { organisationId } }) => {
    const id = found(decodeId("whk", body.id), unknownWebhook);
    const retried = found(
      await retryDeliveries(store.lineOf(organisationId), organisationId, id),
      unknownWebhook,
    );
    if ("state" in retried) throw notEnabled(retried.state);
    return jsonResponse(200, { due: retried.due } satisfies AnswerOf<"webhook/retry">);
  });
}

function notEnabled(state: string): ApiError {
  return new ApiError(
    "conflict",
    `the webhook is ${state}: webhook/update with state enabled delivers at once what waits for it`,
    { reason: "not_enabled", state },
  );
}

/** The number of deliveries made due, or the state of a webhook that is not enabled. */
type Retried = { readonly due: number } | { readonly state: Exclude<Webhook["state"], "enabled"> };

/**
 * Makes deliveries due that wait for their next attempt. They restart at the first step of the schedule, and
 * their number of refusals still counts. undefined: the organisation has no such webhook.
 *
 * A separate statement locks the queue. It waits for an attempt that is being recorded, so that the wait
 * which this attempt sets is seen and ended. A process that has the webhook leased gives it back according to
 * its deliveries.
 */
export async function retryDeliveries(
  store: Store,
  organisationId: string,
  webhookId: string,
): Promise<Retried | undefined> {
  return store.begin(async (sql) => {
    const [webhook] = await sql<{ state: Webhook["state"] }[]>`
      select w.state
      from webhook_queues q join webhooks w on w.id = q.webhook_id
      where q.webhook_id = ${webhookId} and q.organisation_id = ${organisationId}
      for update of q`;
    if (webhook === undefined) return undefined;
    const { state } = webhook;
    if (state !== "enabled") return { state };
    if (!(await forwardFirst(sql, webhookId, "kept"))) return { due: 0 };
    await sql`update webhook_queues set due_at = now() where webhook_id = ${webhookId} and enabled`;
    return { due: 1 };
  });
}
