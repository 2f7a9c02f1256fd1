import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";
import { eventsBetween, toldBody } from "#publisher-db";

/**
 * A transaction that writes events takes less than this from its begin to the number of its first event. So whatever was
 * begun so long before some moment has lower numbers than what was begun after it.
 */
const LONGEST_WRITE = "1 minute";
/** By how much the clocks of two servers may differ. */
const CLOCKS_DIFFER = "1 hour";
/** The era of an installation whose database server was never restarted. */
const NO_ERA = "00000000-0000-0000-0000-000000000000";

export interface EventQuery {
  readonly organisationId: string;
  /** A number: what was read is not above it. undefined: from the oldest event on that is kept. */
  readonly after: number | undefined;
  /** `EventsRead.readAt` of the reading that gave `after`; undefined: not known. */
  readonly readAt?: number | undefined;
  /** `EventsRead.era` likewise. */
  readonly era?: string | undefined;
  /** At least one, each once. */
  readonly types: readonly string[];
  /** Only events about the transaction with this `external_id`. */
  readonly transactionRef?: string | undefined;
  /** Only events that the database wrote at this time or later. */
  readonly since?: Date | undefined;
  readonly limit: number;
}

export interface EventsRead {
  /** The events as they are stored, in the order of their numbers. */
  readonly bodies: readonly string[];
  /** All up to this number is read: where the next reading begins. */
  readonly upto: number;
  /** The database's time of the reading, in microseconds since 1970. */
  readonly readAt: number;
  /** UUID: since when numbers are given without having been given before. */
  readonly era: string;
  /** Whether there is more to look at now. With a `transactionRef` there may be, although nothing was found. */
  readonly more: boolean;
}

/** Events behind a cursor may have been swept. */
export interface CursorMisfit {
  readonly misfit: "expired";
  readonly readAt: number;
  readonly era: string;
  /** From here on everything is kept. */
  readonly oldest: number;
}

interface EventRow {
  readonly horizon: number;
  readonly swept: number;
  readonly readAt: number;
  readonly era: string;
  /** `EventQuery.after`, or where numbers started again since. */
  readonly from: number | null;
  readonly stoppedAt: number | null;
  /** Both are null in the only row where nothing was found. */
  readonly sequence: number | null;
  readonly body: string | null;
}

/**
 * Events of an organisation, in the order of their numbers, from a number on and up to the horizon: below it nothing can come
 * to be any more, so a reader that goes on from `upto` misses none, whatever is committed late.
 *
 * A server that was restored may give numbers again that a reader has passed: where numbers started again since its era, reading
 * goes on from there. An era that this server does not know came after the restored moment: then time decides, generously.
 *
 * One statement, so that horizon and events are of one moment. It reads each type by itself, by the index that webhooks read
 * by, and no further than until as many match as fit into a page: other organisations' events and other types cost nothing. Events have no index on
 * their transaction, which nearly every event would pay for and hardly anybody would use; so those of one transaction are
 * looked for in a bounded number of events at a time.
 */
export async function readEvents(sql: Sql, query: EventQuery): Promise<EventsRead | CursorMisfit> {
  // Of each type, so that the number of rows that are read is bounded.
  const scan = Math.ceil(LIMITS.rowsPerScan / query.types.length);
  let read = await readPart(sql, query, query.transactionRef === undefined ? query.limit + 1 : scan);
  // It begins a minute before `since`: those events are passed here, and not by pages with nothing on them.
  for (let looks = 0; query.since !== undefined && looks < SINCE_LOOKS && isEmpty(read); looks++) {
    read = await readPart(
      sql,
      { ...query, after: read.upto, readAt: read.readAt, era: read.era },
      LIMITS.rowsPerScan,
    );
  }
  return read;
}

/** Enough for half a million events of a type in that minute; some 10 ms each, and as much for each other type with many. */
const SINCE_LOOKS = 50;

function isEmpty(read: EventsRead | CursorMisfit): read is EventsRead {
  return !("misfit" in read) && read.more && read.bodies.length === 0;
}

/** @param lookedAt how many events of each type are looked at */
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
  // A sweep may be past the horizon, where a writer holds that up for longer than events are kept.
  const latest = Math.max(horizon, swept);
  if (from !== null && from < swept) return { misfit: "expired", oldest: swept, readAt: now, era: present };
  // Of before a restore, and the horizon has not moved since: the reader keeps its cursor.
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

/** As many of them as an answer may have, and at least one. */
function fitting(bodies: readonly string[]): string[] {
  let bytes = 0;
  return bodies.filter((body, at) => {
    bytes += Buffer.byteLength(body);
    return at === 0 || bytes <= LIMITS.pageBytes;
  });
}

/**
 * A number below those of all events that were written at `since` or later, found by one look-up; null without `since`, and
 * where nothing older is kept.
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
 * Whether the event `e` is one that is asked for. What is not stored as a transaction has no id that would say what it is
 * about; but within a string of JSON the quotes would be escaped, so this text can only be the field.
 */
function isMatch(sql: Sql, { transactionRef, since }: EventQuery): Fragment {
  const field = transactionRef === undefined ? null : `"transaction_ref":${JSON.stringify(transactionRef)}`;
  return sql`
    (${field}::text is null or strpos(e.body, ${field}::text) > 0)
      and (${since ?? null}::timestamptz is null or e.written_at >= ${since ?? null}::timestamptz)`;
}
