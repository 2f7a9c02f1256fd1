import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testMemberbase, testStore, waitForLocks } from "#test-support";
import { type AttributeValue, getMember, type Member, type MemberUpsert } from "./member-rows.ts";
import { upsertMembers } from "./upsert-members.ts";

type Base = { readonly organisationId: string; readonly memberbaseId: string };

let store: Store;

t.before(async () => {
  store = await testStore(6);
});

async function upsert(base: Base, ...members: MemberUpsert[]): Promise<string[]> {
  const ids = await upsertMembers(store, { ...base, members, ids: members.map(() => uuidv7()) });
  if (ids === undefined) throw new Error("the memberbase is there");
  return ids;
}

async function read({ organisationId, memberbaseId }: Base, ref: string): Promise<Member> {
  const member = await getMember(store, organisationId, { memberbaseId, ref });
  if (member === undefined) throw new Error(`no member ${ref}`);
  return member;
}

t.test("upsert - ids come in the order given, a repeated ref has one id", async (t) => {
  const base = await testMemberbase(store);
  const [c, a, again, b] = await upsert(base, { ref: "c" }, { ref: "a" }, { ref: "c" }, { ref: "b" });
  t.equal(again, c);
  t.strictSame(
    await upsert(base, { ref: "a" }, { ref: "b" }, { ref: "c" }, { ref: "d" }).then((x) => x.slice(0, 3)),
    [a, b, c],
  );
  t.equal((await read(base, "c")).id, c);
});

t.test("upsert - a present key overwrites, null removes, an absent key stays", async (t) => {
  const base = await testMemberbase(store);
  await upsert(base, { ref: "a", attributes: { tier: "gold", age: 41, tags: ["x", "y"], gone: null } });
  await upsert(base, { ref: "a", attributes: { tier: "silver", age: null, vip: false } });
  t.strictSame((await read(base, "a")).attributes, { tier: "silver", tags: ["x", "y"], vip: false });
});

t.test("upsert - entries of one ref in one request are folded in order", async (t) => {
  const base = await testMemberbase(store);
  await upsert(base, { ref: "a", attributes: { x: 1, y: 1 } });
  await upsert(
    base,
    { ref: "a", attributes: { x: null, z: 1 } },
    { ref: "a", attributes: { x: 2, z: null } },
  );
  t.strictSame((await read(base, "a")).attributes, { x: 2, y: 1 });
});

t.test("upsert - a member that would not change is not written", async (t) => {
  const base = await testMemberbase(store);
  const change: MemberUpsert = { ref: "a", attributes: { x: 1, gone: null } };
  await upsert(base, change);
  const version = () => store<[{ version: string }]>`
    select xmin::text || ' ' || ctid::text as version from members where memberbase_id = ${base.memberbaseId}`;
  const before = await read(base, "a");
  // A lock on the row may show in xmax; a new version would show in ctid and xmin.
  const [written] = await version();
  await upsert(base, change, { ref: "a" });
  t.strictSame((await version())[0], written);
  t.strictSame(await read(base, "a"), before);

  await upsert(base, { ref: "a", attributes: { x: 2 } });
  t.ok((await read(base, "a")).updatedAt > before.updatedAt);
  t.strictSame((await read(base, "a")).createdAt, before.createdAt);
});

t.test("upsert - refs and keys are exact bytes", async (t) => {
  const base = await testMemberbase(store);
  const refs = ["a", "A", "ä", "a\u0308", "👍", `"\\'{}$1,`, "__proto__", "constructor", "null", " "];
  const attributes = JSON.parse(`{"__proto__": "own", "a.b": 1, "\\"": ["\\\\", "null", "{}"]}`);
  const ids = await upsert(base, ...refs.map((ref) => ({ ref, attributes })));
  t.equal(new Set(ids).size, refs.length);
  await upsert(base, ...refs.map((ref) => ({ ref, attributes: { "a.b": null } })));
  for (const [index, ref] of refs.entries()) {
    const member = await read(base, ref);
    t.equal(member.id, ids[index]);
    t.equal(
      JSON.stringify(member.attributes, ["__proto__", '"']),
      `{"__proto__":"own","\\"":["\\\\","null","{}"]}`,
    );
  }
});

t.test("upsert - equal bulk requests at one time do not deadlock and get the same ids", async (t) => {
  const base = await testMemberbase(store);
  const refs = Array.from({ length: 2000 }, (_, index) => `member ${index}`);
  const members = refs.map((ref) => ({ ref, attributes: { tier: "gold" } }));
  const results = await Promise.all([
    upsert(base, ...members),
    upsert(base, ...members.toReversed()).then((ids) => ids.toReversed()),
    upsert(base, ...members),
    upsert(base, ...members.toReversed()).then((ids) => ids.toReversed()),
  ]);
  for (const ids of results.slice(1)) t.strictSame(ids, results[0]);
  const [{ count }] = await store<[{ count: number }]>`
    select count(*) from members where memberbase_id = ${base.memberbaseId}`;
  t.equal(count, refs.length);
});

t.test("upsert - requests at one time lose none of each other's keys", async (t) => {
  const base = await testMemberbase(store);
  const refs = Array.from({ length: 200 }, (_, index) => `member ${index}`);
  const writers = ["a", "b", "c", "d"];
  await Promise.all(
    writers.map((key) => upsert(base, ...refs.map((ref) => ({ ref, attributes: { [key]: 1, none: null } })))),
  );
  for (const ref of refs) t.strictSame((await read(base, ref)).attributes, { a: 1, b: 1, c: 1, d: 1 });
});

t.test("upsert - a member deleted and added again during the request has its new id", async (t) => {
  const base = await testMemberbase(store);
  const [old] = await upsert(base, { ref: "a" });
  const fresh = uuidv7();
  let result: Promise<string[]> | undefined;
  await store.begin(async (sql) => {
    await sql`delete from members where id = ${old}`;
    await sql`
      insert into members (id, organisation_id, memberbase_id, ref)
      values (${fresh}, ${base.organisationId}, ${base.memberbaseId}, 'a')`;
    result = upsert(base, { ref: "a" });
    // Its snapshot is taken and still shows the old row, and it waits for this session.
    await waitForLocks(store);
  });
  t.strictSame(await result, [fresh]);
});

t.test("upsert - a foreign, unknown or deleted memberbase is not there", async (t) => {
  const base = await testMemberbase(store);
  const other = await testMemberbase(store);
  const request = { members: [{ ref: "a" }], ids: [uuidv7()] };
  t.equal(
    await upsertMembers(store, { ...base, organisationId: other.organisationId, ...request }),
    undefined,
  );
  t.equal(await upsertMembers(store, { ...base, memberbaseId: uuidv7(), ...request }), undefined);
  await upsert(base, { ref: "a" });
  await store`update memberbases set deleted_at = now() where id = ${base.memberbaseId}`;
  t.equal(await upsertMembers(store, { ...base, ...request }), undefined);
  t.equal(
    await getMember(store, base.organisationId, { memberbaseId: base.memberbaseId, ref: "a" }),
    undefined,
  );
});

const KEYS = ["a", "b", "c", "__proto__"];
const values: fc.Arbitrary<AttributeValue | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.constantFrom<AttributeValue>(true, false, 0, 1.5, 1e300, -7, "", "null"),
  fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
  fc.array(fc.constantFrom("x", "y")),
);
const entries: fc.Arbitrary<MemberUpsert[]> = fc.array(
  fc.record({
    ref: fc.constantFrom("p", "q", "r"),
    // A null prototype keeps `__proto__` a key.
    attributes: fc.dictionary(fc.constantFrom(...KEYS), values, { noNullPrototype: false }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Applies one entry. The entries are applied one after the other. */
function applyEntry(
  stored: Map<string, Map<string, AttributeValue>>,
  { ref, attributes = {} }: MemberUpsert,
) {
  const member = stored.get(ref) ?? new Map<string, AttributeValue>();
  stored.set(ref, member);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) member.delete(key);
    else member.set(key, value);
  }
}

t.test("upsert - any requests have the result of their entries applied one after another", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entries, { minLength: 1, maxLength: 4 }), async (requests) => {
      const base = await testMemberbase(store);
      const model = new Map<string, Map<string, AttributeValue>>();
      for (const request of requests) {
        await upsert(base, ...request);
        for (const entry of request) applyEntry(model, entry);
      }
      for (const [ref, attributes] of model) {
        const stored = new Map(Object.entries((await read(base, ref)).attributes));
        assert.deepStrictEqual([...stored].sort(byKey), [...attributes].sort(byKey));
      }
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 100) },
  );
});

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
