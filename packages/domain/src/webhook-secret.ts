/**
 * The secrets that sign webhook deliveries (Standard Webhooks 1.0.0): `whsec_` and the base64 of 24 to 64
 * bytes.
 */
const PREFIX = "whsec_";
const RANDOM_BYTES = 32;
const BYTES = { min: 24, max: 64 };

/** Whether a text is a secret, its base64 in the one canonical form. */
export function isWebhookSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined) return false;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.length >= BYTES.min && bytes.length <= BYTES.max && bytes.toString("base64") === encoded;
}

/** @param random 32 bytes from a cryptographic source */
export function createWebhookSecret(random: Uint8Array): string {
  if (random.length !== RANDOM_BYTES) {
    throw new RangeError(`a webhook secret is made of ${RANDOM_BYTES} random bytes`);
  }
  return PREFIX + Buffer.from(random).toString("base64");
}

/**
 * The bytes that sign.
 * @param secret in the form above, which the schema of `webhook/create` has checked
 */
export function webhookSecretBytes(secret: string): Uint8Array {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

/**
 * The context of a sealed secret, which must be the same for sealing and opening: a secret does not open if its row was moved to
 * another webhook.
 */
export function webhookSecretContext(webhookId: string, secretId: string): string {
  return `webhook-secret\n${webhookId}\n${secretId}`;
}
