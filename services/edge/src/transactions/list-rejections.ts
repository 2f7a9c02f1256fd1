import { LIMITS } from "#contract";
import { microsecondsOf, uuidTime } from "#domain";
import type { TimeSpan } from "#http";
import { type Fragment, type Page, type PageRequest, type Sql, toPage } from "#postgres";
import { reachableMember } from "#publisher-db";

/** A rejected event. UUIDs. */
export interface RejectionRow {
  readonly id: string;
  /** Null: it was put back from the dead letters. */
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

/** How many events of a minute are in no row. */
export interface NotKeptRow {
  readonly id: string;
  readonly notKept: number;
}

interface RejectionListing {
  readonly organisationId: string;
  readonly externalId?: string | undefined;
  /** UUID. */
  readonly memberId?: string | undefined;
  /** By when they were rejected. */
  readonly rejected?: TimeSpan | undefined;
}

/**
 * An organisation's rejected events, newest first. The page is found by keys, so that what it leaves out is not read whole. What
 * was not kept is of no `externalId` and no member that anybody knows: a list of either is without it.
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
 * Whether the member of a row is told. Once it is deleted, nothing leads from its purchases to its id any more (decision 46); an event
 * that was rejected because there was no such member says what it said.
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

/** When an event was rejected, or fields of it ignored: what the id of its row begins with. */
export function keptAt({ id }: { readonly id: string }): Date {
  return new Date(uuidTime(id));
}

/** A span of time is one of ids. */
function idsIn(sql: Sql, { since, until }: Partial<TimeSpan> = {}): Fragment {
  const from = since === undefined ? sql`` : sql`and id >= ${firstIdAt(since)}`;
  return until === undefined ? from : sql`${from} and id < ${firstIdAt(until)}`;
}

/** The lowest id of a moment that is not before this one. Ids, and the times that a list shows, have milliseconds. */
function firstIdAt(timestamp: string): string {
  const hex = Math.ceil(microsecondsOf(timestamp) / 1000)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
