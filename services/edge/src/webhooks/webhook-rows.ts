import { keyset, type Page, type PageRequest, type Sql, type Store, toPage } from "#postgres";
import { isPending, type SealedWebhookSecret, type Webhook, webhookColumns } from "#publisher-db";

/** undefined: the organisation has no such webhook. */
export async function getWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
): Promise<Webhook | undefined> {
  const [webhook] = await sql<Webhook[]>`
    select ${webhookColumns(sql)}
    from webhooks
    where id = ${webhookId} and organisation_id = ${organisationId}`;
  return webhook;
}

/** All webhooks of the organisation, oldest first. */
export async function listWebhooks(
  sql: Sql,
  organisationId: string,
  page: PageRequest,
): Promise<Page<Webhook>> {
  const rows = await sql<Webhook[]>`
    select ${webhookColumns(sql)}
    from webhooks
    where organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}

interface NewWebhook {
  readonly id: string;
  readonly organisationId: string;
  readonly url: string;
  /** At least one. */
  readonly events: readonly string[];
  readonly description: string;
  readonly secret: SealedWebhookSecret;
}

/**
 * Makes a webhook, enabled from the start. One statement makes it with its secret and its queue, so there is never a webhook
 * that cannot sign. It gets the events that are announced from now on.
 */
export async function createWebhook(sql: Sql, webhook: NewWebhook): Promise<Webhook> {
  const { id, organisationId, url, events, description, secret } = webhook;
  const [created] = await sql<[Webhook]>`
    with created as (
      insert into webhooks (id, organisation_id, url, events, description)
      values (${id}, ${organisationId}, ${url}, ${events}::text[], ${description})
      returning *
    ), secret as (
      insert into webhook_secrets (id, webhook_id, key_id, sealed)
      values (${secret.id}, ${id}, ${secret.keyId}, ${secret.bytes})
    ), queue as (
      insert into webhook_queues (webhook_id, organisation_id, cursor, announced, enabled)
      select ${id}, ${organisationId}, sequence, sequence, true from webhook_horizon
    )
    select ${webhookColumns(sql)} from created`;
  return created;
}

/** A field that is absent stays as it is. */
interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly state?: "enabled" | "paused" | undefined;
}

/**
 * undefined: the organisation has no such webhook. A webhook that leaves `disabled` begins anew: with its old `failingSince`
 * the next failure would end 72 hours of failures, and disable it again. A webhook that is enabled goes on where it stopped,
 * at once and with the first step of the schedule; how often its next delivery was refused still counts.
 *
 * The webhook's row is locked before its queue's, as `recordAttempts` does.
 */
export async function updateWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
  { url, events, description, state }: WebhookChanges,
): Promise<Webhook | undefined> {
  const [updated] = await sql<Webhook[]>`
    with updated as (
      update webhooks
      set url = coalesce(${url}::text, url),
          events = coalesce(${events}::text[], events),
          description = coalesce(${description}::text, description),
          state = coalesce(${state}::text, state),
          failing_since = case when state <> 'disabled' or ${state}::text is null then failing_since end,
          updated_at = now()
      where id = ${webhookId} and organisation_id = ${organisationId}
      returning *
    ),
    stopped as (
      update webhook_queues q set enabled = false, due_at = null
      from updated
      where q.webhook_id = updated.id and updated.state <> 'enabled' and q.enabled
    ),
    started as (
      update webhook_queues q set enabled = true, due_at = now()
      from updated
      where q.webhook_id = updated.id and updated.state = 'enabled' and not q.enabled
      returning q.webhook_id, q.done_place, q.done_part
    ),
    next as (
      update webhook_deliveries d set next_attempt_at = null, failures = 0
      from started q
      where ${isPending(sql)} and d.failures > 0
    )
    select ${webhookColumns(sql)} from updated`;
  return updated;
}

/**
 * Removes a webhook with its secrets and its queue, and returns it as it was. undefined: the organisation has no such
 * webhook. A process that is sending to it finds its lease gone. Its past deliveries cannot be reached any more, and are
 * swept.
 */
export async function deleteWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
): Promise<Webhook | undefined> {
  const [deleted] = await sql<Webhook[]>`
    delete from webhooks
    where id = ${webhookId} and organisation_id = ${organisationId}
    returning ${webhookColumns(sql)}`;
  return deleted;
}

interface SecretRotation {
  readonly secret: SealedWebhookSecret;
  /** How long the current secret goes on signing beside the new one. */
  readonly overlapSeconds: number;
  /** Secrets that a webhook may have at a time, the new one among them. */
  readonly maxSecrets: number;
}

/** `too_many`: nothing has changed, because the webhook has as many secrets that still sign as it may have. */
export type SecretRotated = "rotated" | "too_many" | "unknown";

/**
 * Gives a webhook a new secret, sets the end of the one before it, and removes those that have ended.
 *
 * The webhook's row is locked in a statement of its own: of two rotations at one time the second must see the secret of
 * the first, or each would make a current one. A deletion at the same time waits for the rotation, or the other way round.
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
