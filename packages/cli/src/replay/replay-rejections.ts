import type { Sql } from "#postgres";
import { reachableMember } from "#publisher-db";
import { countOf } from "../terminal.ts";

/** An event of a member that a restored database lacks (`services/ingest/src/batch/lost-members.ts`). */
export interface ReplayRejection {
  readonly place: number;
  readonly keptAt: Date;
  readonly organisationId: string;
  readonly memberId: string;
  readonly externalId: string;
  /** The row that the event would have made, as JSON. */
  readonly event: string;
}

/** In their order, after a place. */
export async function readReplayRejections(
  sql: Sql,
  after: number,
  limit: number,
): Promise<ReplayRejection[]> {
  return sql<ReplayRejection[]>`
    select place, kept_at as "keptAt", organisation_id as "organisationId", member_id as "memberId",
           external_id as "externalId", event
    from replay_rejections where place > ${after} order by place limit ${limit}`;
}

export async function countReplayRejections(sql: Sql): Promise<{ events: number; members: number }> {
  const [counted] = await sql<[{ events: number; members: number }]>`
    select count(*)::int as events, count(distinct member_id)::int as members from replay_rejections`;
  return counted;
}

/** A sentence about the open ones, for `doctor` and `verify` too. */
export function describeOpen({ events, members }: { events: number; members: number }): string {
  if (events === 0) return "no event waits for its member";
  const wait = events === 1 ? "waits" : "wait";
  return `${countOf(events, "event")} ${wait} for ${countOf(members, "member")} that the restored database lacks`;
}

/** The events of one member. */
interface RejectedMember {
  readonly organisationId: string;
  readonly memberId: string;
  readonly events: number;
  readonly first: Date;
  readonly last: Date;
}

export async function readRejectedMembers(sql: Sql): Promise<RejectedMember[]> {
  return sql<RejectedMember[]>`
    select organisation_id as "organisationId", member_id as "memberId", count(*)::int as events,
           min(kept_at) as first, max(kept_at) as last
    from replay_rejections group by organisation_id, member_id order by min(place)`;
}

/** The ids of the members that exist in their organisations. */
export async function membersThere(
  sql: Sql,
  named: readonly { readonly organisationId: string; readonly memberId: string }[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select m.id
    from unnest(
      ${named.map(({ organisationId }) => organisationId)}::uuid[], ${named.map(({ memberId }) => memberId)}::uuid[]
    ) as named (organisation_id, id)
    join members m on m.id = named.id and m.organisation_id = named.organisation_id
    where ${reachableMember(sql)}`;
  return new Set(rows.map(({ id }) => id));
}

export async function removeReplayRejections(sql: Sql, places: readonly number[]): Promise<void> {
  await sql`delete from replay_rejections where place = any (${[...places]}::bigint[])`;
}
