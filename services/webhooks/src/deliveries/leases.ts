import type { Failing } from "#domain/webhooks";
import type { Fragment, Sql, Store } from "#postgres";
import { hasPending, isPending, type SealedWebhookSecret } from "#publisher-db";
import type { Shares } from "../slot-shares.ts";
import {
  type CutRow,
  cutColumns,
  cutEvents,
  eachCut,
  type PendingDelivery,
  takenColumns,
  toCutDelivery,
} from "./cut-events.ts";

/** A webhook whose deliveries this process makes, until the lease ends. Ids are UUIDs, times the database's. */
export interface LeasedWebhook {
  readonly id: string;
  readonly organisationId: string;
  /** Where to, and by what it is signed, as it was when this was read: a turn reads it anew before each request (`readTargets`). */
  readonly target: Target;
  /** Its first deliveries, taken with the lease; none if something of a former turn is pending. */
  readonly first: readonly PendingDelivery[];
}

/** What an attempt is made with. */
export interface Target {
  readonly url: string;
  /** Of the address: what comes of an attempt counts against the webhook only while this holds. */
  readonly revision: number;
  /** null: the last attempt did not fail. */
  readonly failing: Failing | null;
  /** Those that sign now, the current one first. */
  readonly secrets: readonly SealedWebhookSecret[];
}

/** Webhooks, and the process that claims to have leased them. */
export interface OwnedWebhooks {
  readonly owner: string;
  readonly webhookIds: readonly string[];
}

export interface LeaseRenewal extends OwnedWebhooks {
  readonly leaseMs: number;
}

export interface LeaseRequest {
  /** UUID of this process, a new one at each of its starts. */
  readonly owner: string;
  readonly leaseMs: number;
  /** How many webhooks at most. */
  readonly limit: number;
  /** How many of each organisation at most; undefined: as many as there are. */
  readonly shares?: Shares | undefined;
  /** How many deliveries of new events are taken with each; 0: none. */
  readonly perWebhook: number;
}

/** What was leased. */
export interface Leased {
  readonly leased: readonly LeasedWebhook[];
  /** As many were due as were asked for, or more: there may be more. */
  readonly isMore: boolean;
}

/**
 * Takes webhooks that are due and that no process has, those that have waited longest first, with the first deliveries of
 * those that have nothing pending. A webhook whose process died is still due, and is taken when its lease has ended. The
 * database says what is due and what has ended: the clocks of processes differ, and a process whose clock is ahead would
 * take a webhook that another one has.
 *
 * Of an organisation it takes no more than its share, and looks at none that has no share left: so those that have waited
 * longer than all others, and may not be taken, hide nobody.
 *
 * No event is passed over that was announced after this statement began: what a row tells of is believed only up to the
 * horizon that this statement sees, with the events below it.
 */
export async function leaseWebhooks(
  sql: Sql,
  { owner, leaseMs, limit, shares, perWebhook }: LeaseRequest,
): Promise<Leased> {
  const none = shares === undefined ? [] : withoutShare(shares);
  const rows = await sql<((LeasedRow | { readonly id: null }) & { readonly isMore: boolean })[]>`
    with looked as materialized (
      select q.webhook_id, q.organisation_id, q.cursor, q.announced, q.last_place, q.due_at, ${hasPending(sql)} as pending
      from webhook_queues q
      where q.due_at <= now() and (q.lease_until is null or q.lease_until <= now())
        and q.organisation_id <> all(${none}::uuid[])
      order by q.due_at
      limit ${limit}
      for update skip locked
    ),
    due as materialized (
      select l.* from (
        select looked.*, row_number() over (partition by organisation_id order by due_at) as nth from looked
      ) l
      where l.nth <= ${shareOf(sql, shares, sql`l.organisation_id`)}
    ),
    queue as materialized (
      select due.webhook_id, due.organisation_id, due.cursor, least(due.announced, h.sequence) as announced, due.last_place,
             ${perWebhook}::int > 0 and not due.pending and due.cursor < least(due.announced, h.sequence) as goes
      from due cross join webhook_horizon h
    ),
    ${cutEvents(sql, perWebhook)},
    leased as (
      update webhook_queues q
      set owner = ${owner}, lease_until = ${leaseEnd(sql, leaseMs)}, ${takenColumns(sql, perWebhook)}
      from step s
      where q.webhook_id = s.webhook_id
    )
    select (select count(*) from looked) >= ${limit} as "isMore", w.*
    from (values (true)) as one left join (
      select ${leasedColumns(sql)}, ${cutColumns(sql)}, c.nth
      from step s join webhooks w on w.id = s.webhook_id ${eachCut(sql)}
    ) w on true
    order by w.id, w.nth`;
  return {
    leased: toLeasedWebhooks(rows.filter((row) => row.id !== null)),
    isMore: rows[0]?.isMore ?? false,
  };
}

function withoutShare({ byOrganisation }: Shares): string[] {
  return [...byOrganisation].filter(([, share]) => share === 0).map(([organisation]) => organisation);
}

/** How many webhooks of this organisation may be leased. */
export function shareOf(sql: Sql, shares: Shares | undefined, organisationId: Fragment): Fragment {
  if (shares === undefined) return sql`${Number.MAX_SAFE_INTEGER}::bigint`;
  return sql`
    coalesce(
      (
        select s.share from unnest(
          ${[...shares.byOrganisation.keys()]}::uuid[], ${[...shares.byOrganisation.values()]}::int[]
        ) as s (organisation_id, share)
        where s.organisation_id = ${organisationId}
      ),
      ${shares.others}::int
    )`;
}

/** A webhook as a statement with `leasedColumns` gives it. */
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

/** With one of its first deliveries, of `cutColumns`. */
export type LeasedRow = WebhookRow & CutRow;

/** The columns of a `WebhookRow`, of a row `w` of `webhooks`, with the secrets that sign now. */
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

/** @param rows those of one webhook behind each other */
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

/** A process of the version before writes the first alone: what is counted may be of a break before this one, or too little. */
function toFailing(since: Date, ms: number, last: Date | null): Failing {
  if (last === null || last < since) return { since, last: since, ms: 0 };
  return { since, last, ms: Math.min(ms, last.getTime() - since.getTime()) };
}

/**
 * The targets of these webhooks as they are now, by webhook, for the request that comes next: so a change holds for the first
 * request after its answer, also in a turn under way. What is missing is no more this owner's, or not enabled.
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

/**
 * Of webhooks whose queues a statement has not locked, those that are this owner's all the same, and enabled if `enabled`.
 *
 * One statement serves the webhooks of many organisations, so none waits for a queue's row: whoever locks one for long would
 * hold up the deliveries of all others. A row that another transaction has is passed over, and the webhook tried again by
 * itself (`Gathering`); until then nothing of it has changed. What became of the row meanwhile is seen then.
 */
export async function lockedElsewhere(
  sql: Sql,
  { owner, webhookIds }: OwnedWebhooks,
  { enabled }: { readonly enabled: boolean },
): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select webhook_id as id from webhook_queues
    where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner} and (enabled or not ${enabled}::boolean)`;
  return rows.map(({ id }) => id);
}

/** Those that are not among the others. */
export function without(ids: readonly string[], others: Iterable<string>): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

/** Webhooks by what became of their leases; the turns of those that are neither must end. */
export interface Renewed {
  readonly renewed: readonly string[];
  /** Their queues are locked: their leases go on as they were, and are renewed at one of the next looks, of which there are many. */
  readonly locked: readonly string[];
}

/**
 * Renews leases. If a queue stays locked until its lease has ended, its turn makes no more requests and records nothing, and
 * whoever leases the webhook when the lock is gone makes again what was taken, under the same ids.
 */
export async function renewLeases(sql: Sql, { owner, webhookIds, leaseMs }: LeaseRenewal): Promise<Renewed> {
  if (webhookIds.length === 0) return { renewed: [], locked: [] };
  const rows = await sql<{ id: string }[]>`
    with held as materialized (
      select webhook_id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner} and enabled
      order by webhook_id
      for update skip locked
    )
    update webhook_queues q set lease_until = ${leaseEnd(sql, leaseMs)}
    from held
    where q.webhook_id = held.webhook_id
    returning q.webhook_id as id`;
  const renewed = rows.map(({ id }) => id);
  const missing = without(webhookIds, renewed);
  return { renewed, locked: await lockedElsewhere(sql, { owner, webhookIds: missing }, { enabled: true }) };
}

/**
 * Gives webhooks back. Each is due again when its next attempt is, at once if new events wait, and not at all if nothing is
 * left. Returns those whose queues are locked: they are this owner's still, and to be given back later. If nobody does, they are
 * due when the lease has ended.
 *
 * A webhook must not stay asleep when events or a replay come at the same time, and what `webhook/retry` or a start has brought
 * forward must not wait again. All of these lock the queue's row. So it is locked by a statement of its own: the one behind
 * it sees the row and the deliveries as they left them.
 */
export async function releaseWebhooks(store: Store, { owner, webhookIds }: OwnedWebhooks): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const released = await store.begin(async (sql) => {
    const held = await sql<{ id: string }[]>`
      select webhook_id as id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner}
      order by webhook_id
      for update skip locked`;
    const ids = held.map(({ id }) => id);
    if (ids.length > 0) await giveBack(sql, ids);
    return ids;
  });
  return lockedElsewhere(store, { owner, webhookIds: without(webhookIds, released) }, { enabled: false });
}

/** The caller has locked their queues. */
async function giveBack(sql: Sql, webhookIds: readonly string[]): Promise<void> {
  await sql`
    update webhook_queues q
    set owner = null,
        lease_until = null,
        due_at = case
          -- A started webhook is due once it is told (\`tellStarted\`).
          when not q.enabled or q.untold then null
          when ${hasPending(sql)} then coalesce(
            (
              select d.next_attempt_at from webhook_deliveries d
              where ${isPending(sql)}
              order by d.place, d.part
              limit 1
            ),
            now()
          )
          when q.cursor < q.announced then now()
        end
    where q.webhook_id = any(${webhookIds}::uuid[])`;
}

/** The end of a lease that begins now. */
export function leaseEnd(sql: Sql, leaseMs: number): Fragment {
  return sql`now() + ${leaseMs}::float8 * interval '1 millisecond'`;
}
