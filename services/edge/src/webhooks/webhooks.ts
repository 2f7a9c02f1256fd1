import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError, LIMITS } from "#contract";
import {
  createWebhookSecret,
  decodeId,
  encodeId,
  type TargetPolicy,
  targetFault,
  webhookSecretBytes,
  webhookSecretContext,
} from "#domain";
import { badRequest, type CursorKey, found, type HttpResponse, jsonResponse, notFound } from "#http";
import type { SharedStore } from "#postgres";
import type { SealedWebhookSecret, Webhook } from "#publisher-db";
import type { SecretBox } from "#runtime";
import { defineEndpoint, defineList, type PublisherEndpoint } from "../endpoint.ts";
import { defineRepeatable, type IdempotencyKeys } from "../idempotency-keys.ts";
import { type Bounds, refuseWithoutRoom } from "../lists/bounds.ts";
import { measureWebhookBacklog } from "./webhook-backlog.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  type SecretRotated,
  updateWebhook,
} from "./webhook-rows.ts";

/** Contract, section 5: how long the previous secret signs, too, unless the request says otherwise. */
const OVERLAP_SECONDS = 86_400;

interface WebhookEndpointsOptions {
  readonly store: SharedStore;
  readonly cursors: CursorKey;
  readonly keys: IdempotencyKeys;
  /** Seals the secrets: the database never holds a plain one. */
  readonly secrets: SecretBox;
  /** The allowed targets of deliveries. */
  readonly targets: TargetPolicy;
  readonly bounds: Bounds;
}

export function webhookEndpoints(options: WebhookEndpointsOptions): PublisherEndpoint[] {
  const { store, cursors, keys, secrets, targets, bounds } = options;
  return [
    defineRepeatable(keys, "webhook/create", async ({ body, caller }, sql) => {
      checkTarget(body.url, targets);
      await refuseWithoutRoom(sql, caller.organisationId, "webhooks", bounds);
      const id = uuidv7();
      const secret = body.secret ?? createWebhookSecret(randomBytes(32));
      const webhook = await createWebhook(sql, {
        id,
        organisationId: caller.organisationId,
        url: body.url,
        events: body.events,
        description: body.description ?? "",
        secret: sealSecret(secrets, id, secret),
      });
      return jsonResponse(200, { ...writeWebhook(webhook), secret } satisfies AnswerOf<"webhook/create">);
    }),

    defineEndpoint("webhook/get", async ({ body, caller: { organisationId } }) => {
      const id = found(decodeId("whk", body.id), unknownWebhook);
      const webhook = found(
        await getWebhook(store.lineOf(organisationId), organisationId, id),
        unknownWebhook,
      );
      const backlog = await measureWebhookBacklog(store.lineOf(organisationId), organisationId, id);
      return jsonResponse(200, {
        ...writeWebhook(webhook),
        // Undefined: the webhook was deleted a moment ago.
        pending_events: backlog?.pendingEvents ?? 0,
        ...(backlog?.oldestPendingAt && { oldest_pending_at: backlog.oldestPendingAt.toISOString() }),
      } satisfies AnswerOf<"webhook/get">);
    }),

    defineList("webhook/list", { store, cursors }, listWebhooks, writeWebhook),

    defineEndpoint("webhook/update", async ({ body, caller: { organisationId } }) => {
      if (body.url !== undefined) checkTarget(body.url, targets);
      const id = found(decodeId("whk", body.id), unknownWebhook);
      return answerWebhook(await updateWebhook(store.lineOf(organisationId), organisationId, id, body));
    }),

    defineEndpoint("webhook/delete", async ({ body, caller: { organisationId } }) => {
      const id = found(decodeId("whk", body.id), unknownWebhook);
      return answerWebhook(await deleteWebhook(store.lineOf(organisationId), organisationId, id));
    }),

    defineEndpoint("webhook/rotate-secret", async ({ body, caller: { organisationId } }) => {
      const id = found(decodeId("whk", body.id), unknownWebhook);
      const secret = createWebhookSecret(randomBytes(32));
      const outcome = await rotateWebhookSecret(store.lineOf(organisationId), organisationId, id, {
        secret: sealSecret(secrets, id, secret),
        overlapSeconds: body.overlap_seconds ?? OVERLAP_SECONDS,
        maxSecrets: LIMITS.secretsPerWebhook,
      });
      return answerRotation(outcome, id, secret);
    }),
  ];
}

function answerRotation(outcome: SecretRotated, id: string, secret: string): HttpResponse {
  switch (outcome) {
    case "rotated":
      return jsonResponse(200, {
        id: encodeId("whk", id),
        secret,
      } satisfies AnswerOf<"webhook/rotate-secret">);
    case "unknown":
      throw unknownWebhook();
    case "too_many":
      throw new ApiError(
        "conflict",
        `the webhook has ${LIMITS.secretsPerWebhook} secrets that still sign: wait until the overlap of one has ` +
          "ended, or send overlap_seconds 0, which ends the current one at once",
        { reason: "too_many_secrets" },
      );
  }
}

function checkTarget(url: string, targets: TargetPolicy): void {
  const message = targetFault(url, targets);
  if (message !== undefined) throw badRequest(`/url ${message}`, { path: "/url", message });
}

function sealSecret(secrets: SecretBox, webhookId: string, secret: string): SealedWebhookSecret {
  const id = uuidv7();
  return { id, ...secrets.seal(webhookSecretBytes(secret), webhookSecretContext(webhookId, id)) };
}

function answerWebhook(webhook: Webhook | undefined) {
  return jsonResponse(200, writeWebhook(found(webhook, unknownWebhook)));
}

export const unknownWebhook = () => notFound("webhook");

function writeWebhook(webhook: Webhook): AnswerOf<"webhook/list">["data"][number] {
  return {
    id: encodeId("whk", webhook.id),
    url: webhook.url,
    events: [...webhook.events],
    description: webhook.description,
    state: webhook.state,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
    ...(webhook.failingSince !== null && { failing_since: webhook.failingSince.toISOString() }),
    ...(webhook.lastSuccessAt !== null && { last_success_at: webhook.lastSuccessAt.toISOString() }),
  };
}
