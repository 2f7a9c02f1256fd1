import type { Sql } from "../connect.ts";

/** What a member's transactions are tied to on the platform. UUIDs. */
export interface MemberLinks {
  readonly clips: readonly { readonly id: string; readonly dealId: string }[];
  readonly enrolments: readonly { readonly id: string; readonly loyaltyProgramId: string }[];
}

interface LinkRow {
  memberId: string;
  kind: "clip" | "enrolment";
  id: string;
  targetId: string;
}

/** Open clips and enrolments by member; a member without any is not in the map. */
export async function loadMemberLinks(
  sql: Sql,
  memberIds: readonly string[],
): Promise<ReadonlyMap<string, MemberLinks>> {
  if (memberIds.length === 0) return new Map();
  const rows = await sql<LinkRow[]>`
    select member_id as "memberId", 'enrolment' as kind, id, loyalty_program_id as "targetId"
    from stamp_collections where member_id = any(${memberIds}::uuid[])
    union all
    select member_id, 'clip', id, deal_id
    from clips where member_id = any(${memberIds}::uuid[]) and redeemed_at is null
    order by 3
  `;
  const links = new Map<
    string,
    { clips: MemberLinks["clips"][number][]; enrolments: MemberLinks["enrolments"][number][] }
  >();
  for (const { memberId, kind, id, targetId } of rows) {
    const member = links.get(memberId) ?? { clips: [], enrolments: [] };
    if (kind === "clip") member.clips.push({ id, dealId: targetId });
    else member.enrolments.push({ id, loyaltyProgramId: targetId });
    links.set(memberId, member);
  }
  return links;
}
