import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { testMemberbase, testStore, waitFor } from "#test-support";
import { keepFindings } from "../../../ingest/src/keep-findings.ts";
import { sweepDeletedMemberbases } from "../../../ingest/src/sweep-deleted-memberbases.ts";
import {
  areOver,
  findDeletedMembers,
  unlinkDeletedMembers,
} from "../../../ingest/src/unlink-deleted-members.ts";
import { deleteMemberbase } from "../memberbases/memberbases.ts";
import { listTransactions } from "../transactions/transaction-lists.ts";
import { getTransaction } from "../transactions/transaction-rows.ts";
import { getMember, listMembers } from "./member-rows.ts";
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

async function storedLink(externalId: string, { organisationId }: Base): Promise<string | null | undefined> {
  const [row] = await store<{ member_id: string | null }[]>`
    select member_id from transactions
    where external_id = ${externalId} and organisation_id = ${organisationId}`;
  return row?.member_id;
}

/** Does what the background sweep does, once no database transaction is open. */
async function unlinkAll(): Promise<void> {
  for (;;) {
    const found = await findDeletedMembers(store);
    if (found === undefined) return;
    await waitFor(() => areOver(store, found.writers), { message: "a transaction stays open" });
    await unlinkDeletedMembers(store, found.memberIds);
  }
}

/** Removes what other tests have left. */
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
  "delete - takes attributes at once, clips and enrolments when nothing can come of them any more; the same ref later is a new member",
  async (t) => {
    const base = await testMemberbase(store);
    const [a] = (await create(base, "a")) as [string];
    await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    values (${uuidv7()}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
    values (${uuidv7()}, ${base.organisationId}, ${a}, ${uuidv7()})`;
    t.equal(await deleteRefs(base, "a"), 1);
    const [{ left }] = await store<[{ left: number }]>`
    select (select count(*) from clips where member_id = ${a})
         + (select count(*) from stamp_collections where member_id = ${a}) as left`;
    t.equal(left, 2, "of purchases that were made before, something may still come");
    await unlinkAll();
    const [row] = await store<[{ due: boolean }]>`
    select due_at > now() + interval '30 days' as due from deleted_members where member_id = ${a}`;
    t.equal(row?.due, true, "it is put off");
    await store`update deleted_members set deleted_at = now() - interval '32 days', due_at = now()`;
    await unlinkAll();
    const [gone] = await store<[{ left: number }]>`
    select (select count(*) from clips where member_id = ${a})
         + (select count(*) from stamp_collections where member_id = ${a})
         + (select count(*) from deleted_members where member_id = ${a}) as left`;
    t.equal(gone.left, 0);
    const ids = await upsertMembers(store, { ...base, members: [{ ref: "a" }], ids: [uuidv7()] });
    t.not(ids?.[0], a);
    t.strictSame(
      (await getMember(store, base.organisationId, { memberbaseId: base.memberbaseId, ref: "a" }))
        ?.attributes,
      {},
    );
  },
);

t.test("delete - transactions lose the link for readers at once, and in the rows afterwards", async (t) => {
  const base = await testMemberbase(store);
  const [a, b] = (await create(base, "a", "b")) as [string, string];
  await addTransaction(base, a, "of a");
  await addTransaction(base, b, "of b");
  await deleteRefs(base, "a");
  t.equal(await storedLink("of a", base), a, "not yet in the row");
  t.equal((await getTransaction(store, base.organisationId, "of a"))?.memberId, null);
  t.equal(await listOf(base, a), undefined);
  await unlinkAll();
  t.equal(await storedLink("of a", base), null);
  t.equal(await storedLink("of b", base), b);
  t.equal(await findDeletedMembers(store), undefined);
});

t.test(
  "delete - rejected events lose the link as well, in steps; one that comes later keeps its",
  async (t) => {
    const base = await testMemberbase(store);
    const [a, b] = (await create(base, "a", "b")) as [string, string];
    const reject = (memberId: string, count: number) =>
      keepFindings(store, {
        rejected: Array.from({ length: count }, (_, index) => ({
          organisationId: base.organisationId,
          externalId: `rejected ${index}`,
          memberId,
          batchId: uuidv7(),
          index,
          awaited: true,
          rejection: { code: "conflict", reason: "identity_mismatch", field: "card" },
        })),
        ignored: [],
      });
    const linked = async (memberId: string) =>
      (await store`select from transaction_rejections where member_id = ${memberId}`).length;
    await reject(a, 5);
    await reject(b, 2);
    await store`
    insert into transaction_rejections (organisation_id, id, member_id, external_id, code, reason)
    select ${base.organisationId}, gen_random_uuid(), ${a}, 'many ' || n, 'conflict', 'identity_mismatch'
    from generate_series(1, 1500) as n`;
    await deleteRefs(base, "a");
    await unlinkDeletedMembers(store, [a], AbortSignal.abort());
    t.equal(await linked(a), 505, "a stop comes after the step under way");
    await unlinkAll();
    t.equal(await linked(a), 0);
    t.equal(await linked(b), 2);
    await reject(a, 1);
    await unlinkAll();
    t.equal(await linked(a), 1, "what an event says of a member that is no more");
  },
);

t.test("delete - a transaction whose writer saw the member just before is unlinked too", async (t) => {
  const base = await testMemberbase(store);
  const [a] = (await create(base, "a")) as [string];
  let found: Awaited<ReturnType<typeof findDeletedMembers>>;
  await store.begin(async (sql) => {
    // The writer has looked, has written nothing yet, and its next statement will have a snapshot of its own.
    t.strictSame(await sql`select 1 as seen from members where id = ${a}`, [{ seen: 1 }]);
    await deleteRefs(base, "a");
    found = await findDeletedMembers(store);
    t.strictSame(found?.memberIds, [a]);
    t.equal(await areOver(store, found?.writers ?? []), false, "the writer is waited for");
    await sql`
      insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                                merchant_id, identifier_6)
      values (now(), ${base.organisationId}, ${uuidv7()}, ${a}, 'late', 'authorized', 'visa', 'm',
              ${randomBytes(32)})`;
  });
  t.equal(await storedLink("late", base), a);
  await waitFor(() => areOver(store, found?.writers ?? []), { message: "the writer is over" });
  await unlinkAll();
  t.equal(await storedLink("late", base), null);
});

t.test(
  "delete - more transactions than one step takes are all unlinked; a stop leaves the rest for later",
  async (t) => {
    const base = await testMemberbase(store);
    const [a] = (await create(base, "a")) as [string];
    await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select now(), ${base.organisationId}, gen_random_uuid(), ${a}, 'many ' || n, 'authorized', 'visa', 'm',
           ${randomBytes(32)}
    from generate_series(1, 2500) as n`;
    await deleteRefs(base, "a");
    const linked = async () => {
      const [{ count }] = await store<[{ count: number }]>`
      select count(*) from transactions where member_id = ${a}`;
      return count;
    };
    await unlinkDeletedMembers(store, [a], AbortSignal.abort());
    t.equal(await linked(), 1500);
    t.match(await findDeletedMembers(store), { memberIds: [a] });
    await unlinkAll();
    t.equal(await linked(), 0);
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
  "memberbase - deleted, it gives the same answer again and its members are out of reach at once",
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
    await unlinkAll();
    t.equal(await storedLink("of a deleted base", base), null);
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
    // The upsert has locked the memberbase for its count; the deletion waits for that.
    const deleting = deleteMemberbase(store, base.organisationId, base.memberbaseId);
    deleting.catch(() => {});
  });
  await waitFor(async () => (await totalOf(base)) === undefined, { message: "the memberbase is deleted" });
  t.equal(await sweepDeletedMemberbases(store), 2);
  t.equal(await sweepDeletedMemberbases(store), 0);
});
