import t from "tap";
import type { Store } from "#postgres";
import { verifyRewards } from "#publisher-db";
import { type TestMember, testStore, waitForLocks } from "#test-support";
import {
  contextAt,
  purchase,
  settle,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
  writeOutcomes,
  writeSettlements,
} from "./test-batch.ts";
import { withOpenTransactions } from "./transactions.ts";

/*
 * The order in which transactions settled, which decides rewards. All readers must see the same order, and
 * work under way must not change it later.
 */

let store: Store;

t.before(async () => {
  store = await testStore(12);
});

/** A redemption of two purchases: the first one, and the newest, whose clearing pays it. */
async function makeRedemption() {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const collection = await testCollection(store, member, await testProgramOf(store, 2, 300));
  const [first, newest] = (await testTransactions(store, member, 2)) as [string, string];
  await store.begin((sql) =>
    writeOutcomes(sql, [purchase(first, collection), purchase(newest, collection)], contextAt(1)),
  );
  return { member, collection, first, newest };
}

const told = ({ organisationId }: TestMember, ids: readonly string[], at: number) =>
  withOpenTransactions(store, (sql, awaited) =>
    writeSettlements(sql, organisationId, ids, contextAt(at), awaited),
  );

async function stateOf(member: TestMember, collection: string) {
  const cashbacks = await store<{ state: string }[]>`
    select state from cashbacks where organisation_id = ${member.organisationId} order by id`;
  const stamps = await store<{ live: boolean; held: boolean }[]>`
    select voided_at is null as live, redemption_id is not null as held
    from qualifying_purchases where stamp_collection_id = ${collection} order by position`;
  const [row] = await store<{ counter: number; pending: number }[]>`
    select unredeemed_purchases as counter, cardinality(pending_redemptions) as pending
    from stamp_collections where id = ${collection}`;
  t.strictSame((await verifyRewards(store)).faults, []);
  return { cashbacks: cashbacks.map(({ state }) => state), stamps, ...row };
}

const PAID = {
  cashbacks: ["cleared"],
  stamps: [
    { live: false, held: true },
    { live: true, held: true },
  ],
  counter: 0,
  pending: 0,
};
const UNDONE = {
  cashbacks: ["reverted"],
  stamps: [
    { live: false, held: true },
    { live: true, held: false },
  ],
  counter: 1,
  pending: 0,
};

for (const [name, isPaid] of [
  ["a clearing before a reversal: the redemption stands", true],
  ["a reversal before a clearing: the redemption is undone", false],
] as const) {
  t.test(`settled order - ${name}, in either order of handling, or concurrently`, async (t) => {
    const orders = [
      (clearing: string, reversal: string) => [[clearing], [reversal]],
      (clearing: string, reversal: string) => [[reversal], [clearing]],
      (clearing: string, reversal: string) => [[clearing, reversal]],
      (clearing: string, reversal: string) => [[reversal, clearing]],
      (_: string, reversal: string) => [[reversal], [reversal]],
      (clearing: string) => [[clearing]],
    ];
    const results = [];
    for (const order of orders) {
      const { member, collection, first, newest } = await makeRedemption();
      const steps = [
        () => settle(store, member, newest, "cleared"),
        () => settle(store, member, first, "reverted"),
      ];
      for (const step of isPaid ? steps : steps.reverse()) await step();
      let at = 1;
      for (const batch of order(newest, first)) await told(member, batch, ++at);
      results.push(await stateOf(member, collection));
    }
    for (const result of results) t.strictSame(result, isPaid ? PAID : UNDONE);
  });
}

t.test(
  "settled order - a reversal that drew its number and is not committed is waited for before a later clearing pays",
  async (t) => {
    const { member, collection, first, newest } = await makeRedemption();
    let paying: Promise<void> | undefined;
    await store.begin(async (sql) => {
      await sql`
        update transactions set state = 'reverted', reverted_at = now(),
          settled_order = nextval('transactions_settled_order')
        where organisation_id = ${member.organisationId} and external_id = ${`ref ${first}`}`;
      await settle(store, member, newest, "cleared");
      paying = told(member, [newest], 2);
      await waitForLocks(store, 1);
    });
    await paying;
    t.strictSame(await stateOf(member, collection), UNDONE);
  },
);

t.test(
  "settled order - an outcome that would pay immediately waits for a reversal with a lower number",
  async (t) => {
    const [member] = (await testMembers(store, 1)) as [TestMember];
    const collection = await testCollection(store, member, await testProgramOf(store, 2, 300));
    const [first, newest] = (await testTransactions(store, member, 2)) as [string, string];
    const outcome = (id: string, at: number) =>
      withOpenTransactions(store, (sql, awaited) =>
        writeOutcomes(sql, [purchase(id, collection)], contextAt(at), awaited),
      );
    await outcome(first, 1);
    let stamping: Promise<void> | undefined;
    await store.begin(async (sql) => {
      await sql`
        update transactions set state = 'reverted', reverted_at = now(),
          settled_order = nextval('transactions_settled_order')
        where organisation_id = ${member.organisationId} and external_id = ${`ref ${first}`}`;
      await settle(store, member, newest, "cleared");
      stamping = outcome(newest, 2);
      await waitForLocks(store, 1);
    });
    await stamping;
    t.match(await stateOf(member, collection), { cashbacks: [], counter: 1, pending: 0 });
  },
);

t.test(
  "settled order - an event that had to wait for the row draws its number after it got it",
  async (t) => {
    const { member, first, newest } = await makeRedemption();
    let reverting: Promise<void> | undefined;
    await store.begin(async (sql) => {
      // The lock that rewards takes on transactions by which a collection is judged.
      await sql`select from transactions where id = ${first} for share`;
      reverting = settle(store, member, first, "reverted");
      await waitForLocks(store, 1);
      await settle(store, member, newest, "cleared");
    });
    await reverting;
    const rows = await store<{ id: string; order: number }[]>`
      select id, settled_order as order from transactions
      where organisation_id = ${member.organisationId} order by settled_order`;
    t.strictSame(
      rows.map(({ id }) => id),
      [newest, first],
    );
  },
);
