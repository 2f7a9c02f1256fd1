import t from "tap";
import { uuidv7 } from "uuidv7";
import { ApiError } from "#contract";
import { encodeId } from "#domain";
import type { Sql, Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import {
  interrupted,
  orRefusal,
  type TestMember,
  testMember,
  testProgram,
  testStore,
  waitForLocks,
} from "#test-support";
import { applyProgramConfig } from "../../../rewards/src/handle-config.ts";
import { upsertMembers } from "../members/upsert-members.ts";
import {
  createStampCollection,
  getStampCollection,
  listStampCollections,
  type StampCollection,
} from "./stamp-collections.ts";

let store: Store;

t.before(async () => {
  store = await testStore(10);
});

type Outcome = StampCollection | ApiError;

const enrol = (member: TestMember, loyaltyProgramId: string, sql: Sql = store): Promise<Outcome> =>
  createStampCollection(sql, { id: uuidv7(), ...member, loyaltyProgramId }).catch(orRefusal);

async function created(enrolment: Promise<Outcome>): Promise<StampCollection> {
  const outcome = await enrolment;
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

const NO_MEMBER = { data: { resource: "member" } };
const NO_PROGRAM = { data: { resource: "loyalty_program" } };
const alreadyEnrolled = (id = "") => ({
  data: { reason: "already_enrolled", stamp_collection_id: encodeId("sc", id) },
});

async function isLinked({ memberId }: TestMember): Promise<boolean> {
  const [row] = await store<[{ linked: boolean }]>`select linked from members where id = ${memberId}`;
  return row.linked;
}

t.test("enrolment - it is created with no stamps, read back, and marks its member", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  t.equal(await isLinked(member), false);
  const collection = await created(enrol(member, program));
  t.match(collection, { loyaltyProgramId: program, unredeemedPurchases: 0, createdAt: Date });
  t.strictSame(await getStampCollection(store, member.organisationId, collection.id), collection);
  t.equal(await isLinked(member), true);
});

t.test(
  "enrolment - the second call gets the id of the first; another program makes another one",
  async (t) => {
    const member = await testMember(store);
    const [program, other] = [await testProgram(store), await testProgram(store)];
    const { id } = await created(enrol(member, program));
    t.match(await enrol(member, program), alreadyEnrolled(id));
    const second = await created(enrol(member, other));
    const { organisationId, memberId } = member;
    const list = await listStampCollections(store, organisationId, memberId, { limit: 5 });
    t.strictSame(
      list?.records.map((record) => record.id),
      [id, second.id],
    );
    const page = await listStampCollections(store, organisationId, memberId, { limit: 1 });
    t.match(page, { records: [{ id }], more: true });
    const rest = await listStampCollections(store, organisationId, memberId, { limit: 1, after: id });
    t.match(rest, { records: [{ id: second.id }], more: false });
  },
);

t.test("enrolment - of fifty concurrent calls one creates, and the others get its id", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => enrol(member, program)));
  const winners = outcomes.flatMap((outcome) => (outcome instanceof ApiError ? [] : [outcome]));
  t.equal(winners.length, 1);
  for (const outcome of outcomes) {
    if (outcome instanceof ApiError) t.match(outcome, alreadyEnrolled(winners[0]?.id));
  }
});

t.test("enrolment - a member that is not there, or not reachable, is refused everywhere", async (t) => {
  const program = await testProgram(store);
  const [mine, theirs] = [await testMember(store), await testMember(store)];
  const { id } = await created(enrol(theirs, program));
  const foreign = { ...theirs, organisationId: mine.organisationId };
  const nobody = { ...mine, memberId: uuidv7() };
  for (const member of [foreign, nobody]) {
    const { organisationId, memberId } = member;
    t.match(await enrol(member, program), NO_MEMBER);
    t.equal(await listStampCollections(store, organisationId, memberId, { limit: 5 }), undefined);
  }
  t.equal(await getStampCollection(store, mine.organisationId, id), undefined);

  await store`update memberbases set deleted_at = now() where id = ${theirs.memberbaseId}`;
  t.match(await enrol(theirs, await testProgram(store)), NO_MEMBER);
  t.equal(await getStampCollection(store, theirs.organisationId, id), undefined);
  t.equal(await listStampCollections(store, theirs.organisationId, theirs.memberId, { limit: 5 }), undefined);
});

t.test("enrolment - it needs an existing program; the collected stamps outlive the program", async (t) => {
  const member = await testMember(store);
  t.match(await enrol(member, uuidv7()), NO_PROGRAM);
  t.equal(await isLinked(member), false);
  const program = await testProgram(store);
  const { id } = await created(enrol(member, program));
  await applyProgramConfig(store, { id: program, revision: 2, record: null });
  t.match(await enrol(member, program), NO_PROGRAM);
  t.ok(await getStampCollection(store, member.organisationId, id));
});

t.test("enrolment - a rollback of its database transaction leaves nothing", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  await t.rejects(
    store.begin(async (sql) => {
      t.match(await enrol(member, program, sql), { loyaltyProgramId: program });
      t.match(await enrol(member, program, sql), { data: { reason: "already_enrolled" } });
      throw new Error("undone");
    }),
    { message: "undone" },
  );
  t.equal(await isLinked(member), false);
  t.match(await enrol(member, program), { loyaltyProgramId: program });
});

t.test("enrolment - a change of the member that it waited for is kept", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  let outcome: Promise<Outcome> | undefined;
  await store.begin(async (sql) => {
    await sql`update members set attributes = '{"tier": "gold"}' where id = ${member.memberId}`;
    outcome = enrol(member, program);
    await waitForLocks(store, 1, "%with member as%");
  });
  t.match(await outcome, { loyaltyProgramId: program });
  const [row] = await store`select attributes, linked from members where id = ${member.memberId}`;
  t.match(row, { attributes: { tier: "gold" }, linked: true });
});

t.test("enrolment - it does not find a member whose deletion it waited for", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  let outcome: Promise<Outcome> | undefined;
  await store.begin(async (sql) => {
    await sql`delete from members where id = ${member.memberId}`;
    outcome = enrol(member, program);
    await waitForLocks(store, 1, "%with member as%");
  });
  t.match(await outcome, NO_MEMBER);
});

t.test("enrolment - it does not find a member deleted while it looks for the first enrolment", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  await created(enrol(member, program));
  const sql = interrupted(
    store,
    "select id from stamp_collections",
    () => store`delete from members where id = ${member.memberId}`,
  );
  t.match(await enrol(member, program, sql), NO_MEMBER);
});

t.test("enrolment - a deletion that waited for it puts it out of reach", async (t) => {
  const member = await testMember(store);
  const program = await testProgram(store);
  let deletion: Promise<unknown> | undefined;
  const stampCollectionId = await store.begin(async (sql) => {
    const { id } = await created(enrol(member, program, sql));
    deletion = store`delete from members where id = ${member.memberId}`.then();
    await waitForLocks(store, 1, "delete from members%");
    return id;
  });
  await deletion;
  t.equal(await getStampCollection(store, member.organisationId, stampCollectionId), undefined);
});

t.test("enrolment - with bulk upserts and deletes of the same members there is no deadlock", async (t) => {
  const base = await testMember(store);
  const programs = [await testProgram(store), await testProgram(store)];
  const refs = Array.from({ length: 100 }, (_, index) => `member ${index}`);
  const upsert = async (members: readonly string[], value: number) =>
    (await upsertMembers(store, {
      ...base,
      members: members.map((ref) => ({ ref, attributes: { value } })),
      ids: members.map(() => uuidv7()),
    })) as string[];
  const ids = await upsert(refs, 0);
  const remove = () => deleteMembers(store, { ...base, which: { ids: ids.slice(50) } });
  await Promise.all([
    ...[1, 2, 3].flatMap((value) => [upsert(refs, value), upsert(refs.toReversed(), -value)]),
    remove(),
    ...[...ids, ...ids.toReversed()].flatMap((memberId) =>
      programs.map((program) => enrol({ ...base, memberId }, program)),
    ),
    remove(),
  ]);
  const [{ count }] = await store<[{ count: number }]>`
    select count(*) from stamp_collections where organisation_id = ${base.organisationId}`;
  t.equal(count, 100, "two for each of the fifty that stayed");
});
