import type { Sql, Store } from "#postgres";
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
 * Creates or updates members, and gives their ids in the order given; undefined if the organisation has no such memberbase.
 * Idempotent, even beside an equal request at the same time. A member that would not change is not written.
 */
export async function upsertMembers(store: Store, upserts: MemberUpserts): Promise<string[] | undefined> {
  const patches = foldMemberUpserts(upserts.members, upserts.ids);
  // Read committed, whatever the server's default: `lookUpUnchanged` needs a snapshot of its own.
  const idByRef = await store.begin("isolation level read committed", async (sql) => {
    const rows = await writePatches(sql, upserts, patches);
    if (rows.length === 0) return undefined;
    const ids = new Map<string, string>();
    const unchanged: string[] = [];
    for (const { ref, id } of rows) {
      if (id === null) unchanged.push(ref);
      else ids.set(ref, id);
    }
    if (unchanged.length > 0) await lookUpUnchanged(sql, upserts.memberbaseId, unchanged, ids);
    return ids;
  });
  return idByRef && upserts.members.map(({ ref }) => idOf(ref, idByRef));
}

/**
 * Gives a row for each patch, or none if the memberbase is not there. `id` is null where the member would not change: the
 * conflict locked its row, but nothing was written or returned.
 *
 * Refs are inserted in one order everywhere: otherwise two requests that share refs would deadlock. The keys to remove
 * travel beside the rows because `excluded` carries only what an insert would store. They are looked up by ref in an
 * object, since a join would compare each row with each.
 */
async function writePatches(
  sql: Sql,
  { organisationId, memberbaseId }: MemberUpserts,
  patches: readonly MemberPatch[],
): Promise<{ ref: string; id: string | null }[]> {
  const rows = JSON.stringify(patches.map(({ id, ref, attributes }) => ({ id, ref, attributes })));
  const removals = JSON.stringify(
    Object.fromEntries(patches.flatMap(({ ref, removed }) => (removed.length > 0 ? [[ref, removed]] : []))),
  );
  const merged = sql`
    (members.attributes || excluded.attributes)
      - array(select jsonb_array_elements_text((select by_ref from removals) -> excluded.ref))`;
  return sql<{ ref: string; id: string | null }[]>`
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
      returning id, ref
    )
    select given.ref, written.id
    from given left join written on written.ref = given.ref`;
}

/**
 * A statement of its own, with a later snapshot: the first one cannot see a row that another request inserted after it
 * began, or still sees the row that was there before. `writePatches` has locked these rows, so none of them can be gone.
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

/** All that one request says about one ref. */
interface MemberPatch {
  /** The id the member gets if the ref is new. */
  readonly id: string;
  readonly ref: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Keys to remove from the stored attributes. */
  readonly removed: readonly string[];
}

/**
 * Makes one patch for each ref, since a statement may write a row only once. Entries are folded in the order given, so that
 * one request means the same as its entries sent one after another. `ids` has an id for each entry.
 */
function foldMemberUpserts(entries: readonly MemberUpsert[], ids: readonly string[]): MemberPatch[] {
  if (ids.length !== entries.length) {
    throw new RangeError(`${entries.length} members came with ${ids.length} ids`);
  }
  const folded = new Map<string, { id: string; values: Map<string, AttributeValue | null> }>();
  entries.forEach(({ ref, attributes = {} }, index) => {
    let patch = folded.get(ref);
    if (patch === undefined) {
      patch = { id: ids[index]!, values: new Map() };
      folded.set(ref, patch);
    }
    for (const [key, value] of Object.entries(attributes)) patch.values.set(key, value);
  });
  return Array.from(folded, ([ref, { id, values }]) => toPatch(id, ref, values));
}

function toPatch(id: string, ref: string, values: Map<string, AttributeValue | null>): MemberPatch {
  const present: [string, AttributeValue][] = [];
  const removed: string[] = [];
  for (const [key, value] of values) {
    if (value === null) removed.push(key);
    else present.push([key, value]);
  }
  // `fromEntries` and not assignment: `__proto__` is a key like any other.
  return { id, ref, attributes: Object.fromEntries(present), removed };
}
