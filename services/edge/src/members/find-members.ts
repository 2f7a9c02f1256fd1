import { type MeasuredRow, type PageRequest, type Sql, withinBytes } from "#postgres";
import {
  ofScannedPage,
  rowsLookedAt,
  type Scanned,
  type ScannedPage,
  scanned,
  scanPlace,
  toScannedPage,
} from "../lists/bounded-scan.ts";
import { type Member, memberColumns } from "./member-rows.ts";

/** `baseId` is the memberbase that was searched. Its member is null if it has none with that ref. */
type FoundRow = Member & MeasuredRow & Scanned & { readonly baseId: string };

/**
 * The members of an organisation with a ref, the one in the oldest memberbase first. Looks the ref up in each
 * memberbase, by the index that makes it unique there; a separate index would cost every member that is
 * written (decision 34).
 */
export async function findMembers(
  sql: Sql,
  { organisationId, ref }: { readonly organisationId: string; readonly ref: string },
  page: PageRequest,
): Promise<ScannedPage<Member>> {
  const { after } = scanPlace(page);
  const behind = after === undefined ? sql`` : sql`and id > ${after}`;
  // `limit 1` as in `getMember`. Deleted memberbases are never removed, so they count as searched.
  const rows = sql`
    select base.id as "baseId", ${memberColumns(sql)}
    from (
      select id, deleted_at from memberbases
      where organisation_id = ${organisationId} ${behind}
      order by id
      limit ${rowsLookedAt(page)}
    ) as base
    left join lateral (
      select * from members where memberbase_id = base.id and ref = ${ref} limit 1
    ) as members on base.deleted_at is null
    order by base.id`;
  const listed = sql`
    select t.*
    from ${scanned(sql, { rows, order: sql`"baseId"`, condition: sql`id is not null` })} as t
    where ${ofScannedPage(sql, page)}
    order by t."baseId"
    limit ${page.limit + 1}`;
  const found = await sql<FoundRow[]>`
    ${withinBytes(sql, { rows: listed, order: sql`"baseId"`, long: [sql`attributes`] })}`;
  return toScannedPage(found, page, (row) => row.baseId);
}
