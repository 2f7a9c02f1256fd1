import t from "tap";
import type { Store } from "../connect.ts";
import { testOrganisation, testStore } from "../test-store.ts";
import { advanceHorizon } from "./advance-horizon.ts";
import { oldestUnsettled } from "./measure-unsettled.ts";
import {
  numbersOf,
  TestClock,
  TestDispatcher,
  testWebhook,
  untilWaiting,
  writeTestEvents,
} from "./test-deliveries.ts";

let store: Store;
const clock = new TestClock();

t.before(async () => {
  store = await testStore(6);
});

const horizon = async () =>
  (await store<[{ sequence: number }]>`select sequence from webhook_horizon`)[0].sequence;

t.test("horizon - says how many events it covers, once", async (t) => {
  const organisation = await testOrganisation(store);
  t.equal(await advanceHorizon(store, clock.now), 0);
  await writeTestEvents(store, organisation, 3);
  t.equal(await advanceHorizon(store, clock.now), 3);
  t.equal(await advanceHorizon(store, clock.now), 0);
});

t.test("horizon - does not pass a writer that has a lower number and is not committed", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  const dispatcher = new TestDispatcher(store, clock);
  let step: Promise<number> | undefined;
  await store.begin(async (slow) => {
    await writeTestEvents(slow, organisation, 1, { first: 1 });
    await writeTestEvents(store, organisation, 1, { first: 2 });
    const before = await horizon();
    t.equal(
      await advanceHorizon(store, clock.now),
      0,
      "it gives up rather than hold up the writers for long",
    );
    t.equal(await horizon(), before);
    t.type(await oldestUnsettled(store), Date, "what waits for the slow one is seen");
    t.strictSame(await dispatcher.leaseIds(), []);
    step = advanceHorizon(store, clock.now);
    await untilWaiting(store);
  });
  t.equal(await step, 2, "one that waited for it sees what it wrote");
  t.equal(await oldestUnsettled(store), null);
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[1, 2]]);
  await dispatcher.release(webhook);
});

t.test("horizon - is not held up by a writer that was rolled back", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  const changed = store.begin(async (sql) => {
    await writeTestEvents(sql, organisation, 1);
    throw new Error("changed its mind");
  });
  await t.rejects(changed, { message: "changed its mind" });
  await writeTestEvents(store, organisation, 1, { first: 2 });
  t.equal(await advanceHorizon(store, clock.now), 1);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[2]]);
});

t.test("horizon - of processes at one time one announces, and the others have nothing to do", async (t) => {
  const organisation = await testOrganisation(store);
  await writeTestEvents(store, organisation, 50);
  const covered = await Promise.all(Array.from({ length: 4 }, () => advanceHorizon(store, clock.now)));
  t.equal(
    covered.reduce((sum, one) => sum + one, 0),
    50,
  );
});

t.test("horizon - one webhook's queue that is locked keeps it from nothing but its own commit", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 1);
  let step: Promise<number> | undefined;
  await store.begin(async (sql) => {
    await sql`select from webhook_queues where webhook_id = ${webhook} for update`;
    step = advanceHorizon(store, clock.now);
    await untilWaiting(store);
    await writeTestEvents(store, organisation, 1, { first: 2 });
  });
  t.equal(await step, 1, "writers went on");
  t.equal(await advanceHorizon(store, clock.now), 1);
});

t.test("horizon - wakes only webhooks that want one of the types, of that organisation", async (t) => {
  const [mine, theirs] = [await testOrganisation(store), await testOrganisation(store)];
  const wants = await testWebhook(store, mine, ["cashback.cleared", "cashback.created"]);
  const other = await testWebhook(store, mine, ["transaction.rejected"]);
  const stranger = await testWebhook(store, theirs);
  await writeTestEvents(store, mine, 1);
  await advanceHorizon(store, clock.now);
  const due = await store<{ id: string }[]>`
    select webhook_id as id from webhook_queues
    where due_at is not null and webhook_id in (${wants}, ${other}, ${stranger})`;
  t.strictSame(due, [{ id: wants }]);
});

t.test("horizon - a type that a webhook subscribes to later does not bring what was before", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation, ["cashback.created"]);
  const dispatcher = new TestDispatcher(store, clock);
  await writeTestEvents(store, organisation, 2, { type: "transaction.rejected" });
  await dispatcher.announce();
  await store`update webhooks set events = array['cashback.created', 'transaction.rejected'] where id = ${webhook}`;
  await writeTestEvents(store, organisation, 1, { first: 3, type: "transaction.rejected" });
  await dispatcher.announce();
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[3]]);
});
