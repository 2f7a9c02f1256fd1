import type { AttributeValue, MemberUpsert } from "./member.ts";

/** All that one request says about one ref. */
export interface MemberPatch {
  /** The id the member gets if the ref is new. */
  readonly id: string;
  readonly ref: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Keys to remove from the stored attributes. */
  readonly removed: readonly string[];
}

/**
 * One patch a ref, as a statement may touch a row only once. Entries are folded in the order given, so that
 * one request means the same as its entries sent one after another. `ids` has an id for each entry.
 */
export function foldMemberUpserts(entries: readonly MemberUpsert[], ids: readonly string[]): MemberPatch[] {
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
  // Not by assignment: `__proto__` is a key like any other.
  return { id, ref, attributes: Object.fromEntries(present), removed };
}
