import type { LinkTimes } from "#domain";
import type { Fragment, Sql } from "#postgres";

/** A member's links on the platform, by UUID; `purchaseLinks` of `#domain` says which of them count. */
export interface MemberLinks {
  readonly clips: readonly (LinkTimes & { readonly id: string; readonly dealId: string })[];
  readonly enrolments: readonly (LinkTimes & { readonly id: string; readonly loyaltyProgramId: string })[];
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
  const rows = await sql<{ link: string }[]>`
    select ${link(sql, sql`'e'`, { target: "c.loyalty_program_id", retroactive: "p.retroactive" })} as link
    from stamp_collections c left join loyalty_programs p on p.id = c.loyalty_program_id
    where c.member_id = any(${memberIds}::uuid[])
    union all
    select ${link(sql, sql`'c'`, { target: "c.deal_id", retroactive: "d.retroactive" })}
    from clips c left join deals d on d.id = c.deal_id
    where c.member_id = any(${memberIds}::uuid[]) and c.redeemed_at is null
    order by 1
  `;
  const links = new Map<
    string,
    { clips: MemberLinks["clips"][number][]; enrolments: MemberLinks["enrolments"][number][] }
  >();
  for (const { link } of rows) {
    const memberId = link.slice(2, 38);
    const id = link.slice(38, 74);
    const target = link.slice(74, 110);
    const times = { madeAt: Number(link.slice(110)), retroactive: link[1] === "t" };
    const member = links.get(memberId) ?? { clips: [], enrolments: [] };
    if (link[0] === "c") member.clips.push({ id, dealId: target, ...times });
    else member.enrolments.push({ id, loyaltyProgramId: target, ...times });
    links.set(memberId, member);
  }
  return links;
}

/**
 * A link `c` in one text of fixed places: kind, whether it is retroactive, member, id, target, and when it was made. Nearly
 * every event of a batch may have one, and a row of six columns costs this process four times as much.
 */
function link(
  sql: Sql,
  kind: Fragment,
  { target, retroactive }: { readonly target: string; readonly retroactive: string },
): Fragment {
  return sql`(
    ${kind} || case when ${sql(retroactive)} then 't' else 'f' end || c.member_id || c.id || ${sql(target)}
      || ${microsecondsSince1970(sql, "c.created_at")}
  ) collate "C"`;
}

/** A timestamptz as microseconds since 1970; exact, because `extract` returns a numeric. */
export function microsecondsSince1970(sql: Sql, column: string): Fragment {
  return sql`(extract(epoch from ${sql(column)}) * 1000000)::bigint`;
}
