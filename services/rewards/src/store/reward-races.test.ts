import t from "tap";
import { uuidv7 } from "uuidv7";
import { SeededRandom } from "#domain";
import type { Store, Transaction } from "#postgres";
import { deleteMembers, verifyRewards } from "#publisher-db";
import { type TestMember, testDeal, testStore, waitForLocks } from "#test-support";
import { saveClip } from "../../../edge/src/wallet/clips.ts";
import { forgetMembers } from "../../../ingest/src/cleanup/forget-members.ts";
import { dropNewLinks, takeNewLinks } from "../../../ingest/src/publish/new-links.ts";
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
} from "./test-batch.ts";
import { withOpenTransactions } from "./transactions.ts";

let store: Store;

t.before(async () => {
  store = await testStore(12);
});

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
      await waitForLocks(store, 1);
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
    await waitForLocks(store, 1);
    both = Promise.all([
      clearing,
      outcomes([purchase(transaction, collection), dealOf(transaction, clip)], 1),
    ]);
    await waitForLocks(store, 2);
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
  "races - a deletion waits for no batch that holds its members' rows, and takes nothing from it",
  async (t) => {
    const members = (await testMembers(store, 2)) as [TestMember, TestMember];
    const program = await testProgramOf(store, 9);
    // Ids ascend: the first member of the cascade has the collection that batches lock last.
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
      await waitForLocks(store, 1);
      const which = { ids: members.map(({ memberId }) => memberId) };
      // It waits for no lock.
      await deleteMembers(store, { organisationId, memberbaseId, which });
      both = writing;
    });
    await both;
    const cashbacks = await cashbackStates(members[0]);
    t.strictSame(cashbacks, ["pending"], "earnings of just before stay");
    t.equal(await counterOf(higher), 1, "the stamps, too");
    await sound(t);
  },
);

t.test("regression - an outcome and a settlement that come after the deletion were lost", async (t) => {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const { organisationId, memberbaseId, memberId } = member;
  const collection = await testCollection(store, member, await testProgramOf(store, 2, 50));
  const [first, second, third] = (await testTransactions(store, member, 3)) as [string, string, string];
  await outcomes([purchase(first, collection), purchase(second, collection)], 1);
  await settle(store, member, first, "reverted");
  await settle(store, member, second, "cleared");
  await deleteMembers(store, { organisationId, memberbaseId, which: { ids: [memberId] } });
  await forgetMembers(store);
  await settlements(member, [second, first], 2);
  t.strictSame(await cashbackStates(member), ["reverted"], "the reversal came first, so nothing is paid");
  await outcomes([purchase(third, collection)], 3);
  t.strictSame((await cashbackStates(member)).sort(), ["pending", "reverted"]);
  await sound(t);
});

t.test(
  "races - a cashback that is earned while its member is deleted settles once, in every order",
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
      const settled = [2, 3].map((at) =>
        settlements(member, at === 2 ? [cleared, reverted] : [reverted, cleared], at),
      );
      await waitForLocks(store, 2);
      all = Promise.all([deletion, ...settled]);
    });
    await all;
    await Promise.all([
      settlements(member, [reverted, cleared], 4),
      forgetMembers(store),
      settlements(member, [cleared, reverted], 5),
    ]);
    await store`
      update deleted_members set changed_at = now() - interval '62 days', due_at = now() where member_id = ${memberId}`;
    await forgetMembers(store);
    const events = await eventsOf(member);
    t.equal(events.filter((type) => type === "cashback.cleared").length, 1);
    t.equal(events.filter((type) => type === "cashback.reverted").length, 2);
    t.strictSame(
      await store`select from stamp_collections where member_id = ${memberId}`,
      [],
      "it is forgotten",
    );
    await sound(t);
  },
);

t.test(
  "rewards - a clip whose purchase is reverted is open again, and may be redeemed by another",
  async (t) => {
    const [member] = (await testMembers(store, 1)) as [TestMember];
    const clip = await testClip(store, member);
    const [first, second] = (await testTransactions(store, member, 2)) as [string, string];
    await outcomes([dealOf(first, clip)], 1);
    await settle(store, member, first, "reverted");
    await settlements(member, [first], 2);
    const links = await store`select from new_links where id = ${clip}`;
    t.equal(links.length, 1, "ingest gets a note");
    await outcomes([dealOf(second, clip)], 3);
    t.strictSame((await cashbackStates(member)).sort(), ["pending", "reverted"]);
    await sound(t);
  },
);

t.test("regression - a clip that was open again while ingest told of it was not told of again", async (t) => {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const clip = await testClip(store, member);
  const [purchase] = (await testTransactions(store, member, 1)) as [string];
  await outcomes([dealOf(purchase, clip)], 1);
  await settle(store, member, purchase, "reverted");
  await store`insert into new_links (id, made_at, member_id, deal_id) select id, created_at, member_id, deal_id from clips where id = ${clip}`;
  let settled: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    const { links } = await takeNewLinks(sql, [clip]);
    settled = settlements(member, [purchase], 2);
    await waitForLocks(store, 1);
    await dropNewLinks(sql, links);
  });
  await settled;
  t.equal((await store`select from new_links where id = ${clip}`).length, 1);
  await sound(t);
});

for (const [clock, idsOf] of [
  ["right", (): [string, string] => [uuidv7(), uuidv7()]],
  [
    "behind that of the first edge",
    (): [string, string] => [uuidv7(), uuidv7()].reverse() as [string, string],
  ],
] as const) {
  t.test(
    `rewards - a clip stays redeemed if the deal was saved again before its purchase was reverted; the second edge's clock is ${clock}`,
    async (t) => {
      const [member] = (await testMembers(store, 1)) as [TestMember];
      const wanted = { ...member, dealId: await testDeal(store) };
      const [clip, other] = idsOf();
      await saveClip(store, { id: clip, ...wanted });
      const ids = (await testTransactions(store, member, 3)) as [string, string, string];
      const [first, second, third] = ids;
      await outcomes([dealOf(first, clip)], 1);
      t.match(await saveClip(store, { id: other, ...wanted }), { id: other });
      await settle(store, member, first, "reverted");
      await settlements(member, [first], 2);
      const open = async () => {
        const rows = await store<{ id: string }[]>`
          select id from clips where member_id = ${member.memberId} and redeemed_at is null`;
        return rows.map(({ id }) => id);
      };
      t.strictSame(await open(), [other], "while the second clip is open");
      await outcomes([dealOf(second, other)], 3);
      const last = uuidv7();
      await saveClip(store, { id: last, ...wanted });
      await outcomes([dealOf(third, last)], 4);
      await settle(store, member, second, "reverted");
      await settlements(member, [second], 5);
      t.strictSame(await open(), [], "once a later one is redeemed");
      await settle(store, member, third, "reverted");
      await settlements(member, [third], 6);
      t.strictSame(await open(), [last], "the last one opens again");
      await sound(t);
    },
  );
}

/** Commits something just before rewards locks the transactions of cards that it has read. */
function interruptedBeforeLocks(sql: Transaction, meanwhile: () => Promise<unknown>): Transaction {
  let isFirst = true;
  return new Proxy(sql, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      const send = () => Reflect.apply(target, self, args);
      const text = String(args[0]?.[0] ?? "").trimStart();
      if (!isFirst || !text.startsWith('select q.transaction_id as "transactionId", c.member_id'))
        return send();
      isFirst = false;
      return meanwhile().then(send);
    },
  });
}

t.test(
  "regression - a reversal that was stored between the two looks at a member's cards lost stamps",
  async (t) => {
    const [member] = (await testMembers(store, 1)) as [TestMember];
    const cards = [
      await testCollection(store, member, await testProgramOf(store, 2, 50)),
      await testCollection(store, member, await testProgramOf(store, 2, 50)),
    ] as [string, string];
    const [p, a, q] = (await testTransactions(store, member, 3)) as [string, string, string];
    await outcomes(
      [purchase(p, cards[0]), purchase(a, cards[0]), purchase(a, cards[1]), purchase(q, cards[1])],
      1,
    );
    await settle(store, member, p, "reverted");
    await withOpenTransactions(store, async (sql) => {
      const between = interruptedBeforeLocks(sql, () => settle(store, member, a, "reverted"));
      await writeSettlements(between, member.organisationId, [p, a], contextAt(2));
    });
    await sound(t);
    t.equal(await counterOf(cards[1]), 1, "the other stamp counts again");
  },
);

t.test("races - a clip that is saved while the open one is being redeemed is saved after it", async (t) => {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const wanted = { ...member, dealId: await testDeal(store) };
  const clip = uuidv7();
  t.match(await saveClip(store, { id: clip, ...wanted }), { id: clip });
  const [transaction] = (await testTransactions(store, member, 1)) as [string];
  let saving: ReturnType<typeof saveClip> | undefined;
  await store.begin(async (sql) => {
    await writeOutcomes(sql, [dealOf(transaction, clip)], contextAt(1));
    saving = saveClip(store, { id: uuidv7(), ...wanted });
    await waitForLocks(store, 1);
  });
  t.match(await saving, { dealId: wanted.dealId });
  await sound(t);
});

t.test(
  "outcomes - one that mixes two members is not found, and its transaction is reported with its member",
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
