import t from "tap";
import { uuidv7 } from "uuidv7";
import { SeededRandom } from "#domain";
import type { Store } from "#postgres";
import { deleteMembers, verifyRewards } from "#publisher-db";
import { type TestMember, testDeal, testStore, waitFor } from "#test-support";
import { saveClip } from "../../../edge/src/wallet/clips.ts";
import { unlinkDeletedMembers } from "../../../ingest/src/unlink-deleted-members.ts";
import { lockCollections } from "./collections.ts";
import {
  contextAt,
  dealOf,
  purchase,
  settle,
  type TestOutcome,
  testClip,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
  writeOutcomes,
  writeSettlements,
} from "./test-rewards.ts";
import { withOpenTransactions } from "./transactions.ts";

let store: Store;

t.before(async () => {
  store = await testStore(12);
});

/** Resolves when so many statements wait for a lock. */
const waiting = (count: number) =>
  waitFor(
    async () => {
      const rows = await store`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return rows.length >= count;
    },
    { message: `${count} statements do not wait` },
  );

const outcomes = (batch: readonly TestOutcome[], at: number) =>
  withOpenTransactions(store, (sql, awaited) => writeOutcomes(sql, batch, contextAt(at), awaited));
const settlements = ({ organisationId }: TestMember, ids: readonly string[], at: number) =>
  withOpenTransactions(store, (sql, awaited) =>
    writeSettlements(sql, organisationId, ids, contextAt(at), awaited),
  );

async function eventsOf({ organisationId }: TestMember): Promise<string[]> {
  const rows = await store<{ type: string }[]>`
    select type from events where organisation_id = ${organisationId} order by sequence`;
  return rows.map(({ type }) => type);
}

async function cashbackStates({ organisationId }: TestMember): Promise<string[]> {
  const rows = await store<{ state: string }[]>`
    select state from cashbacks where organisation_id = ${organisationId} order by id`;
  return rows.map(({ state }) => state);
}

async function counterOf(id: string): Promise<number | undefined> {
  const [row] = await store<{ counter: number }[]>`
    select unredeemed_purchases as counter from stamp_collections where id = ${id}`;
  return row?.counter;
}

/** Holds the rows of collections while `work` runs. */
async function holding<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
  return store.begin(async (sql) => {
    await lockCollections(sql, ids);
    return work();
  });
}

async function sound(t: Tap): Promise<void> {
  t.strictSame((await verifyRewards(store)).faults, []);
}
type Tap = { strictSame(a: unknown, b: unknown): unknown };

t.test(
  "races - a clearing that comes while an outcome is under way waits, and its settlement finds it",
  async (t) => {
    const [member] = (await testMembers(store, 1)) as [TestMember];
    const collection = await testCollection(store, member, await testProgramOf(store, 1, 50));
    const [transaction] = (await testTransactions(store, member, 1)) as [string];
    let clearing: Promise<void> | undefined;
    await store.begin(async (sql) => {
      await writeOutcomes(sql, [purchase(transaction, collection)], contextAt(1));
      clearing = settle(store, member, transaction, "cleared");
      await waiting(1);
      await settlements(member, [transaction], 2);
    });
    t.strictSame(await cashbackStates(member), ["pending"]);
    await clearing;
    await settlements(member, [transaction], 3);
    t.strictSame(await eventsOf(member), [
      "qualifying_purchase.created",
      "cashback.created",
      "cashback.cleared",
    ]);
    await sound(t);
  },
);

t.test("races - an outcome that comes while a clearing is under way waits, and sees it", async (t) => {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const collection = await testCollection(store, member, await testProgramOf(store, 1, 50));
  const clip = await testClip(store, member);
  const [transaction] = (await testTransactions(store, member, 1)) as [string];
  let both: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    await sql`select from transactions where id = ${transaction} for update`;
    const clearing = settle(store, member, transaction, "cleared");
    await waiting(1);
    both = Promise.all([
      clearing,
      outcomes([purchase(transaction, collection), dealOf(transaction, clip)], 1),
    ]);
    await waiting(2);
  });
  await both;
  const told = ["qualifying_purchase.created", ...twice("cashback.created", "cashback.cleared")];
  t.strictSame(await eventsOf(member), told);
  await settlements(member, [transaction], 2);
  t.strictSame(await eventsOf(member), told, "the settlement has nothing to add");
  await sound(t);
});

const twice = (...types: string[]) => [...types, ...types];

t.test("races - writers that share members in any order neither deadlock nor lose an update", async (t) => {
  const random = new SeededRandom(7);
  const members = await testMembers(store, 3);
  const [{ organisationId }] = members as [TestMember];
  const programs = [await testProgramOf(store, 3, 50), await testProgramOf(store, 2)];
  const pairs: TestOutcome[] = [];
  const owned: { member: TestMember; id: string }[] = [];
  const collections: string[] = [];
  for (const member of members) {
    const own = [];
    for (const program of programs) own.push(await testCollection(store, member, program));
    const clips = [await testClip(store, member), await testClip(store, member)];
    collections.push(...own);
    for (const id of await testTransactions(store, member, 20)) {
      owned.push({ member, id });
      pairs.push(...own.map((collection) => purchase(id, collection)));
      pairs.push(dealOf(id, random.pick(clips)));
    }
  }
  let at = 0;
  const write = async () => {
    for (let round = 0; round < 4; round++) await outcomes(random.shuffle(pairs).slice(0, 60), ++at);
  };
  const learn = async () => {
    for (let round = 0; round < 8; round++) {
      const { member, id } = random.pick(owned);
      await settle(store, member, id, random.chance(0.5) ? "cleared" : "reverted");
      const some = random.shuffle(owned).slice(0, 20);
      await settlements(member, [id, ...some.map((one) => one.id)], ++at);
    }
  };
  await Promise.all([write(), write(), learn(), write(), learn()]);
  await outcomes(pairs, ++at);
  await settlements(
    members[0] as TestMember,
    owned.map(({ id }) => id),
    ++at,
  );
  const verified = await verifyRewards(store);
  t.strictSame(verified.faults, []);
  t.equal(verified.lagging, 0);
  const [{ missing }] = await store<[{ missing: number }]>`
    select count(*) as missing
    from transactions t join stamp_collections c on c.member_id = t.member_id
    where t.organisation_id = ${organisationId} and t.state <> 'reverted' and not exists (
      select from qualifying_purchases q where q.transaction_id = t.id and q.stamp_collection_id = c.id
    )`;
  t.equal(missing, 0, "no outcome is lost");
});

t.test(
  "races - a deletion does not deadlock with a batch that wants its rows in another order",
  async (t) => {
    const members = (await testMembers(store, 2)) as [TestMember, TestMember];
    const program = await testProgramOf(store, 9);
    // Ids go up: the member that the cascade comes to first has the collection that batches lock last.
    const lower = await testCollection(store, members[1], program);
    const lowerClip = await testClip(store, members[1]);
    const higher = await testCollection(store, members[0], program);
    const ids = await Promise.all(members.map((member) => testTransactions(store, member, 1)));
    const batch = [
      purchase(ids[0]?.[0] as string, higher),
      purchase(ids[1]?.[0] as string, lower),
      dealOf(ids[1]?.[0] as string, lowerClip),
    ];
    const { organisationId, memberbaseId } = members[0];
    let both: Promise<unknown> | undefined;
    await holding([lower], async () => {
      const writing = outcomes(batch, 1);
      await waiting(1);
      const which = { ids: members.map(({ memberId }) => memberId) };
      both = Promise.all([writing, deleteMembers(store, { organisationId, memberbaseId, which })]);
      await waiting(2);
    });
    await both;
    const cashbacks = await cashbackStates(members[0]);
    t.strictSame(cashbacks, ["pending"], "what was earned just before stays");
    t.equal(await counterOf(higher), undefined);
    await sound(t);
  },
);

t.test("races - an outcome whose member is deleted while it waits has no target any more", async (t) => {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const collection = await testCollection(store, member, await testProgramOf(store, 1, 50));
  const [transaction] = (await testTransactions(store, member, 1)) as [string];
  let writing: Promise<void> | undefined;
  await store.begin(async (sql) => {
    await sql`delete from members where id = ${member.memberId}`;
    writing = outcomes([purchase(transaction, collection)], 1);
    await waiting(1);
  });
  await writing;
  t.strictSame(await eventsOf(member), []);
  await sound(t);
});

t.test(
  "races - a cashback that is earned while its member is deleted settles once, whoever comes",
  async (t) => {
    const [member] = (await testMembers(store, 1)) as [TestMember];
    const { organisationId, memberbaseId, memberId } = member;
    const collection = await testCollection(store, member, await testProgramOf(store, 1, 50));
    const clip = await testClip(store, member);
    const [cleared, reverted] = (await testTransactions(store, member, 2)) as [string, string];
    await outcomes(
      [purchase(cleared, collection), dealOf(reverted, clip), purchase(reverted, collection)],
      1,
    );
    await settle(store, member, cleared, "cleared");
    await settle(store, member, reverted, "reverted");
    let all: Promise<unknown> | undefined;
    await holding([collection], async () => {
      const deletion = deleteMembers(store, { organisationId, memberbaseId, which: { ids: [memberId] } });
      await waiting(1);
      const settled = [2, 3].map((at) =>
        settlements(member, at === 2 ? [cleared, reverted] : [reverted, cleared], at),
      );
      await waiting(3);
      all = Promise.all([deletion, ...settled]);
    });
    await all;
    await Promise.all([
      settlements(member, [reverted, cleared], 4),
      unlinkDeletedMembers(store, [memberId]),
      settlements(member, [cleared, reverted], 5),
    ]);
    const events = await eventsOf(member);
    t.equal(events.filter((type) => type === "cashback.cleared").length, 1);
    t.equal(events.filter((type) => type === "cashback.reverted").length, 2);
    const rows = await store`select member_id from cashbacks where organisation_id = ${organisationId}`;
    t.strictSame(
      rows.map(({ member_id }) => member_id),
      [null, null, null],
    );
    await sound(t);
  },
);

t.test("races - a clip that is saved while the open one is being redeemed is saved after it", async (t) => {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const wanted = { ...member, dealId: await testDeal(store) };
  const clip = uuidv7();
  t.match(await saveClip(store, { id: clip, ...wanted }), { kind: "created" });
  const [transaction] = (await testTransactions(store, member, 1)) as [string];
  let saving: ReturnType<typeof saveClip> | undefined;
  await store.begin(async (sql) => {
    await writeOutcomes(sql, [dealOf(transaction, clip)], contextAt(1));
    saving = saveClip(store, { id: uuidv7(), ...wanted });
    await waiting(1);
  });
  t.match(await saving, { kind: "created" });
  await sound(t);
});

t.test(
  "outcomes - one that mixes two members is not found, and its transaction is told with its member",
  async (t) => {
    const [mine, theirs] = (await testMembers(store, 2)) as [TestMember, TestMember];
    const program = await testProgramOf(store, 1, 50);
    const [own, other] = [
      await testCollection(store, mine, program),
      await testCollection(store, theirs, program),
    ];
    const [transaction] = (await testTransactions(store, mine, 1)) as [string];
    await outcomes([purchase(transaction, other)], 1);
    t.strictSame(await eventsOf(mine), []);
    await outcomes([purchase(transaction, own), purchase(transaction, other)], 2);
    t.equal((await eventsOf(mine)).length, 2);
    await sound(t);
  },
);
