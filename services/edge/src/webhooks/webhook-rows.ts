import { EVENT_TYPES, eventTypesOf } from "#contract";
import {
  keyset,
  type Page,
  type PageRequest,
  type Sql,
  type Store,
  type Transaction,
  toPage,
} from "#postgres";
import { forwardFirst, type SealedWebhookSecret, type Webhook, webhookColumns } from "#publisher-db";

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
  /** Types and patterns, at least one. */
  readonly events: readonly string[];
  readonly description: string;
  readonly secret: SealedWebhookSecret;
}

/**
 * Makes a webhook, enabled from the start. One statement makes it with its secret and its queue, so there is never a webhook
 * that cannot sign. It gets the events that are announced from now on.
 */
export async function createWebhook(sql: Sql, webhook: NewWebhook): Promise<Webhook> {
  const { id, organisationId, url, description, secret } = webhook;
  const { events, asked } = toSubscribed(webhook.events);
  const [created] = await sql<[Webhook]>`
    with created as (
      insert into webhooks (id, organisation_id, url, events, asked, description)
      values (${id}, ${organisationId}, ${url}, ${events}::text[], ${asked}::text[], ${description})
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

/** What is stored of what was asked for: the types that it comes to, and where that may change with a later version, itself. */
function toSubscribed(patterns: readonly string[]) {
  const events = eventTypesOf(patterns, EVENT_TYPES);
  const isPlain = patterns.every((pattern) => !pattern.endsWith("*"));
  return isPlain ? { events: patterns, asked: null } : { events, asked: patterns };
}

/** An absent field is not changed. */
interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly state?: "enabled" | "paused" | undefined;
}

/**
 * undefined: the organisation has no such webhook. A webhook that is started, or has another URL, starts again: its failures
 * until then count no more, and a process that has it asks for its URL before the next request. A started one goes on where
 * it stopped, at once (the webhooks service tells it of what has come since) and with the first step of the schedule; how often
 * its next delivery was refused still counts. Most of that is done by triggers, because people change webhooks, too.
 *
 * The webhook's row is locked before its queue's, as `recordAttempts` does, and both by statements of their own: an attempt
 * that is being recorded is over then, so that the wait which comes of it is seen and ended.
 */
export function updateWebhook(
  store: Store,
  organisationId: string,
  webhookId: string,
  changes: WebhookChanges,
): Promise<Webhook | undefined> {
  return store.begin((sql) => changeWebhook(sql, organisationId, webhookId, changes));
}

/** The same, in a transaction under way. */
export async function changeWebhook(
  sql: Transaction,
  organisationId: string,
  webhookId: string,
  { url, events: wanted, description, state }: WebhookChanges,
): Promise<Webhook | undefined> {
  const { events, asked } = wanted === undefined ? { events: undefined, asked: null } : toSubscribed(wanted);
  const [before] = await sql<{ state: Webhook["state"] }[]>`
    select state from webhooks
    where id = ${webhookId} and organisation_id = ${organisationId}
    for no key update`;
  if (before === undefined) return undefined;
  if (state !== undefined) await sql`select from webhook_queues where webhook_id = ${webhookId} for update`;
  const [updated] = await sql<[Webhook]>`
    with updated as (
      update webhooks
      set url = coalesce(${url}::text, url),
          events = coalesce(${events ?? null}::text[], events),
          asked = case when ${events !== undefined} then ${asked}::text[] else asked end,
          description = coalesce(${description}::text, description),
          state = coalesce(${state}::text, state),
          updated_at = now()
      where id = ${webhookId}
      returning *
    )
    select ${webhookColumns(sql)} from updated`;
  if (before.state !== "enabled" && updated.state === "enabled") await forwardFirst(sql, webhookId);
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
