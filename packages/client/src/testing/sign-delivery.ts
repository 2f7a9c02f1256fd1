import { randomBytes } from "node:crypto";
import { createWebhookSecret as secretOf } from "#domain/formats";
import { deliveryHeaders } from "#domain/webhooks";
import type { WebhookEvent } from "../generated/publisher-api.ts";
import { checkSecrets } from "../verify-webhook.ts";
import { recordId } from "./builders.ts";

export interface SignDeliveryOptions {
  /** `whsec_…`; several, as while secrets overlap after a rotation: each signs. */
  readonly secret: string | readonly string[];
  readonly events: readonly WebhookEvent[];
  /** The delivery's id, the same over its attempts. Default: a new one. */
  readonly id?: string | undefined;
  /** When the attempt is made. Default: now. */
  readonly at?: Date | undefined;
}

/** A request to a webhook: POST it unchanged. */
export interface SignedDelivery {
  readonly headers: {
    readonly "content-type": string;
    readonly "webhook-id": string;
    readonly "webhook-timestamp": string;
    readonly "webhook-signature": string;
  };
  readonly body: string;
}

/**
 * A delivery as Stampede makes it (Standard Webhooks 1.0.0).
 * @throws WebhookVerificationError `invalid_secret`
 */
export function signDelivery({ secret, events, id, at }: SignDeliveryOptions): SignedDelivery {
  const secrets = typeof secret === "string" ? [secret] : secret;
  checkSecrets(secrets);
  const body = JSON.stringify({ events });
  const content = { id: id ?? recordId("dlv"), at: at ?? new Date(), body };
  return { headers: deliveryHeaders(secrets, content), body };
}

/** A secret as `webhook/create` answers it. */
export function createWebhookSecret(): string {
  return secretOf(randomBytes(32));
}
