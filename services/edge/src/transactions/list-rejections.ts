import { LIMITS } from "#contract";
import { lowestUuidAt, microsecondsOf, uuidTime } from "#domain";
import type { TimeSpan } from "#http";
import { type Fragment, type Page, type PageRequest, type Sql, toPage } from "#postgres";
import { reachableMember } from "#publisher-db";

/** A rejected event. UUIDs. */
export interface RejectionRow {
  readonly id: string;
  /** Null: the event was put back from the dead letters. */
  readonly batchId: string | null;
  readonly index: number | null;
  readonly memberId: string | null;
  readonly externalId: string;
  readonly code: "conflict" | "not_found";
  readonly reason: string;
  readonly field: string | null;
  readonly fromState: string | null;
  readonly toState: string | null;
  readonly notKept: null;
}

/** The number of a minute's events without a row. */
export interface NotKeptRow {
  readonly id: string;
  readonly notKept: number;
}

interface RejectionListing {
  readonly organisationId: string;
  readonly externalId?: string | undefined;
  /** UUID. */
  readonly memberId?: string | undefined;
  /** The span in which they were rejected. */
  readonly rejected?: TimeSpan | undefined;
}

/**
 * An organisation's rejected events, newest first. Finds the page by keys, so that skipped rows are not read
 * whole. For unstored events neither `externalId` nor member is known: a list with such a filter leaves them
 * out.
 */
export async function listRejections(
  sql: Sql,
  { organisationId, externalId, memberId, rejected }: RejectionListing,
  page: PageRequest,
): Promise<Page<RejectionRow | NotKeptRow>> {
  const isOfOne = externalId !== undefined || memberId !== undefined;
  const behind = page.after === undefined ? sql`` : sql`and id < ${page.after}`;
  const rows = await sql<(RejectionRow | NotKeptRow)[]>`
    with listed as materialized (
      select id from transaction_rejections
      where organisation_id = ${organisationId}
        ${externalId === undefined ? sql`` : sql`and external_id = ${externalId}`}
        ${memberId === undefined ? sql`` : sql`and member_id = ${memberId} and ${namesMember(sql, organisationId)}`}
        ${isOfOne ? sql`` : sql`and (rejected is null or rejected > ${LIMITS.rejectionsPerMinute})`}
        ${idsIn(sql, rejected)} ${behind}
      order by id desc
      limit ${page.limit + 1} offset ${page.skip ?? 0}
    )
    select listed.id, batch_id as "batchId", event_index as "index", external_id as "externalId",
           case when ${namesMember(sql, organisationId)} then member_id end as "memberId",
           code, reason, field, from_state as "fromState", to_state as "toState",
           rejected - ${LIMITS.rejectionsPerMinute}::int as "notKept"
    from listed cross join lateral (
      select * from transaction_rejections r
      where r.organisation_id = ${organisationId} and r.id = listed.id offset 0
    ) as whole
    order by listed.id desc`;
  return toPage(rows, page.limit);
}

/**
 * Whether to show the member of a row. Once a member is deleted, nothing leads from its purchases to its id
 * any more (decision 46). But an event that was rejected because the member does not exist shows the id it
 * named.
 */
function namesMember(sql: Sql, organisationId: string): Fragment {
  return sql`(
    code = 'not_found' or exists (
      select from members m
      where m.id = member_id and m.organisation_id = ${organisationId} and ${reachableMember(sql)}
      offset 0
    )
  )`;
}

/** The time at which an event was rejected, or fields of it ignored: its row's id begins with it. */
export function keptAt({ id }: { readonly id: string }): Date {
  return new Date(uuidTime(id));
}

/** Translates a span of time into a span of ids. */
function idsIn(sql: Sql, { since, until }: Partial<TimeSpan> = {}): Fragment {
  const from = since === undefined ? sql`` : sql`and id >= ${firstIdAt(since)}`;
  return until === undefined ? from : sql`${from} and id < ${firstIdAt(until)}`;
}

/**
 * The lowest id of the first millisecond not before this time. Ids, and the times in a list, have
 * milliseconds.
 */
function firstIdAt(timestamp: string): string {
  return lowestUuidAt(Math.ceil(microsecondsOf(timestamp) / 1000));
}
