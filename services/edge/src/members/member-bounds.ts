import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";

/** Attributes after the merge: the number of keys, and the bytes of their JSON without blanks. */
export interface AttributesSize {
  readonly keys: number;
  readonly bytes: number;
}

/** A member that the request would make larger than allowed. */
export interface OversizedMember extends AttributesSize {
  /** The place in the request of the member's last entry with attributes. */
  readonly index: number;
}

/** The request was refused, and none of it was written. */
export class OversizedMembersError extends Error {
  /** At least one, by index. */
  readonly members: readonly OversizedMember[];

  constructor(members: readonly OversizedMember[]) {
    super("a member would have too many attributes");
    this.members = members;
  }
}

/** The sizes of no member. */
export const NO_SIZES: ReadonlyMap<string, AttributesSize> = new Map();

/** The entries of a request for one ref. */
interface Patch {
  readonly ref: string;
  /** The place in the request of its last entry with attributes. */
  readonly index: number;
}

/** A member after the merge. */
interface MergedRow extends AttributesSize {
  readonly ref: string;
  /** Null: the member was not written, and the size means nothing. */
  readonly id: string | null;
}

/**
 * Refuses members beyond a bound. Earlier versions stored members of any size, so a member beyond a bound may
 * change as long as it does not grow.
 * @param before sizes before the merge, by ref
 * @throws OversizedMembersError
 */
export function refuseOversized(
  rows: readonly MergedRow[],
  patches: readonly Patch[],
  before: ReadonlyMap<string, AttributesSize>,
): void {
  const sizes = new Map<string, AttributesSize>();
  for (const { id, ref, keys, bytes } of rows) {
    if (id === null) continue;
    const was = before.get(ref);
    const fits =
      keys <= Math.max(LIMITS.attributesPerMember, was?.keys ?? 0) &&
      bytes <= Math.max(LIMITS.attributeBytesPerMember, was?.bytes ?? 0);
    if (!fits) sizes.set(ref, { keys, bytes });
  }
  if (sizes.size === 0) return;
  const oversized = patches.flatMap(({ ref, index }) => {
    const size = sizes.get(ref);
    return size === undefined ? [] : [{ index, ...size }];
  });
  throw new OversizedMembersError(oversized.sort((a, b) => a.index - b.index));
}

/**
 * The sizes of the existing members, by ref. Locks them in the order of an upsert, so that they keep these
 * sizes until the end of the database transaction.
 */
export async function lockAndMeasure(
  sql: Sql,
  memberbaseId: string,
  patches: readonly Patch[],
): Promise<ReadonlyMap<string, AttributesSize>> {
  const refs = patches.map(({ ref }) => ref);
  const rows = await sql<({ ref: string } & AttributesSize)[]>`
    with locked as materialized (
      select ref, attributes from members
      where memberbase_id = ${memberbaseId} and ref = any(${refs}::text[])
      order by ref collate "C"
      for no key update
    )
    select locked.ref, size.* from locked ${joinSize(sql, sql`locked.attributes`)}`;
  return new Map(rows.map(({ ref, keys, bytes }) => [ref, { keys, bytes }]));
}

/**
 * Joins the row `size`, an `AttributesSize`. PostgreSQL writes a blank after each comma and colon; these do
 * not count, because callers measure the JSON that they send.
 */
export function joinSize(sql: Sql, attributes: Fragment): Fragment {
  return sql`
    left join lateral (
      select count(*) as keys,
             octet_length(${attributes}::text) - greatest(2 * count(*) - 1, 0) - coalesce(sum(
               case when jsonb_typeof(value) = 'array' then greatest(jsonb_array_length(value) - 1, 0) else 0 end
             ), 0) as bytes
      from jsonb_each(${attributes})
    ) as size on true`;
}
