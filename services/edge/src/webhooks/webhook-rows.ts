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
 * Creates an enabled webhook. One statement creates it with its secret and its queue, so there is never a
 * webhook that cannot sign. It receives the events announced from now on.
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

/**
 * The stored form of the requested types: the types that a pattern matches, and the pattern itself if a later
 * version may add types to it.
 */
function toSubscribed(patterns: readonly string[]) {
  const events = eventTypesOf(patterns, EVENT_TYPES);
  const isPlain = patterns.every((pattern) => !pattern.endsWith("*"));
  return isPlain ? { events: patterns, asked: null } : { events, asked: patterns };
}

/** An absent field stays unchanged. */
interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly state?: "enabled" | "paused" | undefined;
}

/**
 * Updates a webhook. undefined: the organisation has no such webhook. A webhook that is enabled, or gets
 * another URL, starts afresh: its earlier failures no longer count, and a process that has it leased reads
 * its URL before the next request. An enabled one continues where it stopped, immediately (the webhooks
 * service delivers everything since) and with the first step of the schedule; the number of refusals of its
 * next delivery still counts, unless they are another URL's. Triggers do most of this, because people change
 * webhooks in the database, too.
 *
 * The webhook's row is locked before its queue's, as in `recordAttempts`, each by a separate statement. These
 * wait for an attempt that is being recorded, so that the wait which this attempt sets is seen and ended.
 */
export function updateWebhook(
  store: Store,
  organisationId: string,
  webhookId: string,
  changes: WebhookChanges,
): Promise<Webhook | undefined> {
  return store.begin((sql) => changeWebhook(sql, organisationId, webhookId, changes));
}

/** The same, within a database transaction. */
export async function changeWebhook(
  sql: Transaction,
  organisationId: string,
  webhookId: string,
  { url, events: wanted, description, state }: WebhookChanges,
): Promise<Webhook | undefined> {
  const { events, asked } = wanted === undefined ? { events: undefined, asked: null } : toSubscribed(wanted);
  const [before] = await sql<{ state: Webhook["state"]; url: string }[]>`
    select state, url from webhooks
    where id = ${webhookId} and organisation_id = ${organisationId}
    for no key update`;
  if (before === undefined) return undefined;
  const moves = url !== undefined && url !== before.url;
  if (moves || state !== undefined)
    await sql`select from webhook_queues where webhook_id = ${webhookId} for update`;
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
  const starts = before.state !== "enabled" && updated.state === "enabled";
  if (!moves && !starts) return updated;
  const waited = await forwardFirst(sql, webhookId, moves ? "forgotten" : "kept");
  // A started one is due once it is told of what has come since.
  if (waited && !starts)
    await sql`update webhook_queues set due_at = now() where webhook_id = ${webhookId} and enabled and not untold`;
  return updated;
}

/**
 * Removes a webhook with its secrets and its queue, and returns its last state. undefined: the organisation
 * has no such webhook. A process that is sending to it finds its lease gone. Its past deliveries can no
 * longer be reached, and are swept.
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
  /** How long the current secret still signs next to the new one. */
  readonly overlapSeconds: number;
  /** The most secrets that a webhook may have at a time, including the new one. */
  readonly maxSecrets: number;
}

/** `too_many`: nothing has changed, because the webhook already has the most signing secrets allowed. */
export type SecretRotated = "rotated" | "too_many" | "unknown";

/**
 * Gives a webhook a new secret, sets the end of the previous one, and removes those that have ended.
 *
 * A separate statement locks the webhook's row: of two concurrent rotations the second must see the secret of
 * the first, or each would make a current one. A concurrent deletion waits for the rotation, or the other way
 * round.
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
