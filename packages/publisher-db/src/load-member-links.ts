import type { LinkTimes } from "#domain";
import type { Fragment, Sql } from "#postgres";

/** A member's links on the platform, by UUID; `purchaseLinks` of `#domain` says which of them count. */
export interface MemberLinks {
  readonly clips: readonly (LinkTimes & { readonly id: string; readonly dealId: string })[];
  readonly enrolments: readonly (LinkTimes & { readonly id: string; readonly loyaltyProgramId: string })[];
}

interface LinkRow extends LinkTimes {
  memberId: string;
  kind: "clip" | "enrolment";
  id: string;
  targetId: string;
}

/**
 * Open clips and enrolments by member; a member without any is not in the map.
 *
 * For records of transactions, call it after the transactions are committed: a link that is made later finds
 * them itself (`takeNewLinks`).
 */
export async function loadMemberLinks(
  sql: Sql,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, MemberLinks>> {
  if (memberIds.length === 0) return new Map();
  const rows = await sql<LinkRow[]>`
    select c.member_id as "memberId", 'enrolment' as kind, c.id, c.loyalty_program_id as "targetId",
           ${microsecondsSince1970(sql, "c.created_at")} as "madeAt", coalesce(p.retroactive, false) as retroactive
    from stamp_collections c left join loyalty_programs p on p.id = c.loyalty_program_id
    where c.member_id = any(${memberIds}::uuid[])
    union all
    select c.member_id, 'clip', c.id, c.deal_id, ${microsecondsSince1970(sql, "c.created_at")},
           coalesce(d.retroactive, false)
    from clips c left join deals d on d.id = c.deal_id
    where c.member_id = any(${memberIds}::uuid[]) and c.redeemed_at is null
    order by 3
  `;
  const links = new Map<
    string,
    { clips: MemberLinks["clips"][number][]; enrolments: MemberLinks["enrolments"][number][] }
  >();
  for (const { memberId, kind, id, targetId, madeAt, retroactive } of rows) {
    const member = links.get(memberId) ?? { clips: [], enrolments: [] };
    if (kind === "clip") member.clips.push({ id, dealId: targetId, madeAt, retroactive });
    else member.enrolments.push({ id, loyaltyProgramId: targetId, madeAt, retroactive });
    links.set(memberId, member);
  }
  return links;
}

/** A timestamptz as microseconds since 1970; exact, because `extract` returns a numeric. */
export function microsecondsSince1970(sql: Sql, column: string): Fragment {
  return sql`(extract(epoch from ${sql(column)}) * 1000000)::bigint`;
}
