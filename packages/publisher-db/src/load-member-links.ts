import type { LinkTimes } from "#domain";
import { type Fragment, microsecondsSince1970, type Sql } from "#postgres";
import { createRetroactiveReader, retroactiveText } from "./retroactive-history.ts";

/** A member's links on the platform, by UUID; `purchaseLinks` of `#domain` says which of them count. */
export interface MemberLinks {
  readonly clips: readonly (MemberLink & { readonly dealId: string })[];
  readonly enrolments: readonly (MemberLink & { readonly loyaltyProgramId: string })[];
}

interface MemberLink extends LinkTimes {
  readonly id: string;
  /** Whether ingest has published its earlier purchases: the link is then no longer new. */
  readonly isTold: boolean;
}

/**
 * Enrolments and clips by member; a member without any is not in the map. Of clips only those that are open,
 * or may open again: redeemed by a purchase that is not final. A purchase in the meantime may redeem such a
 * clip in the end.
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
    select ${link(sql, sql`'e'`, { target: "c.loyalty_program_id", config: "p" })} as link
    from stamp_collections c left join loyalty_programs p on p.id = c.loyalty_program_id
    where c.member_id = any(${memberIds}::uuid[])
    union all
    select ${link(sql, sql`'c'`, { target: "c.deal_id", config: "d" })}
    from clips c left join deals d on d.id = c.deal_id
    where c.member_id = any(${memberIds}::uuid[]) and c.redeemed_at is null
    union all
    -- By an index that holds pending cashbacks alone: a member may have redeemed any number of clips.
    select ${link(sql, sql`'c'`, { target: "c.deal_id", config: "d" })}
    from cashbacks b join clips c on c.id = b.clip_id left join deals d on d.id = c.deal_id
    where b.member_id = any(${memberIds}::uuid[]) and b.clip_id is not null and b.cleared_at is null
      and b.reverted_at is null and c.redeemed_at is not null
    order by 1
  `;
  const links = new Map<
    string,
    { clips: MemberLinks["clips"][number][]; enrolments: MemberLinks["enrolments"][number][] }
  >();
  const toRetroactive = createRetroactiveReader();
  for (const { link } of rows) {
    const memberId = link.slice(1, 37);
    const id = link.slice(37, 73);
    const target = link.slice(73, 109);
    const end = link.indexOf(" ", 110);
    const times = {
      isTold: link[109] === "t",
      madeAt: Number(link.slice(110, end)),
      retroactive: toRetroactive(link.slice(end + 1)),
    };
    const member = links.get(memberId) ?? { clips: [], enrolments: [] };
    if (link[0] === "c") member.clips.push({ id, dealId: target, ...times });
    else member.enrolments.push({ id, loyaltyProgramId: target, ...times });
    links.set(memberId, member);
  }
  return links;
}

/**
 * A link `c` in one text of fixed places: kind, member, id, target, whether its purchases were published,
 * when it was made, and when it was retroactive. Nearly every event of a batch may have one, and a row of six
 * columns costs this process four times as much.
 */
function link(
  sql: Sql,
  kind: Fragment,
  { target, config }: { readonly target: string; readonly config: string },
): Fragment {
  return sql`(
    ${kind} || c.member_id || c.id || ${sql(target)}
      || case when exists (select from new_links n where n.id = c.id) then 'n' else 't' end
      || ${microsecondsSince1970(sql, "c.created_at")} || ' '
      || ${retroactiveText(sql, config)}
  ) collate "C"`;
}
