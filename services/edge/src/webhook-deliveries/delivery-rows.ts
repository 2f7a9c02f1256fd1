import { LIMITS } from "#contract";
import { MAX_UUID, NIL_UUID } from "#domain";
import { beginningOf } from "#domain/webhooks";
import type { TimeSpan } from "#http";
import { type Fragment, type Page, type PageRequest, type Sql, toPage } from "#postgres";
import { firstIdAt, isPending } from "#publisher-db";
import {
  ofScannedPage,
  rowsLookedAt,
  type Scanned,
  type ScannedPage,
  scanned,
  scanPlace,
  toScannedPage,
} from "../lists/bounded-scan.ts";

/** A delivery with its last attempt. Ids are UUIDs. */
export interface DeliveryRecord {
  readonly id: string;
  readonly webhookId: string;
  /** In the order of the events. Leaves out events that are no longer kept. */
  readonly eventIds: readonly string[];
  /** `failed`: parked, or a failed test. `split`: its events are now separate deliveries. */
  readonly state: DeliveryStanding | "split";
  readonly attempts: number;
  /** HTTP status of the last attempt; null: there was none. */
  readonly status: number | null;
  readonly errorClass: string | null;
  readonly answer: string | null;
  readonly durationMs: number | null;
  readonly createdAt: Date;
  readonly lastAttemptAt: Date | null;
  /** Of a pending delivery; null: as soon as its turn comes. */
  readonly nextAttemptAt: Date | null;
  /** The delivery that it is a part of. */
  readonly splitFrom: string | null;
  readonly replayedAt: Date | null;
}

type DeliveryStanding = "pending" | "delivered" | "failed";

interface DeliveryListing {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly state?: DeliveryStanding | undefined;
  /** By the time when they were made; default: `oldest` first. */
  readonly order?: "oldest" | "newest" | undefined;
  /** The span in which they were made. */
  readonly made?: TimeSpan | undefined;
  /** Deliveries with this event; none if the organisation has no such event. */
  readonly eventId?: string | undefined;
}

/** A page, and where to continue if not after the id of its last record. */
type DeliveryPage = Page<DeliveryRecord> & Partial<ScannedPage<DeliveryRecord>>;

/** A webhook's deliveries; undefined if the organisation has no such webhook. */
export async function listDeliveries(
  sql: Sql,
  listing: DeliveryListing,
  page: PageRequest,
): Promise<DeliveryPage | undefined> {
  const { organisationId, webhookId, eventId } = listing;
  const known = await sql`
    select from webhooks where id = ${webhookId} and organisation_id = ${organisationId}`;
  if (known.length === 0) return undefined;
  if (eventId !== undefined) return listDeliveriesOf(sql, eventId, listing, page);
  const rows = await sql<DeliveryRecord[]>`
    with listed as materialized (
      select d.webhook_id, d.id from webhook_deliveries d
      where ${isListed(sql, listing, page.after)}
      order by ${inKeyOrder(sql, listing)}
      limit ${page.limit + 1} offset ${page.skip ?? 0}
    )
    select ${deliveryColumns(sql)}
    from listed cross join lateral (select * from webhook_deliveries where id = listed.id offset 0) d
    order by ${inKeyOrder(sql, listing)}`;
  return toPage(rows, page.limit);
}

/** A delivery is made after its events are written; only a test's event is written after the answer. */
const TEST_LASTS = "1 minute";

/**
 * The deliveries with one event. No index leads from an event to them, because every delivery would pay for
 * it. They are searched among the deliveries made since the event was written, a bounded number at a time.
 * The first of these is usually the right one; those of a split or a replay come later.
 */
async function listDeliveriesOf(
  sql: Sql,
  eventId: string,
  listing: DeliveryListing,
  page: PageRequest,
): Promise<DeliveryPage> {
  const [event] = await sql<{ sequence: number; first: string }[]>`
    select sequence, ${firstIdAt(sql, sql`(written_at - ${TEST_LASTS}::text::interval)`)} as first
    from events
    where id = ${eventId} and organisation_id = ${listing.organisationId}`;
  if (event === undefined) return { records: [], more: false };
  const order = inOrder(sql, listing);
  const scan = {
    rows: sql`
      select d.id, d.event_sequences from webhook_deliveries d
      where (d.webhook_id, d.id) >= (${listing.webhookId}::uuid, ${event.first}::uuid)
        and ${isListed(sql, listing, scanPlace(page).after)}
      order by ${inKeyOrder(sql, listing)}
      limit ${rowsLookedAt(page)}`,
    order,
    condition: sql`event_sequences @> array[${event.sequence}::bigint]`,
  };
  const rows = await sql<(DeliveryRecord & Scanned)[]>`
    with looked as materialized (
      select t.id, t."isFound", t.place, t."foundUpTo" from ${scanned(sql, scan)} t
      where ${ofScannedPage(sql, page)}
      order by ${order}
      limit ${page.limit + 1}
    )
    select looked."isFound", looked.place, looked."foundUpTo", ${deliveryColumns(sql)}
    from looked cross join lateral (select * from webhook_deliveries where id = looked.id offset 0) d
    order by looked.place`;
  return toScannedPage(rows, page, ({ id }) => id);
}

const NO_SPAN: TimeSpan = { since: undefined, until: undefined };

/**
 * The delivery `d` belongs to the webhook, meets the listing, and comes after the previous page. Ids are in
 * the order of time.
 *
 * Webhook and id are compared as a row, and ordered by both (`inKeyOrder`): only the indexes that begin with
 * the webhook give this order. Without it, a server that took most deliveries for this webhook's used the
 * index on ids alone, and walked through the deliveries of all webhooks.
 */
function isListed(
  sql: Sql,
  { webhookId, state, order, made: { since, until } = NO_SPAN }: DeliveryListing,
  after: string | undefined,
): Fragment {
  const time = (text: string) => sql`${text}::text::timestamptz`;
  const key = (id: Fragment) => sql`(${webhookId}::uuid, ${id})`;
  const bounds = [
    sql`(d.webhook_id, d.id) >= ${key(sql`${NIL_UUID}::uuid`)} and (d.webhook_id, d.id) <= ${key(sql`${MAX_UUID}::uuid`)}`,
    inState(sql, webhookId, state),
  ];
  if (after !== undefined) {
    const last = key(sql`${after}::uuid`);
    bounds.push(
      order === "newest" ? sql`and (d.webhook_id, d.id) < ${last}` : sql`and (d.webhook_id, d.id) > ${last}`,
    );
  }
  if (since !== undefined) {
    const first = key(firstIdAt(sql, time(since)));
    bounds.push(sql`and (d.webhook_id, d.id) >= ${first} and d.created_at >= ${time(since)}`);
  }
  if (until !== undefined) {
    // Ids have whole milliseconds.
    const end = key(firstIdAt(sql, sql`(${time(until)} + interval '1 millisecond')`));
    bounds.push(sql`and (d.webhook_id, d.id) < ${end} and d.created_at < ${time(until)}`);
  }
  return bounds.reduce((all, one) => sql`${all} ${one}`);
}

/** For the rows that `isListed` leaves, all of one webhook. */
function inKeyOrder(sql: Sql, { order }: DeliveryListing): Fragment {
  return order === "newest" ? sql`d.webhook_id desc, d.id desc` : sql`d.webhook_id, d.id`;
}

function inOrder(sql: Sql, { order }: DeliveryListing): Fragment {
  return order === "newest" ? sql`id desc` : sql`id`;
}

/**
 * Each condition repeats that of its index: failed and pending deliveries are few among the delivered ones.
 */
function inState(sql: Sql, webhookId: string, state: DeliveryStanding | undefined): Fragment {
  if (state === undefined) return sql``;
  if (state === "failed") return sql`and d.failed_at is not null`;
  if (state === "delivered") return sql`and d.state = 'delivered'`;
  return sql`and d.id in (
    select d.id from webhook_queues q join webhook_deliveries d on ${isPending(sql)} where q.webhook_id = ${webhookId}
  )`;
}

/** The columns of a `DeliveryRecord`, from a row `d` of `webhook_deliveries`. */
function deliveryColumns(sql: Sql): Fragment {
  return sql`
    d.id, d.webhook_id as "webhookId", d.state, d.attempts, d.status, d.error_class as "errorClass", d.answer,
    d.duration_ms as "durationMs", d.created_at as "createdAt", d.last_attempt_at as "lastAttemptAt",
    d.next_attempt_at as "nextAttemptAt", d.split_from as "splitFrom", d.replayed_at as "replayedAt",
    array(
      select e.id
      from unnest(d.event_sequences) with ordinality as of (sequence, nth) join events e using (sequence)
      order by of.nth
    ) as "eventIds"`;
}

/** One request of a delivery. */
export interface AttemptRecord {
  /** From 1 on. */
  readonly number: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly errorClass: string | null;
  /** The first KiB of the answer. */
  readonly answer: string | null;
}

export type AttemptedDelivery = DeliveryRecord & { readonly attemptLog: readonly AttemptRecord[] };

type AttemptJson = Omit<AttemptRecord, "at"> & { readonly at: string };

/**
 * A delivery with its attempts; undefined if the organisation has none with that id, or its webhook is gone.
 * Without stored attempts there was at most one, and the delivery's own row has its result.
 */
export async function getDelivery(
  sql: Sql,
  organisationId: string,
  deliveryId: string,
): Promise<AttemptedDelivery | undefined> {
  const [row] = await sql<(DeliveryRecord & { attemptLog: AttemptJson[] })[]>`
    select ${deliveryColumns(sql)},
           (
             select coalesce(json_agg(a order by a.number), '[]')
             from (
               select number, at, duration_ms as "durationMs", status, error_class as "errorClass", answer
               from webhook_attempts
               where delivery_id = d.id
             ) a
           ) as "attemptLog"
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.id = ${deliveryId} and w.organisation_id = ${organisationId}`;
  if (row === undefined) return undefined;
  const kept = row.attemptLog.map((attempt) => ({ ...attempt, at: new Date(attempt.at) }));
  return { ...row, attemptLog: kept.length > 0 ? kept : onlyAttempt(row) };
}

function onlyAttempt({ attempts, lastAttemptAt, durationMs, status, errorClass, answer }: DeliveryRecord) {
  if (lastAttemptAt === null) return [];
  return [
    {
      number: attempts,
      at: lastAttemptAt,
      durationMs: durationMs ?? 0,
      status,
      errorClass,
      answer: answer && beginningOf(answer, LIMITS.attemptAnswerKeptBytes),
    },
  ];
}
