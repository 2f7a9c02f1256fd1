import t from "tap";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation, waitFor } from "#test-support";
import { unsettledSeconds } from "../backlog.ts";
import {
  advance,
  clockedStore,
  numbersOf,
  TestDispatcher,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

let store: Store;
let clock: MovableClock;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});

const horizon = async () =>
  (await store<[{ sequence: number }]>`select sequence from webhook_horizon`)[0].sequence;

t.test("horizon - says how many events it covers, once", async (t) => {
  const organisation = await testOrganisation(store);
  t.equal(await advance(store), 0);
  await writeTestEvents(store, organisation, 3);
  t.equal(await advance(store), 3);
  t.equal(await advance(store), 0);
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
    t.equal(await advance(store), 0, "it gives up after a while");
    t.equal(await horizon(), before);
    t.ok((await unsettledSeconds(store)) > 0, "events that wait for the slow writer are counted");
    t.strictSame(await dispatcher.leaseIds(), []);
    step = advance(store);
  });
  t.equal(await step, 2, "a step that waited for it sees its events");
  t.equal(await unsettledSeconds(store), 0);
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
  t.equal(await advance(store), 1);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[2]]);
});

t.test("horizon - of processes at one time one announces, and the others have nothing to do", async (t) => {
  const organisation = await testOrganisation(store);
  await writeTestEvents(store, organisation, 50);
  const covered = await Promise.all(Array.from({ length: 4 }, () => advance(store)));
  t.equal(
    covered.reduce((sum, one) => sum + one, 0),
    50,
  );
});

t.test("horizon - a locked queue of one webhook holds up neither the others nor the horizon", async (t) => {
  const organisation = await testOrganisation(store);
  const [locked, other] = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
  const dispatcher = new TestDispatcher(store, clock);
  await store.begin(async (sql) => {
    await sql`select from webhook_queues where webhook_id = ${locked} for update`;
    for (const first of [1, 2]) {
      await writeTestEvents(store, organisation, 1, { first });
      t.match(await dispatcher.announceAndLease(0), { events: 1, isMissed: true });
    }
    t.strictSame(await dispatcher.leaseIds(), [other]);
    t.strictSame(numbersOf(await dispatcher.take(other)), [[1, 2]]);
  });
  t.match(await dispatcher.announceAndLease(0), { events: 0, isMissed: false });
  t.strictSame(await dispatcher.leaseIds(), [locked], "it is announced once the lock is gone");
  t.strictSame(numbersOf(await dispatcher.take(locked)), [[1, 2]]);
});

t.test("horizon - missed events come before later ones, whichever process announces", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  const [one, another] = [new TestDispatcher(store, clock), new TestDispatcher(store, clock)];
  await store.begin(async (sql) => {
    await sql`select from webhook_queues where webhook_id = ${webhook} for update`;
    await writeTestEvents(store, organisation, 1);
    t.match(await one.announceAndLease(0), { events: 1, isMissed: true });
  });
  // The process that missed it is gone, and other processes have not seen it.
  await writeTestEvents(store, organisation, 1, { first: 2 });
  t.match(await another.announceAndLease(0), { events: 1, isMissed: true });
  t.strictSame(await another.leaseIds(), [webhook]);
  t.strictSame(numbersOf(await another.take(webhook)), [[1, 2]]);
  t.match(await another.announceAndLease(0), { isMissed: false });
});

t.test("horizon - missed announcements are deleted with their webhook", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  const dispatcher = new TestDispatcher(store, clock);
  await store.begin(async (sql) => {
    await sql`delete from webhooks where id = ${webhook}`;
    await writeTestEvents(store, organisation, 1);
    t.match(await dispatcher.announceAndLease(0), { events: 1, isMissed: true });
  });
  t.match(await dispatcher.announceAndLease(0), { isMissed: false });
});

t.test("horizon - wakes only webhooks that want one of the types, of that organisation", async (t) => {
  const [mine, theirs] = [await testOrganisation(store), await testOrganisation(store)];
  const wants = await testWebhook(store, mine, ["cashback.cleared", "cashback.created"]);
  const other = await testWebhook(store, mine, ["transaction.rejected"]);
  const stranger = await testWebhook(store, theirs);
  await writeTestEvents(store, mine, 1);
  await advance(store);
  const due = await store<{ id: string }[]>`
    select webhook_id as id from webhook_queues
    where due_at is not null and webhook_id in (${wants}, ${other}, ${stranger})`;
  t.strictSame(due, [{ id: wants }]);
});

t.test("horizon - a type that a webhook subscribes to later does not bring earlier events", async (t) => {
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

t.test("horizon - a stopped writer of events holds up the horizon, and no other writer", async (t) => {
  const organisation = await testOrganisation(store);
  await writeTestEvents(store, organisation, 1);
  let isStopped = true;
  let looks = 0;
  // Like dispatchers, one look after the other.
  const look = async () => {
    for (; isStopped; looks++) t.equal(await advance(store), 0, "nothing is settled");
  };
  const before = await horizon();
  await store.begin(async (stopped) => {
    await writeTestEvents(stopped, organisation, 1, { first: 2 });
    await writeTestEvents(store, organisation, 1, { first: 3 });
    const looking = Promise.all([look(), look()]);
    // A statement that would have to wait for any lock fails immediately, however slow the machine is.
    for (let n = 4; n < 104; n++) {
      await store.begin(async (sql) => {
        await sql.script("set local lock_timeout = '1ms'");
        await writeTestEvents(sql, organisation, 1, { first: n });
      });
    }
    await waitFor(() => looks >= 2, { message: "dispatchers look while they write" });
    isStopped = false;
    await looking;
    t.equal(await horizon(), before);
  });
  t.equal(await advance(store), 103, "and everything is announced once that one ends");
});

t.test(
  "horizon - many concurrent writers, some of which roll back: no number is passed too early",
  async (t) => {
    const organisation = await testOrganisation(store);
    let isBusy = true;
    const write = async (writer: number) => {
      for (let n = 0; n < 40; n++) {
        await store
          .begin(async (sql) => {
            await writeTestEvents(sql, organisation, 1, { first: 1000 * writer + n });
            await sql`select pg_sleep(0.002)`;
            if (n % 7 === 0) throw new Error("changed its mind");
          })
          .catch(() => {});
      }
    };
    const settled = new Map<number, number>();
    const look = async () => {
      while (isBusy) {
        await advance(store);
        // One statement, so that both have the same moment.
        const [row] = await store<[{ at: number; events: number }]>`
        select h.sequence as at, (select count(*) from events e where e.sequence <= h.sequence) as events
        from webhook_horizon h`;
        settled.set(row.at, row.events);
      }
    };
    const looking = look();
    await Promise.all([1, 2, 3, 4].map(write));
    isBusy = false;
    await looking;
    await advance(store);
    t.ok(settled.size > 2, "it moved on while they wrote");
    for (const [at, events] of settled) {
      const [{ now }] = await store<
        [{ now: number }]
      >`select count(*) as now from events where sequence <= ${at}`;
      if (now !== events)
        t.fail(`of those up to ${at} there were ${events} when it stood there, and ${now} came to be`);
    }
  },
);
