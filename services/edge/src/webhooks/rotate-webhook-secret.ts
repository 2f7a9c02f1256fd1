import type { Store } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";

export interface SecretRotation {
  readonly secret: SealedWebhookSecret;
  /** How long the current secret goes on signing beside the new one. */
  readonly overlapSeconds: number;
  /** Secrets that a webhook may have at a time, the new one among them. */
  readonly maxSecrets: number;
}

/** `too_many`: nothing has changed; the webhook still has as many secrets as it may, whose overlaps last. */
export type SecretRotated = "rotated" | "too_many" | "unknown";

/**
 * Gives a webhook a new secret, sets the end of the one before it, and removes those that have ended.
 *
 * The webhook's row is locked in a statement of its own: of two rotations at one time the second must see the secret of
 * the first, or both would make a current one. A deletion waits as well, or is waited for.
 */
export async function rotateWebhookSecret(
  store: Store,
  organisationId: string,
  webhookId: string,
  { secret, overlapSeconds, maxSecrets }: SecretRotation,
): Promise<SecretRotated> {
  return store.begin(async (sql) => {
    const webhooks = await sql`
      select from webhooks
      where id = ${webhookId} and organisation_id = ${organisationId}
      for no key update`;
    if (webhooks.length === 0) return "unknown";
    const [{ kept }] = await sql<[{ kept: number }]>`
      select count(*) as kept from webhook_secrets
      where webhook_id = ${webhookId} and (expires_at > now() or expires_at is null and ${overlapSeconds > 0})`;
    if (kept >= maxSecrets) return "too_many";
    await sql`
      update webhook_secrets
      set expires_at = now() + ${overlapSeconds}::float8 * interval '1 second'
      where webhook_id = ${webhookId} and expires_at is null`;
    await sql`
      delete from webhook_secrets where webhook_id = ${webhookId} and expires_at <= now()`;
    await sql`
      insert into webhook_secrets (id, webhook_id, key_id, sealed)
      values (${secret.id}, ${webhookId}, ${secret.keyId}, ${secret.bytes})`;
    return "rotated";
  });
}
