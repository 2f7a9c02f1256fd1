import type { Fragment, Sql } from "#postgres";
import { hasPending, isPending, type SealedWebhookSecret } from "#publisher-db";
import type { DeliveryAttempt } from "./record-attempts.ts";

/** A webhook whose deliveries this process makes, until the lease ends. Ids are UUIDs, times the database's. */
export interface LeasedWebhook {
  readonly id: string;
  readonly organisationId: string;
  readonly url: string;
  /** Since when every attempt has failed; null: the last one did not. */
  readonly failingSince: Date | null;
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
}

/**
 * Takes webhooks that are due and that no process has, those that have waited longest first. A webhook whose process died is
 * still due, and is taken when its lease has ended. The database says what is due and what has ended: the clocks of
 * processes differ, and a process whose clock is ahead would take a webhook that another one has.
 */
export async function leaseWebhooks(
  sql: Sql,
  { owner, leaseMs, limit }: LeaseRequest,
): Promise<LeasedWebhook[]> {
  const rows = await sql<LeasedRow[]>`
    with due as materialized (
      select webhook_id from webhook_queues
      where due_at <= now() and (lease_until is null or lease_until <= now())
      order by due_at
      limit ${limit}
      for update skip locked
    ),
    leased as (
      update webhook_queues q set owner = ${owner}, lease_until = ${leaseEnd(sql, leaseMs)}
      from due
      where q.webhook_id = due.webhook_id
      returning q.webhook_id
    )
    select ${leasedColumns(sql)}
    from leased join webhooks w on w.id = leased.webhook_id`;
  return rows.map(toLeasedWebhook);
}

/** A webhook as a statement with `leasedColumns` gives it. */
export interface LeasedRow extends Omit<LeasedWebhook, "secrets"> {
  readonly secrets: readonly { readonly id: string; readonly keyId: string; readonly hex: string }[];
}

/** The columns of a `LeasedRow`, of a row `w` of `webhooks`, with the secrets that sign now. */
export function leasedColumns(sql: Sql): Fragment {
  return sql`
    w.id, w.organisation_id as "organisationId", w.url, w.failing_since as "failingSince",
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

export function toLeasedWebhook({ secrets, ...webhook }: LeasedRow): LeasedWebhook {
  const sealed = secrets.map(({ id, keyId, hex }) => ({ id, keyId, bytes: Buffer.from(hex, "hex") }));
  return { ...webhook, secrets: sealed };
}

/** Renews leases. Gives the webhooks that are still this owner's and enabled; the turns of the others must end. */
export async function renewLeases(sql: Sql, { owner, webhookIds, leaseMs }: LeaseRenewal): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    with held as materialized (
      select webhook_id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner} and enabled
      order by webhook_id
      for update
    )
    update webhook_queues q set lease_until = ${leaseEnd(sql, leaseMs)}
    from held
    where q.webhook_id = held.webhook_id
    returning q.webhook_id as id`;
  return rows.map(({ id }) => id);
}

/**
 * Gives webhooks back. Each is due again when its next attempt is, at once if new events wait, and not at all if nothing is
 * left.
 *
 * A webhook must not stay asleep when events or a replay come at the same time. Announcing and replaying change the queue's
 * row, so they wait for this statement or it waits for them; then it judges the row as they left it. The row tells enough:
 * the delivery that a replay has just made is not in this statement's snapshot, but the row shows that a place is taken.
 */
export async function releaseWebhooks(sql: Sql, { owner, webhookIds }: OwnedWebhooks): Promise<void> {
  if (webhookIds.length === 0) return;
  await sql`
    with held as materialized (
      select webhook_id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner}
      order by webhook_id
      for update
    )
    update webhook_queues q
    set owner = null,
        lease_until = null,
        due_at = case
          when not q.enabled then null
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
    from held
    where q.webhook_id = held.webhook_id`;
}

/** The end of a lease that begins now. */
function leaseEnd(sql: Sql, leaseMs: number): Fragment {
  return sql`now() + ${leaseMs}::float8 * interval '1 millisecond'`;
}

/** One webhook while this process makes its deliveries, from its lease until it is given back: one request at a time. */
export class Turn {
  readonly webhook: LeasedWebhook;
  /** When the turn began, in milliseconds of the dispatcher's clock. */
  readonly since: number;
  /** Since when every attempt has failed, as far as this turn knows; null: the last one did not. */
  failingSince: Date | null;
  /** Attempts that were made and are not yet recorded, in their order. */
  readonly unrecorded: DeliveryAttempt[] = [];
  /** All that was taken is delivered or parked, and nothing more is known of: its last record gives the webhook back. */
  isFinished = false;
  /** The webhook was given back, and may have another turn by now. */
  isReleased = false;
  /** Bytes of the deliveries that were taken and not yet made. */
  heldBytes = 0;
  /** Resolves when all attempts that were made until then are recorded or given up; undefined: there are none. */
  recording: Promise<void> | undefined;
  #leaseUntil: number;
  #isOver = false;
  readonly #now: () => Date;

  constructor(webhook: LeasedWebhook, leaseUntil: Date, now: () => Date) {
    this.webhook = webhook;
    this.failingSince = webhook.failingSince;
    this.#leaseUntil = leaseUntil.getTime();
    this.#now = now;
    this.since = now().getTime();
  }

  /**
   * Whether the lease still holds. The clock is asked before each request: a process that was suspended, or that could not
   * renew, must not go on beside the one that has the webhook now.
   */
  get isHeld(): boolean {
    return this.#now().getTime() < this.#leaseUntil;
  }

  /** Whether another request may be made. */
  get mayPost(): boolean {
    return !this.#isOver && this.isHeld;
  }

  /** Does nothing once the lease has run out: another process, or another turn of this one, may have the webhook. */
  renew(until: Date): void {
    if (this.isHeld) this.#leaseUntil = until.getTime();
  }

  /** No more requests: the webhook is paused, disabled, deleted or somebody else's. What was made is still recorded. */
  end(): void {
    this.#isOver = true;
  }
}
