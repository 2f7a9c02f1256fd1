import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { testMemberbase, testStore } from "#test-support";
import { type OversizedMember, OversizedMembersError } from "./member-bounds.ts";
import { getMember, type MemberUpsert } from "./member-rows.ts";
import { upsertMembers } from "./upsert-members.ts";

type Base = { readonly organisationId: string; readonly memberbaseId: string };

const { attributesPerMember: KEYS, attributeBytesPerMember: BYTES } = LIMITS;

let store: Store;

t.before(async () => {
  store = await testStore(6);
});

function upsert(base: Base, ...members: MemberUpsert[]): Promise<string[] | undefined> {
  return upsertMembers(store, { ...base, members, ids: members.map(() => uuidv7()) });
}

/** Resolves to the members for which the upsert was refused. */
async function refusedFor(work: Promise<unknown>): Promise<readonly OversizedMember[]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof OversizedMembersError) return error.members;
    throw error;
  }
  throw new Error("the upsert was not refused");
}

async function attributesOf(base: Base, ref: string): Promise<Record<string, unknown> | undefined> {
  const { organisationId, memberbaseId } = base;
  return (await getMember(store, organisationId, { memberbaseId, ref }))?.attributes;
}

/** This many attributes. */
function keys(prefix: string, count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));
}

/** Attributes whose JSON has this many bytes. */
function filled(bytes: number): { big: string } {
  return { big: "x".repeat(bytes - JSON.stringify({ big: "" }).length) };
}

/** A member as an earlier version may have stored it. */
async function storeLarge(base: Base, ref: string, attributes: object): Promise<void> {
  await store`
    insert into members (id, organisation_id, memberbase_id, ref, attributes)
    values (${uuidv7()}, ${base.organisationId}, ${base.memberbaseId}, ${ref}, ${JSON.stringify(attributes)}::text::jsonb)`;
}

t.test("member bounds - 64 keys are counted after the merge, over any number of requests", async (t) => {
  const base = await testMemberbase(store);
  await upsert(base, { ref: "a", attributes: keys("k", KEYS) });
  t.match(await refusedFor(upsert(base, { ref: "a", attributes: { one: 1 } })), [
    { index: 0, keys: KEYS + 1 },
  ]);
  t.strictSame(await attributesOf(base, "a"), keys("k", KEYS));
  await upsert(base, { ref: "a", attributes: { one: 1, k0: null } });
  t.equal(Object.keys((await attributesOf(base, "a")) ?? {}).length, KEYS, "one in the place of another");
  await upsert(base, { ref: "a", attributes: { one: 1, k1: 1 } });
});

t.test("member bounds - 16 KiB are those of the JSON that a caller sends", async (t) => {
  const base = await testMemberbase(store);
  const tags = Array.from({ length: 200 }, (_, index) => `é${index}`);
  const mixed = { tags, none: [], "ü\n": true, number: 1.5 };
  const left = BYTES - Buffer.byteLength(JSON.stringify(mixed));
  await upsert(base, { ref: "a", attributes: { ...mixed, ...filled(left + 1) } });
  t.equal(Buffer.byteLength(JSON.stringify(await attributesOf(base, "a"))), BYTES);
  await upsert(base, { ref: "a", attributes: { number: 2.5 } });
  t.match(await refusedFor(upsert(base, { ref: "a", attributes: { number: 2.55 } })), [
    { index: 0, bytes: BYTES + 1 },
  ]);
  t.equal((await refusedFor(upsert(base, { ref: "new", attributes: filled(BYTES + 1) }))).length, 1);
  t.equal(await attributesOf(base, "new"), undefined);
});

t.test(
  "member bounds - a request with members that are too large writes nothing, and names them",
  async (t) => {
    const base = await testMemberbase(store);
    await upsert(base, { ref: "full", attributes: keys("k", KEYS) });
    const refused = await refusedFor(
      upsert(
        base,
        { ref: "z", attributes: filled(BYTES + 1) },
        { ref: "fine", attributes: { tier: "gold" } },
        { ref: "full", attributes: { one: 1 } },
        { ref: "full" },
      ),
    );
    t.match(refused, [
      { index: 0, keys: 1, bytes: BYTES + 1 },
      { index: 2, keys: KEYS + 1 },
    ]);
    t.equal(refused.length, 2);
    t.equal(await attributesOf(base, "fine"), undefined);
    t.equal(await attributesOf(base, "z"), undefined);
  },
);

t.test("member bounds - a request is judged as a whole, by the joint result of its entries", async (t) => {
  const base = await testMemberbase(store);
  const gone = Object.fromEntries(Object.keys(keys("a", KEYS)).map((key) => [key, null]));
  await upsert(
    base,
    { ref: "a", attributes: keys("a", KEYS) },
    { ref: "a", attributes: keys("b", 30) },
    {
      ref: "a",
      attributes: gone,
    },
  );
  t.strictSame(await attributesOf(base, "a"), keys("b", 30));
});

t.test("member bounds - upserts at one time do not pass them together", async (t) => {
  const base = await testMemberbase(store);
  const prefixes = ["a", "b", "c", "d", "e", "f"];
  const each = 25;
  const results = await Promise.allSettled(
    prefixes.map((prefix) => upsert(base, { ref: "m", attributes: keys(prefix, each) })),
  );
  const done = results.filter(({ status }) => status === "fulfilled");
  t.equal(done.length, Math.floor(KEYS / each));
  for (const result of results) {
    if (result.status === "rejected") t.ok(result.reason instanceof OversizedMembersError);
  }
  t.equal(Object.keys((await attributesOf(base, "m")) ?? {}).length, done.length * each);
});

t.test("member bounds - a larger member of an earlier version may shrink and go, and not grow", async (t) => {
  const base = await testMemberbase(store);
  const large: Record<string, unknown> = { ...keys("k", 320), ...filled(40_000) };
  await storeLarge(base, "a", large);
  t.strictSame(await attributesOf(base, "a"), large);
  t.equal((await refusedFor(upsert(base, { ref: "a", attributes: { more: 1 } }))).length, 1);
  t.equal((await refusedFor(upsert(base, { ref: "a", attributes: filled(40_001) }))).length, 1);
  t.strictSame(await attributesOf(base, "a"), large);

  await upsert(base, { ref: "a", attributes: { ...filled(20_000), k0: null } }, { ref: "b" });
  const shrunk: Record<string, unknown> = { ...large, ...filled(20_000) };
  delete shrunk.k0;
  t.strictSame(await attributesOf(base, "a"), shrunk);
  await upsert(base, { ref: "a", attributes: { k1: 1, k2: 3 } });
  t.equal((await refusedFor(upsert(base, { ref: "a", attributes: { k0: 0 } }))).length, 1);
  t.equal(await deleteMembers(store, { ...base, which: { refs: ["a"] } }), 1);
});
