import { LIMITS } from "#contract";
import { NIL_UUID } from "#domain";
import type { Fragment, Sql } from "#postgres";
import { eventsBetween, toldBody } from "#publisher-db";

/**
 * The longest time that a transaction which writes events takes from its begin to the number of its first
 * event. So anything begun this long before a moment has lower numbers than anything begun after it.
 */
const LONGEST_WRITE = "1 minute";
/** The most by which the clocks of two servers may differ. */
const CLOCKS_DIFFER = "1 hour";
/** The era of an installation whose database server was never restarted. */
const NO_ERA = NIL_UUID;

export interface EventQuery {
  readonly organisationId: string;
  /** The number up to which the caller has read. undefined: begin with the oldest event that is kept. */
  readonly after: number | undefined;
  /** `EventsRead.readAt` of the read that returned `after`; undefined: not known. */
  readonly readAt?: number | undefined;
  /** `EventsRead.era` of the same read. */
  readonly era?: string | undefined;
  /** At least one, without repetitions. */
  readonly types: readonly string[];
  /** Only events about the transaction with this `external_id`. */
  readonly transactionRef?: string | undefined;
  /** Only events that the database wrote at this time or later. */
  readonly since?: Date | undefined;
  readonly limit: number;
}

export interface EventsRead {
  /** The events as stored, in the order of their numbers. */
  readonly bodies: readonly string[];
  /** The number up to which everything is read: the next read begins here. */
  readonly upto: number;
  /** The database's time of the read, in microseconds since 1970. */
  readonly readAt: number;
  /** The era of the numbers, a UUID: within one era no number is given twice. */
  readonly era: string;
  /** Whether to read on now. With a `transactionRef` there may be more, although this read found nothing. */
  readonly more: boolean;
}

/** Events behind a cursor may have been swept. */
export interface CursorMisfit {
  readonly misfit: "expired";
  readonly readAt: number;
  readonly era: string;
  /** From this number on all events are kept. */
  readonly oldest: number;
}

interface EventRow {
  readonly horizon: number;
  readonly swept: number;
  readonly readAt: number;
  readonly era: string;
  /** `EventQuery.after`, or the number at which numbering restarted since. */
  readonly from: number | null;
  readonly stoppedAt: number | null;
  /** Both are null in the only row of an empty result. */
  readonly sequence: number | null;
  readonly body: string | null;
}

/**
 * Events of an organisation, in the order of their numbers, from a number on and up to the horizon. No new
 * event can appear below the horizon, so a reader that continues from `upto` misses none, however late a
 * writer commits.
 *
 * A restored server may give numbers again that a reader has passed. If numbering restarted since the
 * reader's era, the reader continues from there. If this server does not know the era, it began after the
 * restored moment, and the time of the read decides, with a generous margin.
 *
 * One statement, so that horizon and events are from one moment. It reads each type separately, by the index
 * that webhooks use, and stops once a page is full: other organisations' events and other types cost nothing.
 * Events have no index on their transaction, because nearly every event would pay for it and hardly any
 * reader would use it. The events of one transaction are therefore searched in a bounded number of events at
 * a time.
 */
export async function readEvents(sql: Sql, query: EventQuery): Promise<EventsRead | CursorMisfit> {
  // For each type, so that the number of rows read is bounded.
  const scan = Math.ceil(LIMITS.rowsPerScan / query.types.length);
  let read = await readPart(sql, query, query.transactionRef === undefined ? query.limit + 1 : scan);
  // The read begins a minute before `since`. This loop passes those events here, so that the caller does not
  // get empty pages.
  for (let looks = 0; query.since !== undefined && looks < SINCE_LOOKS && isEmpty(read); looks++) {
    read = await readPart(
      sql,
      { ...query, after: read.upto, readAt: read.readAt, era: read.era },
      LIMITS.rowsPerScan,
    );
  }
  return read;
}

/**
 * Enough for half a million events of a type in that minute, at some 10 ms each. Other types with many events
 * add as much each.
 */
const SINCE_LOOKS = 50;

function isEmpty(read: EventsRead | CursorMisfit): read is EventsRead {
  return !("misfit" in read) && read.more && read.bodies.length === 0;
}

/** @param lookedAt the number of events of each type to look at */
async function readPart(sql: Sql, query: EventQuery, lookedAt: number): Promise<EventsRead | CursorMisfit> {
  const { organisationId, after, readAt, era, types, since, limit } = query;
  const rows = await sql<EventRow[]>`
    with origin as materialized (
      select h.sequence, h.swept, h.era, case when ${after ?? null}::bigint is not null then least(${after ?? null}::bigint, (
        select min(e.sequence) from event_eras e
        where h.era <> ${era ?? NO_ERA}::uuid and e.began_at > coalesce(
          (select began_at from event_eras where era = ${era ?? NO_ERA}::uuid),
          timestamptz 'epoch' + ${readAt ?? 0}::bigint * interval '1 microsecond' - ${CLOCKS_DIFFER}::text::interval
        )
      )) end as after
      from webhook_horizon h
    ),
    reach as materialized (
      select ${organisationId}::uuid as organisation_id, sequence as horizon, swept, era, after as "from",
             greatest(after, swept, ${lastBefore(sql, since)}) as after
      from origin
    ),
    looked as materialized (
      -- Stops at as many matches as a page may have; the last row that may be read tells that there is more.
      select wanted.type, e.*
      from reach cross join unnest(${types}::text[]) as wanted (type) cross join lateral (
        select e.sequence, e.member_id, case when ${isMatch(sql, query)} then e.body end as body, e.nth
        from (
          select e.*, row_number() over () as nth from (
            select e.sequence, e.written_at, e.member_id, e.body from events e
            where ${eventsBetween(sql, {
              organisationId: sql`reach.organisation_id`,
              type: sql`wanted.type`,
              after: sql`reach.after`,
              upto: sql`reach.horizon`,
            })}
            limit ${lookedAt}
          ) e
        ) e
        where ${isMatch(sql, query)} or e.nth = ${lookedAt}
        limit ${limit + 1}
      ) e
    ),
    -- Behind the last one that was looked at of a type, there may be more of it.
    stop as materialized (
      select min(last) as at
      from (
        select max(sequence) as last from looked group by type
        having count(*) = ${limit + 1}::int or bool_or(nth = ${lookedAt})
      ) full_ones
    )
    -- What is told of a member is looked up for the events of the page alone.
    select reach.horizon, reach.swept, reach."from", reach.era,
           (extract(epoch from now()) * 1000000)::bigint as "readAt", stop.at as "stoppedAt", e.sequence,
           case when e.sequence is not null then ${toldBody(sql)} end as body
    from reach cross join stop left join lateral (
      select sequence, member_id, body from looked
      where body is not null and (stop.at is null or sequence <= stop.at)
      order by sequence
      limit ${limit + 1}
    ) e on true
    order by e.sequence`;
  const [{ horizon, swept, from, readAt: now, era: present }] = rows as [EventRow];
  // A sweep may have passed the horizon, if a writer holds the horizon up for longer than events are kept.
  const latest = Math.max(horizon, swept);
  if (from !== null && from < swept) return { misfit: "expired", oldest: swept, readAt: now, era: present };
  // The cursor is from before a restore, and the horizon has not moved since: the reader keeps its cursor.
  if (from !== null && from > latest) {
    return { bodies: [], upto: from, readAt: readAt ?? 0, era: era ?? NO_ERA, more: false };
  }
  return { ...toPart(rows, limit, latest), readAt: now, era: present };
}

function toPart(
  rows: readonly EventRow[],
  limit: number,
  latest: number,
): Omit<EventsRead, "readAt" | "era"> {
  const found = rows.filter((row) => row.body !== null);
  const bodies = fitting(found.slice(0, limit).map(({ body }) => body as string));
  const last = found[bodies.length - 1]?.sequence ?? latest;
  if (found.length > bodies.length) return { bodies, upto: last, more: true };
  const stoppedAt = rows[0]?.stoppedAt ?? null;
  return stoppedAt === null ? { bodies, upto: latest, more: false } : { bodies, upto: stoppedAt, more: true };
}

/** As many of them as fit into an answer, and at least one. */
function fitting(bodies: readonly string[]): string[] {
  let bytes = 0;
  return bodies.filter((body, at) => {
    bytes += Buffer.byteLength(body);
    return at === 0 || bytes <= LIMITS.pageBytes;
  });
}

/**
 * A number below those of all events written at `since` or later, found by one look-up. Null without `since`,
 * and if no older event is kept.
 */
function lastBefore(sql: Sql, since: Date | undefined): Fragment {
  return sql`(
    select e.sequence from events e
    where e.written_at < ${since ?? null}::timestamptz - ${LONGEST_WRITE}::text::interval
    order by e.written_at desc
    limit 1
  )`;
}

/**
 * Whether the query wants the event `e`. An event about a transaction that is not stored has only its
 * `external_id`, and only in its text, so the text is searched. Inside a JSON string the quotes would be
 * escaped, so this text can only be the field.
 */
function isMatch(sql: Sql, { transactionRef, since }: EventQuery): Fragment {
  const field = transactionRef === undefined ? null : `"transaction_ref":${JSON.stringify(transactionRef)}`;
  return sql`
    (${field}::text is null or strpos(e.body, ${field}::text) > 0)
      and (${since ?? null}::timestamptz is null or e.written_at >= ${since ?? null}::timestamptz)`;
}
