import type { Failing } from "#domain/webhooks";
import type { Fragment, Sql } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";
import { type CutRow, type PendingDelivery, toCutDelivery } from "./cut-events.ts";

/** A webhook whose deliveries this process makes until the lease ends. Ids are UUIDs, times the database's. */
export interface LeasedWebhook {
  readonly id: string;
  readonly organisationId: string;
  /** Address and secrets when the lease was taken: a turn reads them again before each request (`readTargets`). */
  readonly target: Target;
  /** Its first deliveries, taken with the lease; none if a delivery of a former turn is pending. */
  readonly first: readonly PendingDelivery[];
}

/** The address of an attempt, and the secrets that sign it. */
export interface Target {
  readonly url: string;
  /** Of the address. An attempt counts against the webhook only while this is still its revision. */
  readonly revision: number;
  /** null: the last attempt did not fail. */
  readonly failing: Failing | null;
  /** The secrets that sign now, the current one first. */
  readonly secrets: readonly SealedWebhookSecret[];
}

/** Webhooks, and the process that claims to have leased them. */
export interface OwnedWebhooks {
  readonly owner: string;
  readonly webhookIds: readonly string[];
}

/** A row with `leasedColumns`. */
export interface WebhookRow {
  readonly id: string;
  readonly organisationId: string;
  readonly url: string;
  readonly revision: number;
  readonly failingSince: Date | null;
  readonly failingMs: number;
  readonly lastFailureAt: Date | null;
  readonly secrets: readonly { readonly id: string; readonly keyId: string; readonly hex: string }[];
}

/** With one of its first deliveries (`cutColumns`). */
export type LeasedRow = WebhookRow & CutRow;

/** The columns of a `WebhookRow`, from a row `w` of `webhooks`. */
export function leasedColumns(sql: Sql): Fragment {
  return sql`
    w.id, w.organisation_id as "organisationId", w.url, w.revision,
    w.failing_since as "failingSince", w.failing_ms as "failingMs", w.last_failure_at as "lastFailureAt",
    (
      select coalesce(
        json_agg(
          json_build_object('id', s.id, 'keyId', s.key_id, 'hex', encode(s.sealed, 'hex'))
          order by s.expires_at is null desc, s.id desc
        ),
        '[]'
      )
      from webhook_secrets s
      where s.webhook_id = w.id and (s.expires_at is null or s.expires_at > now())
    ) as secrets`;
}

/** @param rows grouped by webhook */
export function toLeasedWebhooks(rows: readonly LeasedRow[]): LeasedWebhook[] {
  const webhooks: LeasedWebhook[] = [];
  let first: PendingDelivery[] = [];
  for (const row of rows) {
    if (webhooks.at(-1)?.id !== row.id) {
      first = [];
      webhooks.push(toLeasedWebhook(row, first));
    }
    const delivery = toCutDelivery(row.id, row);
    if (delivery !== undefined) first.push(delivery);
  }
  return webhooks;
}

export function toLeasedWebhook(row: WebhookRow, first: readonly PendingDelivery[]): LeasedWebhook {
  return { id: row.id, organisationId: row.organisationId, target: toTarget(row), first };
}

function toTarget({
  url,
  revision,
  secrets,
  failingSince: since,
  failingMs,
  lastFailureAt,
}: WebhookRow): Target {
  const sealed = secrets.map(({ id, keyId, hex }) => ({ id, keyId, bytes: Buffer.from(hex, "hex") }));
  return { url, revision, failing: since && toFailing(since, failingMs, lastFailureAt), secrets: sealed };
}

/** A webhook that has failed since before migration 0011 has no `last`. */
function toFailing(since: Date, ms: number, last: Date | null): Failing {
  return { since, last: last ?? since, ms };
}

/**
 * The current targets, by webhook, for the next requests. So a change applies to the first request after its
 * answer, even in a turn under way. A webhook that is missing no longer belongs to this owner, or is not
 * enabled.
 */
export async function readTargets(
  sql: Sql,
  { owner, webhookIds }: OwnedWebhooks,
): Promise<ReadonlyMap<string, Target>> {
  if (webhookIds.length === 0) return new Map();
  const rows = await sql<WebhookRow[]>`
    select ${leasedColumns(sql)}
    from webhook_queues q join webhooks w on w.id = q.webhook_id
    where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner} and q.enabled`;
  return new Map(rows.map((row) => [row.id, toTarget(row)]));
}
