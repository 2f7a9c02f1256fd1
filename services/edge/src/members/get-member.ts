import type { Sql } from "#postgres";
import { gatherLookups } from "#postgres";
import { type Member, memberColumns } from "./member.ts";

export type MemberKey = { readonly id: string } | { readonly memberbaseId: string; readonly ref: string };

/** undefined: the organisation has no such member, or has deleted its memberbase. */
export function getMember(sql: Sql, organisationId: string, key: MemberKey): Promise<Member | undefined> {
  return "id" in key
    ? findById(sql, { organisationId, id: key.id })
    : findByRef(sql, { organisationId, memberbaseId: key.memberbaseId, ref: key.ref });
}

type IdKey = { readonly organisationId: string; readonly id: string };
type RefKey = { readonly organisationId: string; readonly memberbaseId: string; readonly ref: string };
type MemberOrNulls = Member | { readonly id: null };

/*
 * `limit 1` keeps the inner select a look-up for each key, as it would be alone. Joined freely it might read whole tables to
 * hash them, by a plan that was made while they were small and is kept.
 */

const findById = gatherLookups<IdKey, Member>(async (sql, keys) => {
  const organisations = keys.map((key) => key.organisationId);
  const ids = keys.map((key) => key.id);
  const rows = await sql<MemberOrNulls[]>`
    select found.*
    from unnest(${organisations}::uuid[], ${ids}::uuid[]) with ordinality as wanted (organisation_id, id, at)
    left join lateral (
      select ${memberColumns(sql)}
      from members
      join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
      where members.id = wanted.id and members.organisation_id = wanted.organisation_id
      limit 1
    ) as found on true
    order by wanted.at`;
  return rows.map(presentMember);
});

const findByRef = gatherLookups<RefKey, Member>(async (sql, keys) => {
  const organisations = keys.map((key) => key.organisationId);
  const memberbases = keys.map((key) => key.memberbaseId);
  const refs = keys.map((key) => key.ref);
  const rows = await sql<MemberOrNulls[]>`
    select found.*
    from unnest(${organisations}::uuid[], ${memberbases}::uuid[], ${refs}::text[])
      with ordinality as wanted (organisation_id, memberbase_id, ref, at)
    left join lateral (
      select ${memberColumns(sql)}
      from members
      join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
      where members.memberbase_id = wanted.memberbase_id and members.ref = wanted.ref
        and members.organisation_id = wanted.organisation_id
      limit 1
    ) as found on true
    order by wanted.at`;
  return rows.map(presentMember);
});

function presentMember(row: MemberOrNulls): Member | undefined {
  return row.id === null ? undefined : row;
}
