import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Rejection } from "#domain";
import type { Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { testMemberbase, testStore, waitFor, waitForLocks } from "#test-support";
import { keepFindings } from "../../../ingest/src/batch/keep-findings.ts";
import { forgetMembers } from "../../../ingest/src/cleanup/forget-members.ts";
import { sweepDeletedMemberbases } from "../../../ingest/src/cleanup/sweep-deleted-memberbases.ts";
import { traceTransaction } from "../trace/transaction-trace.ts";
import { listRejections } from "../transactions/list-rejections.ts";
import { exportTransactions, listTransactions } from "../transactions/transaction-lists.ts";
import { getTransaction } from "../transactions/transaction-rows.ts";
import { writeReward } from "../wallet/cashbacks.ts";
import { getMember, listMembers } from "./member-rows.ts";
import { deleteMemberbase } from "./memberbases.ts";
import { upsertMembers } from "./upsert-members.ts";

type Base = { readonly organisationId: string; readonly memberbaseId: string };

let store: Store;

t.before(async () => {
  store = await testStore(8);
});

async function create(base: Base, ...refs: string[]): Promise<string[]> {
  const members = refs.map((ref) => ({ ref, attributes: { tier: "gold" } }));
  const ids = await upsertMembers(store, { ...base, members, ids: refs.map(() => uuidv7()) });
  if (ids === undefined) throw new Error("the memberbase is there");
  return ids;
}

const deleteRefs = (base: Base, ...refs: string[]) => deleteMembers(store, { ...base, which: { refs } });
const listOf = ({ organisationId }: Base, memberId: string) =>
  listTransactions(store, { organisationId, memberId }, { limit: 10 });
const totalOf = async (base: Base) => (await listMembers(store, base, { limit: 1 }))?.total;

async function addTransaction(base: Base, memberId: string, externalId: string): Promise<void> {
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    values (now(), ${base.organisationId}, ${uuidv7()}, ${memberId}, ${externalId}, 'authorized', 'visa', 'm',
            ${randomBytes(32)})`;
}

/** Moves all deletions so far this many days back. */
async function pass(days: number): Promise<void> {
  await store`
    update deleted_members set changed_at = changed_at - make_interval(days => ${days}::int),
                               due_at = due_at - make_interval(days => ${days}::int)`;
}

/** Removes what other tests left behind. */
async function sweepAll(): Promise<void> {
  while ((await sweepDeletedMemberbases(store)) > 0);
}

t.test("delete - by ref or id, unknown ones ignored, each counted once, and counted down", async (t) => {
  const base = await testMemberbase(store);
  const other = await testMemberbase(store);
  const [, b] = await create(base, "a", "b", "c", "d");
  const [foreign] = await create(other, "a");
  t.equal(await deleteRefs(base, "a", "a", "unknown", "A"), 1);
  t.equal(await totalOf(base), 3);
  const which = { ids: [b as string, b as string, foreign as string, uuidv7()] };
  t.equal(await deleteMembers(store, { ...base, which }), 1);
  t.equal(await deleteMembers(store, { ...base, which }), 0);
  t.equal(await deleteMembers(store, { ...base, which: { ids: [] } }), 0);
  t.equal(await totalOf(base), 2);
  t.equal(await totalOf(other), 1);
  t.equal(await getMember(store, base.organisationId, { id: b as string }), undefined);
  t.match(await getMember(store, other.organisationId, { id: foreign as string }), { ref: "a" });
});

t.test("delete - a foreign, unknown or deleted memberbase is not there", async (t) => {
  const base = await testMemberbase(store);
  const other = await testMemberbase(store);
  await create(base, "a");
  const which = { refs: ["a"] };
  t.equal(await deleteMembers(store, { ...base, organisationId: other.organisationId, which }), undefined);
  t.equal(await deleteMembers(store, { ...base, memberbaseId: uuidv7(), which }), undefined);
  t.equal(await totalOf(base), 1);
  await deleteMemberbase(store, base.organisationId, base.memberbaseId);
  t.equal(await deleteMembers(store, { ...base, which }), undefined);
});

t.test(
  "delete - removes attributes immediately, clips and enrolments once they can earn nothing more; the same ref later is a new member",
  async (t) => {
    const base = await testMemberbase(store);
    const [a] = (await create(base, "a")) as [string];
    const links = async () => {
      const [{ left }] = await store<[{ left: number }]>`
        select (select count(*) from clips where member_id = ${a})
             + (select count(*) from stamp_collections where member_id = ${a})
             + (select count(*) from deleted_members where member_id = ${a}) as left`;
      return left;
    };
    await store`
      insert into clips (id, organisation_id, member_id, deal_id)
      values (${uuidv7()}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    await store`
      insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
      values (${uuidv7()}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    t.equal(await deleteRefs(base, "a"), 1);
    await forgetMembers(store);
    await pass(60);
    await forgetMembers(store);
    t.equal(await links(), 3, "of purchases that were made before, something may still come");
    await pass(1);
    await forgetMembers(store);
    t.equal(await links(), 0);
    const ids = await upsertMembers(store, { ...base, members: [{ ref: "a" }], ids: [uuidv7()] });
    t.not(ids?.[0], a);
    t.strictSame(
      (await getMember(store, base.organisationId, { memberbaseId: base.memberbaseId, ref: "a" }))
        ?.attributes,
      {},
    );
  },
);

t.test("delete - a member with a pending cashback is checked again the next day", async (t) => {
  const base = await testMemberbase(store);
  const [a] = (await create(base, "a")) as [string];
  await store`
    insert into cashbacks (amount, id, organisation_id, transaction_id, member_id, clip_id, deal_id, transaction_ref, state, currency)
    values (1, ${uuidv7()}, ${base.organisationId}, ${uuidv7()}, ${a}, ${uuidv7()}, ${uuidv7()}, 'ref', 'pending', 'EUR')`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    values (${uuidv7()}, ${base.organisationId}, ${a}, ${uuidv7()})`;
  await deleteRefs(base, "a");
  const noted = () => store`select from deleted_members where member_id = ${a} and due_at > now()`;
  await pass(61);
  await forgetMembers(store);
  t.equal((await noted()).length, 1);
  await store`update cashbacks set state = 'reverted', reverted_at = now() where member_id = ${a}`;
  await pass(1);
  await forgetMembers(store);
  t.equal((await noted()).length, 0);
});

t.test(
  "regression - enrolments and clips went while the platform could still match a purchase that cleared after the deletion",
  async (t) => {
    const base = await testMemberbase(store);
    const [a] = (await create(base, "a")) as [string];
    await addTransaction(base, a, "cleared late");
    await store`
      insert into clips (id, organisation_id, member_id, deal_id)
      values (${uuidv7()}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    const clips = () => store`select from clips where member_id = ${a}`;
    await deleteRefs(base, "a");
    await pass(100);
    const clearedDaysAgo = async (days: number) => {
      await store`
        update deleted_members set changed_at = now() - make_interval(days => ${days}::int), due_at = now() where member_id = ${a}`;
      await forgetMembers(store);
    };
    await clearedDaysAgo(60);
    t.equal((await clips()).length, 1);
    await clearedDaysAgo(61);
    t.equal((await clips()).length, 0);
  },
);

t.test(
  "regression - the removal of enrolments and clips took along earnings made since they were checked",
  async (t) => {
    const base = await testMemberbase(store);
    const [a] = (await create(base, "a")) as [string];
    const [card, clip] = [uuidv7(), uuidv7()];
    await store`
      insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
      values (${card}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    await store`
      insert into clips (id, organisation_id, member_id, deal_id) values (${clip}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    await deleteRefs(base, "a");
    await pass(61);
    let forgetting: Promise<void> | undefined;
    await store.begin(async (sql) => {
      await sql`select from stamp_collections where id = ${card} for update`;
      forgetting = forgetMembers(store);
      await waitForLocks(store);
      await sql`update stamp_collections set pending_redemptions = array[${uuidv7()}::uuid] where id = ${card}`;
    });
    await forgetting;
    t.equal((await store`select from stamp_collections where id = ${card}`).length, 1);
    t.equal((await store`select from clips where id = ${clip}`).length, 1);
    t.equal(
      (await store`select from deleted_members where member_id = ${a}`).length,
      1,
      "it is looked at again",
    );
    await store`update stamp_collections set pending_redemptions = '{}' where id = ${card}`;
    await store`update deleted_members set due_at = now() where member_id = ${a}`;
    await forgetMembers(store);
    t.equal((await store`select from stamp_collections where id = ${card}`).length, 0);
  },
);

t.test("delete - transactions lose the link for every reader immediately, without a write", async (t) => {
  const base = await testMemberbase(store);
  const [a, b] = (await create(base, "a", "b")) as [string, string];
  await addTransaction(base, a, "of a");
  await addTransaction(base, b, "of b");
  await deleteRefs(base, "a");
  t.equal((await getTransaction(store, base.organisationId, "of a"))?.memberId, null);
  t.equal((await getTransaction(store, base.organisationId, "of b"))?.memberId, b);
  const exported = await exportTransactions(store, base, { limit: 10 });
  t.strictSame(
    exported.records.map(({ memberId }) => memberId),
    [null, b],
  );
  t.equal(await listOf(base, a), undefined);
  await forgetMembers(store);
  t.strictSame(await store`select from deleted_members where member_id = ${a}`, [], "that was all");
});

t.test(
  "regression - the earnings of a deleted member named their card and clip, and so revealed which belong to one member",
  async (t) => {
    const base = await testMemberbase(store);
    const { organisationId } = base;
    const [a] = (await create(base, "a")) as [string];
    await addTransaction(base, a, "of a");
    const [deal, program] = [uuidv7(), uuidv7()];
    await store`
      insert into cashbacks (amount, id, organisation_id, transaction_id, member_id, clip_id, deal_id, loyalty_program_id,
                             stamp_collection_id, redemption_id, transaction_ref, state, currency)
      select 1, given.id, ${organisationId}, t.id, ${a}, clip, deal, program, card, redemption, 'of a', 'pending', 'EUR'
      from transactions t cross join (values
        (${uuidv7()}::uuid, ${uuidv7()}::uuid, ${deal}::uuid, null::uuid, null::uuid, null::uuid),
        (${uuidv7()}, null, null, ${program}, ${uuidv7()}, ${uuidv7()})
      ) as given (id, clip, deal, program, card, redemption)
      where t.organisation_id = ${organisationId}`;
    const sources = async () => {
      const got = await getTransaction(store, organisationId, "of a");
      const exported = await exportTransactions(store, base, { limit: 10 });
      const traced = await traceTransaction(store, { organisationId, externalId: "of a", partition: 0 });
      t.strictSame(exported.records[0]?.rewards, got?.rewards);
      t.strictSame(
        traced?.steps.flatMap((step) => (step.kind === "cashback" ? step.source : [])),
        traced?.transaction.rewards.map(({ source }) => source),
      );
      t.strictSame(traced?.transaction.rewards, got?.rewards.map(writeReward));
      return got?.rewards.map(({ source }) => source);
    };
    t.match(await sources(), [{ clipId: String }, { stampCollectionId: String, redemptionId: String }]);
    await deleteRefs(base, "a");
    t.strictSame(await sources(), [
      { type: "clip", clipId: null, dealId: deal },
      { type: "redemption", loyaltyProgramId: program, stampCollectionId: null, redemptionId: null },
    ]);
  },
);

t.test(
  "delete - a rejected event loses the link as well, unless it was rejected for having none",
  async (t) => {
    const base = await testMemberbase(store);
    const { organisationId } = base;
    const [a, b] = (await create(base, "a", "b")) as [string, string];
    const reject = (memberId: string, externalId: string, rejection: Rejection) =>
      keepFindings(store, {
        rejected: [
          { organisationId, externalId, memberId, batchId: uuidv7(), index: 0, awaited: true, rejection },
        ],
        ignored: [],
      });
    const mismatch = { code: "conflict", reason: "identity_mismatch", field: "card" } as const;
    await reject(a, "of a", mismatch);
    await reject(b, "of b", mismatch);
    const told = async (memberId?: string) => {
      const { records } = await listRejections(store, { organisationId, memberId }, { limit: 10 });
      return records.map((row) => (row.notKept === null ? [row.externalId, row.memberId] : []));
    };
    t.strictSame(await told(a), [["of a", a]]);
    await deleteRefs(base, "a");
    await reject(a, "of no member", { code: "not_found", reason: "not_found" });
    t.strictSame(await told(), [
      ["of no member", a],
      ["of b", b],
      ["of a", null],
    ]);
    t.strictSame(await told(a), [["of no member", a]]);
  },
);

t.test(
  "delete - a memberbase of many members is swept with rests, and costs nothing for its transactions",
  async (t) => {
    const base = await testMemberbase(store);
    const refs = Array.from({ length: 2500 }, (_, at) => `member ${at}`);
    await create(base, ...refs);
    await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id, identifier_6)
    select now(), ${base.organisationId}, gen_random_uuid(), id, ref || ' ' || n, 'authorized', 'visa', 'm', sha256('x')
    from members cross join generate_series(1, 4) as n where memberbase_id = ${base.memberbaseId}`;
    const places = () => store`
    select array_agg(ctid::text order by external_id) as at from transactions where organisation_id = ${base.organisationId}`;
    const before = await places();
    await deleteMemberbase(store, base.organisationId, base.memberbaseId);
    await forgetMembers(store);
    t.strictSame(await store`select from members where memberbase_id = ${base.memberbaseId}`, []);
    t.strictSame(await places(), before, "no row of theirs is written");
  },
);

t.test(
  "delete - equal bulk deletes and upserts at one time do not deadlock, and each member goes once",
  async (t) => {
    const base = await testMemberbase(store);
    const refs = Array.from({ length: 2000 }, (_, at) => `member ${at}`);
    const ids = await create(base, ...refs);
    const results = await Promise.all([
      deleteRefs(base, ...refs),
      deleteRefs(base, ...refs.toReversed()),
      deleteMembers(store, { ...base, which: { ids } }),
      deleteMembers(store, { ...base, which: { ids: ids.toReversed() } }),
    ]);
    t.equal(
      results.reduce<number>((sum, deleted) => sum + (deleted ?? 0), 0),
      refs.length,
    );
    t.equal(await totalOf(base), 0);
    for (let round = 0; round < 3; round++) {
      await Promise.all([
        create(base, ...refs),
        deleteRefs(base, ...refs.toReversed()),
        create(base, ...refs.toReversed()),
        deleteRefs(base, ...refs),
      ]);
      const [{ counted }] = await store<[{ counted: number }]>`
      select count(*) as counted from members where memberbase_id = ${base.memberbaseId}`;
      t.equal(await totalOf(base), counted);
    }
  },
);

t.test(
  "memberbase - a deletion repeats its answer, and its members are out of reach immediately",
  async (t) => {
    const base = await testMemberbase(store);
    const { organisationId, memberbaseId } = base;
    const [a] = (await create(base, "a", "b")) as [string];
    await addTransaction(base, a, "of a deleted base");
    const stranger = await testMemberbase(store);
    t.equal(await deleteMemberbase(store, stranger.organisationId, memberbaseId), undefined);
    t.equal(await deleteMemberbase(store, organisationId, uuidv7()), undefined);
    await sweepAll();
    const deleted = await deleteMemberbase(store, organisationId, memberbaseId);
    t.match(deleted, { id: memberbaseId, deletedAt: Date });
    t.strictSame(await deleteMemberbase(store, organisationId, memberbaseId), deleted);
    t.equal(await getMember(store, organisationId, { id: a }), undefined);
    t.equal((await getTransaction(store, organisationId, "of a deleted base"))?.memberId, null);
    t.equal(await listOf(base, a), undefined);

    t.equal(await sweepDeletedMemberbases(store), 2);
    t.strictSame(
      await deleteMemberbase(store, organisationId, memberbaseId),
      deleted,
      "swept, it is still the same",
    );
    t.equal(await sweepDeletedMemberbases(store), 0);
  },
);

t.test("memberbase - members that an upsert adds just after the deletion are swept too", async (t) => {
  await sweepAll();
  const base = await testMemberbase(store);
  await create(base, "before");
  await store.begin(async (sql) => {
    await sql`
      insert into members (id, organisation_id, memberbase_id, ref)
      values (${uuidv7()}, ${base.organisationId}, ${base.memberbaseId}, 'during')`;
    // The upsert has locked the memberbase to count in it; the deletion waits for that.
    const deleting = deleteMemberbase(store, base.organisationId, base.memberbaseId);
    deleting.catch(() => {});
  });
  await waitFor(async () => (await totalOf(base)) === undefined, { message: "the memberbase is deleted" });
  t.equal(await sweepDeletedMemberbases(store), 2);
  t.equal(await sweepDeletedMemberbases(store), 0);
});
