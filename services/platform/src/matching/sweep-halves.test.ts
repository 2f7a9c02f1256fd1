import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import type { Store } from "#postgres";
import { explainingStore, testStore } from "#test-support";
import { measureOutcomeQueue, takeOutcomes } from "./outcome-queue.ts";
import { storePayments } from "./store-payments.ts";
import { storeRecords } from "./store-records.ts";
import { expirePayments, expireRecords, forgetHalves } from "./sweep-halves.ts";
import { bringPayments, faultsOf, RETAILER, TEST_JUDGE, testPayment, testRecord } from "./test-halves.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});
t.beforeEach(async () => {
  await store`
    truncate platform.records, platform.payments, platform.open_records, platform.open_payments,
      platform.outcome_queue`;
});

/** Halves that arrived before this many milliseconds ago: with `SOON` all of them, with `LONG_AGO` none. */
const SOON = -60_000;
const LONG_AGO = 60_000;

const known = async () =>
  (await store<{ id: string }[]>`select transaction_id as id from platform.records`).map(({ id }) => id);

t.test("sweep - open halves wait no more when their time is up, and no sooner", async (t) => {
  const records = Array.from({ length: 1500 }, () => testRecord());
  await storeRecords(store, records, TEST_JUDGE);
  const payments = Array.from({ length: 1500 }, () => testPayment(randomUUID()));
  await storePayments(store, RETAILER, payments, TEST_JUDGE);
  t.equal(await expireRecords(store, LONG_AGO), 0);
  t.equal(await expirePayments(store, LONG_AGO), 0);
  t.strictSame(await forgetHalves(store, SOON), { records: 0, payments: 0 }, "they are open");
  // Each has two keys.
  for (const expected of [500, 500, 500, 0]) {
    t.equal(await expireRecords(store, SOON), expected);
    t.strictSame(await faultsOf(store), []);
    t.equal(await expirePayments(store, SOON), expected);
    t.strictSame(await faultsOf(store), []);
  }
  t.equal((await known()).length, records.length, "they are closed");
  t.strictSame([...(await store`select from platform.payments`)], []);
});

t.test(
  "regression - a record whose wait was over waited again when it came again, unless it had earned",
  async (t) => {
    for (const clips of [new Map([[randomUUID(), randomUUID()]]), new Map<string, string>()]) {
      const record = testRecord({ clips });
      t.equal((await storeRecords(store, [record], TEST_JUDGE)).outcomes.length, clips.size);
      t.equal(await expireRecords(store, SOON), 1);
      t.strictSame(await known(), [record.transactionId]);
      const again = await storeRecords(store, [{ ...record, state: "cleared" }], TEST_JUDGE);
      t.strictSame(again.outcomes, [], "it earns no second time");
      t.equal((await bringPayments(store, [testPayment(record.transactionId)])).pairing.pairs, 0);
      t.strictSame(await faultsOf(store), []);
      t.strictSame(await forgetHalves(store, LONG_AGO), { records: 0, payments: 0 });
      t.strictSame(await forgetHalves(store, SOON), { records: 1, payments: 0 });
      await expirePayments(store, SOON);
    }
  },
);

t.test("sweep - pairs are left alone until they are forgotten", async (t) => {
  const record = testRecord();
  await storeRecords(store, [record], TEST_JUDGE);
  t.equal((await bringPayments(store, [testPayment(record.transactionId)])).pairing.pairs, 1);
  t.equal(await expireRecords(store, SOON), 0);
  t.equal(await expirePayments(store, SOON), 0);
  t.strictSame(await forgetHalves(store, LONG_AGO), { records: 0, payments: 0 });
  t.strictSame(await forgetHalves(store, SOON), { records: 1, payments: 1 });
});

t.test("sweep - a record's wait counts from when it came, even if its keys are newer", async (t) => {
  const record = testRecord();
  await storeRecords(store, [record], TEST_JUDGE);
  const arrived = () => store`
    select distinct arrived_at from platform.records
    union select arrived_at from platform.open_records`;
  const learned = testRecord({ ...record, identifiers: [...record.identifiers, "f".repeat(64)] });
  await storeRecords(store, [learned], TEST_JUDGE);
  t.equal((await arrived()).length, 1);
  t.strictSame(await faultsOf(store), []);
});

const queue = (count: number) =>
  store`insert into platform.outcome_queue (outcome) select n::text from generate_series(1, ${count}) as n`;

const upTo = (limit: number) => ({ limit, waitedMs: 0 });

/** Publishes outcomes, and adds them to `taken`. */
const into =
  (taken: string[] = []) =>
  async (outcomes: readonly string[]) => {
    taken.push(...outcomes);
    return [...outcomes.keys()];
  };
const fails = (t: Test) => async () => {
  t.fail();
  return [];
};

t.test(
  "outcome queue - young rows are left alone: the process that queued them publishes them",
  async (t) => {
    await queue(3);
    t.match(await takeOutcomes(store, { limit: 5, waitedMs: 60_000 }, fails(t)), {
      count: 0,
    });
    await store`update platform.outcome_queue set queued_at = now() - interval '1 minute' where outcome = '2'`;
    const taken: string[] = [];
    t.match(await takeOutcomes(store, { limit: 5, waitedMs: 60_000 }, into(taken)), {
      count: 1,
    });
    t.strictSame(taken, ["2"]);
  },
);

t.test("outcome queue - the oldest first, and each once, however many take from it", async (t) => {
  await queue(10);
  const taken: string[] = [];
  const first = await takeOutcomes(store, upTo(4), async (outcomes) => {
    const published = await into(taken)(outcomes);
    // Meanwhile, as another process.
    t.match(await takeOutcomes(store, upTo(100), into(taken)), { count: 6 });
    return published;
  });
  t.equal(first.count, 4);
  t.strictSame(
    taken,
    Array.from({ length: 10 }, (_, i) => `${i + 1}`),
  );
  t.match(await takeOutcomes(store, upTo(4), fails(t)), { count: 0 });
});

t.test("outcome queue - while a snapshot stays open, a step does not pass over the taken rows", async (t) => {
  await queue(2000);
  const plans: string[] = [];
  await store.begin("isolation level repeatable read", async (open) => {
    await open`select from platform.outcome_queue limit 1`;
    let last = 0;
    for (let step = 0; step < 10; step++) {
      ({ last } = await takeOutcomes(store, { ...upTo(100), after: last }, into()));
    }
    await takeOutcomes(explainingStore(store, plans), { ...upTo(100), after: last }, into());
  });
  t.match(plans[0], /Index Cond: \(.*"position" > /);
});

t.test("outcome queue - unpublished outcomes stay", async (t) => {
  await queue(3);
  const refuse = () => Promise.reject(new Error("stream full"));
  await t.rejects(takeOutcomes(store, upTo(2), refuse), { message: "stream full" });
  t.match(await measureOutcomeQueue(store), { outcomes: 3 });
  t.ok((await measureOutcomeQueue(store)).waitingSeconds > 0);
  t.match(await takeOutcomes(store, upTo(5), into()), { count: 3 });
  t.strictSame(await measureOutcomeQueue(store), { outcomes: 0, waitingSeconds: 0 });
});
