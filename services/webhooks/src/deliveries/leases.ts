import type { Fragment, Sql, Store } from "#postgres";
import { hasPending, isPending } from "#publisher-db";
import type { Shares } from "../slot-shares.ts";
import type { RecordedAttempts } from "./attempt-record.ts";
import { cutColumns, cutEvents, eachCut, takenColumns } from "./cut-events.ts";
import {
  type LeasedRow,
  type LeasedWebhook,
  leasedColumns,
  type OwnedWebhooks,
  toLeasedWebhooks,
} from "./leased-webhook.ts";

export interface LeaseRenewal extends OwnedWebhooks {
  readonly leaseMs: number;
}

export interface LeaseRequest {
  /** UUID of this process, a new one at each of its starts. */
  readonly owner: string;
  readonly leaseMs: number;
  /** The most webhooks. */
  readonly limit: number;
  /** The most webhooks of each organisation; undefined: all. */
  readonly shares?: Shares | undefined;
  /** The most deliveries of new events that are taken with each. */
  readonly perWebhook: number;
}

/**
 * Leases webhooks that are due and that no process has, the longest waiting first, with the first deliveries
 * of those that have nothing pending. A webhook whose process died is still due, and is leased when its lease
 * has ended. The database decides what is due and what has ended: a process whose clock is ahead would lease
 * a webhook that another process has.
 *
 * An organisation gets no more than its share; one without a share is left out, so that its waiting webhooks
 * hide no others.
 *
 * No event is skipped that was announced after this statement began: even if a row announces more, it takes
 * only events up to the horizon that it sees.
 * @returns isMore: at least `limit` webhooks were due, so there may be more
 */
export async function leaseWebhooks(
  sql: Sql,
  { owner, leaseMs, limit, shares, perWebhook }: LeaseRequest,
): Promise<{ readonly leased: readonly LeasedWebhook[]; readonly isMore: boolean }> {
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

/** The number of webhooks of this organisation that may be leased. */
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

/**
 * Of webhooks whose queues a statement could not lock, those that are still this owner's, and enabled if
 * `enabled`.
 *
 * One statement serves the webhooks of many organisations, so it waits for no queue's row: a session that
 * locks one for long would hold up the deliveries of all others. It skips a locked row, and the caller tries
 * that webhook again separately (`Gathering`).
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

/**
 * The results for the webhooks of a record.
 * @param held those that the statement could lock
 */
export async function recordedOf(
  sql: Sql,
  { owner, webhookIds }: OwnedWebhooks,
  held: ReadonlyArray<{ readonly id: string; readonly released: boolean; readonly due: boolean }>,
): Promise<RecordedAttempts> {
  const missing = without(
    webhookIds,
    held.map(({ id }) => id),
  );
  const locked = await lockedElsewhere(sql, { owner, webhookIds: missing }, { enabled: false });
  const released = held.filter((row) => row.released);
  return {
    locked,
    gone: without(missing, locked),
    released: released.map(({ id }) => id),
    due: released.filter(({ due }) => due).map(({ id }) => id),
  };
}

/** The ids that are not among the others. */
export function without(ids: readonly string[], others: Iterable<string>): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

/**
 * Renews leases. If a queue stays locked until its lease has ended, its turn makes no more requests and records nothing, and the
 * process that leases the webhook next makes the same deliveries again, under the same ids.
 * @returns locked: the queues are locked and the leases unchanged; one of the next looks renews them. The turns of all webhooks
 * that are in neither list must end
 */
export async function renewLeases(
  sql: Sql,
  { owner, webhookIds, leaseMs }: LeaseRenewal,
): Promise<{ readonly renewed: readonly string[]; readonly locked: readonly string[] }> {
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
 * Gives webhooks back. Each is due again at its next attempt, immediately if new events wait, and not at all
 * if nothing is left.
 *
 * A webhook must not stay asleep when events or a replay come at the same time, and a delivery that
 * `webhook/retry` or a start has brought forward must not wait again. All of these lock the queue's row. So
 * the first statement only locks it; the second then sees the row and the deliveries as the others left them.
 * @returns those whose queues are locked: they still belong to this owner, who must give them back later.
 * Otherwise they are due when the lease has ended
 */
export async function releaseWebhooks(store: Store, { owner, webhookIds }: OwnedWebhooks): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const released = await store.begin(async (sql) => {
    const ids = await lockOwned(sql, { owner, webhookIds });
    if (ids.length > 0) await release(sql, ids);
    return ids;
  });
  return lockedElsewhere(store, { owner, webhookIds: without(webhookIds, released) }, { enabled: false });
}

/** Locks this owner's queues, except those that another session has locked. @returns the locked ones */
export async function lockOwned(sql: Sql, { owner, webhookIds }: OwnedWebhooks): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select webhook_id as id from webhook_queues
    where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner}
    order by webhook_id
    for update skip locked`;
  return rows.map(({ id }) => id);
}

/** The caller has locked their queues. */
async function release(sql: Sql, webhookIds: readonly string[]): Promise<void> {
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
