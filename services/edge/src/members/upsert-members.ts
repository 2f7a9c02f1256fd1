import type { Sql, Store } from "#postgres";
import {
  type AttributesSize,
  joinSize,
  lockAndMeasure,
  NO_SIZES,
  OversizedMembersError,
  refuseOversized,
} from "./member-bounds.ts";
import type { AttributeValue, MemberUpsert } from "./member-rows.ts";

interface MemberUpserts {
  readonly organisationId: string;
  readonly memberbaseId: string;
  /** 1 to 5000; a ref may occur more than once. */
  readonly members: readonly MemberUpsert[];
  /** A fresh id for each entry, used if its ref is new. */
  readonly ids: readonly string[];
}

/**
 * Creates or updates members, and returns their ids in the given order; undefined if the organisation has no
 * such memberbase. Idempotent, even if an equal request runs at the same time. Does not write a member that
 * would not change.
 *
 * Earlier versions stored members of any size, so a member beyond a bound may change as long as it does not
 * grow. Only if a member is beyond a bound after the merge, the work is repeated, with all members locked and
 * measured first.
 * @throws OversizedMembersError if a member would be beyond a bound (contract, section 5), and larger than it
 * was
 */
export async function upsertMembers(store: Store, upserts: MemberUpserts): Promise<string[] | undefined> {
  const patches = foldMemberUpserts(upserts.members, upserts.ids);
  const merge = (measure: typeof lockAndMeasure) => mergeMembers(store, upserts, patches, measure);
  const idByRef = await merge(async () => NO_SIZES).catch((error) => {
    if (error instanceof OversizedMembersError) return merge(lockAndMeasure);
    throw error;
  });
  return idByRef && upserts.members.map(({ ref }) => idOf(ref, idByRef));
}

/** The sizes are judged while the rows are locked: no other request can add to them before the commit. */
function mergeMembers(
  store: Store,
  upserts: MemberUpserts,
  patches: readonly MemberPatch[],
  measure: typeof lockAndMeasure,
): Promise<ReadonlyMap<string, string> | undefined> {
  // Read committed, even if the server's default differs: `lookUpUnchanged` needs a new snapshot.
  return store.begin("isolation level read committed", async (sql) => {
    const before = await measure(sql, upserts.memberbaseId, patches);
    const rows = await writePatches(sql, upserts, patches);
    if (rows.length === 0) return undefined;
    refuseOversized(rows, patches, before);
    const ids = new Map<string, string>();
    const unchanged: string[] = [];
    for (const { ref, id } of rows) {
      if (id === null) unchanged.push(ref);
      else ids.set(ref, id);
    }
    if (unchanged.length > 0) await lookUpUnchanged(sql, upserts.memberbaseId, unchanged, ids);
    return ids;
  });
}

interface WrittenRow extends AttributesSize {
  readonly ref: string;
  /** Null: the member would not change, and the size means nothing. */
  readonly id: string | null;
}

/**
 * Returns a row for each patch, or none if the memberbase does not exist. `id` is null if the member would
 * not change: the conflict locked its row, but nothing was written or returned.
 *
 * Refs are inserted in one order everywhere: otherwise two requests that share refs would deadlock. The keys
 * to remove are a separate parameter because `excluded` carries only what an insert would store. They are
 * looked up by ref in an object, since a join would compare each row with each.
 */
async function writePatches(
  sql: Sql,
  { organisationId, memberbaseId }: MemberUpserts,
  patches: readonly MemberPatch[],
): Promise<WrittenRow[]> {
  const rows = JSON.stringify(patches.map(({ id, ref, attributes }) => ({ id, ref, attributes })));
  const removals = JSON.stringify(
    Object.fromEntries(patches.flatMap(({ ref, removed }) => (removed.length > 0 ? [[ref, removed]] : []))),
  );
  const merged = sql`
    (members.attributes || excluded.attributes)
      - array(select jsonb_array_elements_text((select by_ref from removals) -> excluded.ref))`;
  return sql<WrittenRow[]>`
    with removals as materialized (
      select ${removals}::text::jsonb as by_ref
    ), given as materialized (
      select memberbases.organisation_id, memberbases.id as memberbase_id,
             entry.id, entry.ref, entry.attributes
      from memberbases
      cross join json_to_recordset(${rows}::text::json) as entry (id uuid, ref text, attributes jsonb)
      where memberbases.id = ${memberbaseId}
        and memberbases.organisation_id = ${organisationId}
        and memberbases.deleted_at is null
    ), written as (
      insert into members (id, organisation_id, memberbase_id, ref, attributes)
      select id, organisation_id, memberbase_id, ref, attributes from given order by ref collate "C"
      on conflict (memberbase_id, ref) do update
        set attributes = ${merged}, updated_at = now()
        where members.attributes <> ${merged}
      returning id, ref, attributes
    )
    select given.ref, written.id, size.*
    from given left join written on written.ref = given.ref ${joinSize(sql, sql`written.attributes`)}`;
}

/**
 * A separate statement with a later snapshot: the first one cannot see a row that another request inserted
 * after it began, and may still see an older row. `writePatches` has locked these rows, so none of them can
 * be gone.
 */
async function lookUpUnchanged(
  sql: Sql,
  memberbaseId: string,
  refs: readonly string[],
  ids: Map<string, string>,
): Promise<void> {
  const rows = await sql<{ id: string; ref: string }[]>`
    select id, ref from members where memberbase_id = ${memberbaseId} and ref = any(${refs}::text[])`;
  for (const { ref, id } of rows) ids.set(ref, id);
}

function idOf(ref: string, ids: ReadonlyMap<string, string>): string {
  const id = ids.get(ref);
  if (id === undefined) throw new Error("a member was neither written nor found by its upsert");
  return id;
}

/** All entries of one request for one ref. */
interface MemberPatch {
  /** The id for the member if the ref is new. */
  readonly id: string;
  readonly ref: string;
  /** The place of its last entry with attributes. */
  readonly index: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Keys to remove from the stored attributes. */
  readonly removed: readonly string[];
}

/**
 * Makes one patch for each ref, because a statement may write a row only once. Folds entries in the given
 * order, so that a request has the same result as its entries sent one after another. `ids` has an id for
 * each entry.
 */
function foldMemberUpserts(entries: readonly MemberUpsert[], ids: readonly string[]): MemberPatch[] {
  if (ids.length !== entries.length) {
    throw new RangeError(`${entries.length} members came with ${ids.length} ids`);
  }
  const folded = new Map<string, FoldedEntries>();
  entries.forEach(({ ref, attributes }, index) => {
    let patch = folded.get(ref);
    if (patch === undefined) {
      patch = { id: ids[index]!, index, values: new Map() };
      folded.set(ref, patch);
    }
    if (attributes === undefined) return;
    patch.index = index;
    for (const [key, value] of Object.entries(attributes)) patch.values.set(key, value);
  });
  return Array.from(folded, ([ref, entries]) => toPatch(ref, entries));
}

interface FoldedEntries {
  readonly id: string;
  index: number;
  readonly values: Map<string, AttributeValue | null>;
}

function toPatch(ref: string, { id, index, values }: FoldedEntries): MemberPatch {
  const present: [string, AttributeValue][] = [];
  const removed: string[] = [];
  for (const [key, value] of values) {
    if (value === null) removed.push(key);
    else present.push([key, value]);
  }
  // `fromEntries` and not assignment: `__proto__` is a key like any other.
  return { id, ref, index, attributes: Object.fromEntries(present), removed };
}
