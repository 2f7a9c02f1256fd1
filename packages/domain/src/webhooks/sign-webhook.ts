import { createHmac } from "node:crypto";
import { webhookSecretBytes } from "../webhook-secret.ts";

/** What a delivery's signature covers. */
interface SignedContent {
  /** The `webhook-id` header. */
  readonly id: string;
  /** The `webhook-timestamp` header: seconds since 1970. */
  readonly timestamp: string;
  /** The body, as it is sent. */
  readonly body: string | Uint8Array;
}

/**
 * One signature of a delivery (Standard Webhooks 1.0.0, symmetric): `v1,` and the base64 of HMAC-SHA256 of
 * `id.timestamp.body`. The `webhook-signature` header has one for each secret, with spaces between.
 * @param secret `whsec_…`
 */
export function signWebhook(secret: string, { id, timestamp, body }: SignedContent): string {
  const hmac = createHmac("sha256", webhookSecretBytes(secret));
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
