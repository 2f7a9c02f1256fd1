import t from "tap";
import type { Store } from "#postgres";
import { testStore, waitForLocks } from "#test-support";
import {
  contextAt,
  purchase,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
  writeOutcomes,
} from "./test-batch.ts";

let store: Store;

t.before(async () => {
  store = await testStore(3);
});

/** The number of rows of one collection, and of all. */
async function rowsOf(id: string) {
  const [rows] = await store<object[]>`
    select (select count(*) from qualifying_purchases where stamp_collection_id = ${id}) as stamps,
           (select count(*) from redemptions where stamp_collection_id = ${id}) as redemptions,
           (select count(*) from qualifying_purchases) as "allStamps",
           (select count(*) from redemptions) as "allRedemptions"`;
  return rows;
}

t.test(
  "a deleted collection - takes along the rows that a batch was writing to it, and none of another",
  async (t) => {
    const [member] = await testMembers(store, 1);
    if (member === undefined) throw new Error("no member");
    const program = await testProgramOf(store, 2, 300);
    const collection = await testCollection(store, member, program);
    const other = await testCollection(store, member, await testProgramOf(store, 2, 300));
    const ids = await testTransactions(store, member, 2);
    const outcomes = (id: string) => ids.map((transactionId) => purchase(transactionId, id));
    await store.begin((sql) => writeOutcomes(sql, outcomes(other), contextAt(1)));
    let deletion: PromiseLike<unknown> | undefined;
    await store.begin(async (sql) => {
      await writeOutcomes(sql, outcomes(collection), contextAt(2));
      // Its snapshot is taken before the stamps are committed, and it waits for the collection's row.
      deletion = store`delete from stamp_collections where id = ${collection}`.send();
      await waitForLocks(store, 1, "delete from stamp_collections%");
    });
    await deletion;
    t.strictSame(await rowsOf(collection), { stamps: 0, redemptions: 0, allStamps: 2, allRedemptions: 1 });
    await store`delete from members where id = ${member.memberId}`;
    const kept = { stamps: 2, redemptions: 1, allStamps: 2, allRedemptions: 1 };
    t.strictSame(
      await rowsOf(other),
      kept,
      "the deletion of the member takes nothing: its cashback is pending",
    );
  },
);
