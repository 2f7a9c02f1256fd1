import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { testMemberbase, testStore } from "#test-support";
import { listMembers, type MemberFilter } from "./member-rows.ts";
import { upsertMembers } from "./upsert-members.ts";

type Base = { readonly organisationId: string; readonly memberbaseId: string };

let store: Store;

t.before(async () => {
  store = await testStore(6);
});

async function create(base: Base, refs: readonly string[]): Promise<string[]> {
  const ids = await upsertMembers(store, {
    ...base,
    members: refs.map((ref) => ({ ref })),
    ids: refs.map(() => uuidv7()),
  });
  if (ids === undefined) throw new Error("the memberbase is there");
  return ids;
}

async function list(
  base: Base,
  filter?: MemberFilter,
  page: { after?: string; skip?: number } = {},
  limit = 1000,
) {
  const listed = await listMembers(store, { ...base, filter }, { limit, ...page });
  if (listed === undefined) throw new Error("the memberbase is there");
  return listed;
}

const leaf = (column: "id" | "ref", operator: "in" | "nin", values: string[]): MemberFilter => ({
  column,
  operator,
  values,
});

t.test("list - pages by id, counts all, and skips", async (t) => {
  const base = await testMemberbase(store);
  const ids = await create(base, ["d", "c", "b", "a", "e"]);
  const first = await list(base, undefined, {}, 2);
  t.match(first, { more: true, total: 5 });
  t.strictSame(
    first.records.map(({ id, ref }) => [id, ref]),
    [
      [ids[0], "d"],
      [ids[1], "c"],
    ],
  );
  t.match(await list(base, undefined, { after: ids[1] as string }, 3), {
    records: [{ ref: "b" }, { ref: "a" }, { ref: "e" }],
    more: false,
    total: 5,
  });
  t.match(await list(base, undefined, { skip: 4 }, 3), { records: [{ ref: "e" }], more: false, total: 5 });
  t.match(await list(base, undefined, { skip: 100_000 }), { records: [], more: false, total: 5 });
});

t.test("list - a foreign, unknown or deleted memberbase is not there", async (t) => {
  const base = await testMemberbase(store);
  const other = await testMemberbase(store);
  const page = { limit: 10 };
  t.equal(await listMembers(store, { ...base, organisationId: other.organisationId }, page), undefined);
  t.equal(await listMembers(store, { ...base, memberbaseId: uuidv7() }, page), undefined);
  t.match(await list(base), { records: [], total: 0 });
  await store`update memberbases set deleted_at = now() where id = ${base.memberbaseId}`;
  t.equal(await listMembers(store, base, page), undefined);
  t.equal(await listMembers(store, { ...base, filter: leaf("ref", "in", ["a"]) }, page), undefined);
});

t.test("list - a filter sees no other memberbase's members", async (t) => {
  const base = await testMemberbase(store);
  const other = await testMemberbase(store);
  const [foreign] = await create(other, ["same"]);
  const [own] = await create(base, ["same"]);
  const both = leaf("id", "in", [foreign as string, own as string]);
  t.match(await list(base, both), { records: [{ id: own }], total: 1 });
  t.equal((await list(base, both)).records.length, 1);
  const either: MemberFilter = { combine: "or", filters: [both, leaf("ref", "in", ["same"])] };
  t.strictSame((await list(base, either)).records.length, 1);
  t.match(await list(base, leaf("id", "nin", [foreign as string])), { records: [{ id: own }], total: 1 });
});

t.test("list - a connection keeps no statement with a filter", async (t) => {
  const base = await testMemberbase(store);
  const single = await testStore(1);
  for (let width = 1; width <= 20; width++) {
    const filters = Array.from({ length: width }, () => leaf("ref", "nin", ["x"]));
    await listMembers(single, { ...base, filter: { combine: "or", filters } }, { limit: 1 });
  }
  const [{ kept }] = await single<[{ kept: number }]>`
    select count(*) as kept from pg_prepared_statements
    where statement like '%<> all(%' or statement like '%member_count%'`;
  // The list's own statement is prepared, and holds both patterns.
  t.equal(kept, 1);
});

/** The meaning of a filter, written independently. */
function matches(filter: MemberFilter, member: { id: string; ref: string }): boolean {
  if ("combine" in filter) {
    const { combine, filters } = filter;
    return combine === "and"
      ? filters.every((inner) => matches(inner, member))
      : filters.some((inner) => matches(inner, member));
  }
  return filter.values.includes(member[filter.column]) === (filter.operator === "in");
}

t.test("list - any filter gives, page by page, what an evaluation in memory gives", async () => {
  const base = await testMemberbase(store);
  const refs = ["a", "A", "ä", "a\u0308", `"\\'{}$1,`, "null", "NULL", " ", "__proto__", "x", "y", "z"];
  const ids = await create(base, refs);
  const members = ids.map((id, at) => ({ id, ref: refs[at] as string }));
  const operator = fc.constantFrom("in" as const, "nin" as const);
  const byRef = fc.subarray([...refs, "unknown"]).map((values) => ({ column: "ref" as const, values }));
  const byId = fc.subarray([...ids, uuidv7()]).map((values) => ({ column: "id" as const, values }));
  const leaves = fc.tuple(fc.oneof(byRef, byId), operator).map(([by, is]) => ({ ...by, operator: is }));
  const { filter } = fc.letrec<{ filter: MemberFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      leaves,
      fc.record({
        combine: fc.constantFrom("and" as const, "or" as const),
        filters: fc.array(tie("filter"), { maxLength: 4 }),
      }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(filter, fc.integer({ min: 1, max: 5 }), async (tried, limit) => {
      const expected = members.filter((member) => matches(tried, member)).map(({ id }) => id);
      const walked: string[] = [];
      let page = await list(base, tried, {}, limit);
      for (;;) {
        assert.equal(page.total, expected.length);
        walked.push(...page.records.map(({ id }) => id));
        if (!page.more) break;
        page = await list(base, tried, { after: walked.at(-1) as string }, limit);
      }
      assert.deepEqual(walked, expected);
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 150), seed: 4004 },
  );
});

t.test("list - a walk meets each member that stays exactly once, while others come and go", async (t) => {
  const base = await testMemberbase(store);
  const staying = await create(
    base,
    Array.from({ length: 300 }, (_, at) => `stays ${at}`),
  );
  const going = Array.from({ length: 300 }, (_, at) => `goes ${at}`);
  await create(base, going);
  let walking = true;
  const churn = (async () => {
    for (let round = 0; walking; round++) {
      const refs = Array.from({ length: 20 }, (_, at) => `comes ${round} ${at}`);
      await create(base, refs);
      await deleteMembers(store, {
        ...base,
        which: { refs: [...going.splice(0, 5), ...refs.slice(0, 10)] },
      });
    }
  })();
  for (const filter of [undefined, leaf("ref", "nin", ["nobody"])]) {
    const walked: string[] = [];
    for (let after: string | undefined, more = true; more; after = walked.at(-1)) {
      const page = await list(base, filter, after === undefined ? {} : { after }, 17);
      walked.push(...page.records.map(({ id }) => id));
      more = page.more;
      // Otherwise the walk may never end: it reaches every member that is added at the end.
      if (walked.length > 2000) walking = false;
    }
    t.equal(new Set(walked).size, walked.length, "no member twice");
    const met = new Set(walked);
    t.strictSame(
      staying.filter((id) => !met.has(id)),
      [],
    );
  }
  walking = false;
  await churn;
  const [{ counted }] = await store<[{ counted: number }]>`
    select count(*) as counted from members where memberbase_id = ${base.memberbaseId}`;
  t.equal((await list(base)).total, counted, "the total is exact after all of it");
});
