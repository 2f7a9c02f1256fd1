import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store, Transaction } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import { listDeliveries } from "../../../edge/src/webhook-deliveries/delivery-rows.ts";
import { replayDeliveries } from "../../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { deleteWebhook, getWebhook, updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { sweepEvents } from "../sweep.ts";
import type { PendingDelivery } from "./cut-events.ts";
import {
  clockedStore,
  eventIdsOf,
  idsOf,
  LEASE_MS,
  numbersOf,
  range,
  TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

let store: Store;
let clock: MovableClock;
let dispatcher: TestDispatcher;
let organisation: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});

t.beforeEach(async () => {
  ({ dispatcher, organisation } = await testDispatch(store, clock));
});

/** A leased webhook with this many announced events. */
async function leased(events: number): Promise<string> {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, events);
  await dispatcher.announce();
  await dispatcher.lease();
  return webhook;
}

t.test("take - events in order, by hundreds, as many deliveries as asked for", async (t) => {
  const webhook = await leased(250);
  const first = await dispatcher.take(webhook, 2);
  t.strictSame(numbersOf(first), [range(1, 100), range(101, 200)]);
  t.match(first[0], { webhookId: webhook, failures: 0, refusals: 0 });
  const again = await dispatcher.take(webhook, 2);
  t.strictSame(idsOf(again), idsOf(first), "the pending delivery comes first, with its id");
  t.strictSame(numbersOf(again), numbersOf(first));
  t.strictSame(await dispatcher.record(first), []);
  const last = await dispatcher.take(webhook, 2);
  t.strictSame(numbersOf(last), [range(201, 250)]);
  await dispatcher.record(last);
  t.strictSame(await dispatcher.take(webhook), []);
});

t.test("take - an event that many webhooks get is the same for each", async (t) => {
  const webhooks = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
  const [event] = await writeTestEvents(store, organisation, 1);
  await dispatcher.announce();
  await dispatcher.lease();
  const taken = await dispatcher.take(webhooks);
  t.strictSame(taken.map(({ webhookId, events, body }) => [webhookId, events, body]).sort(), [
    [webhooks[0], 1, event?.body],
    [webhooks[1], 1, event?.body],
  ]);
});

t.test("take - only the types that the webhook wants, and of its organisation", async (t) => {
  const webhook = await testWebhook(store, organisation, ["cashback.created", "transaction.rejected"]);
  await writeTestEvents(store, await testOrganisation(store), 3, { first: 100 });
  await writeTestEvents(store, organisation, 2, { first: 1 });
  await writeTestEvents(store, organisation, 3, { first: 3, type: "cashback.cleared" });
  await writeTestEvents(store, organisation, 1, { first: 6, type: "transaction.rejected" });
  await dispatcher.announce();
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[1, 2, 6]]);
});

t.test("lease - a webhook is one process's until it is released or the lease ends", async (t) => {
  const other = new TestDispatcher(store, clock);
  const webhook = await leased(1);
  t.strictSame(await other.leaseIds(), []);
  await clock.pass(LEASE_MS - 1);
  t.strictSame(await dispatcher.renew(webhook), [webhook]);
  await clock.pass(LEASE_MS - 1);
  t.strictSame(await other.leaseIds(), []);
  await clock.pass(1);
  const [taken] = await other.lease();
  t.match(taken, {
    id: webhook,
    organisationId: organisation,
    target: { url: "https://example.com/hooks", failing: null },
  });
  t.match(taken?.target.secrets, [{ keyId: "k1", bytes: Buffer }]);
  t.strictSame(await dispatcher.renew(webhook), []);
});

t.test("lease - a process that lost it takes, records and releases nothing", async (t) => {
  const other = new TestDispatcher(store, clock);
  const webhook = await leased(150);
  const first = await dispatcher.take(webhook);
  await clock.pass(LEASE_MS);
  await other.lease();
  t.strictSame(await dispatcher.take(webhook), []);
  t.strictSame(await dispatcher.record(first), [webhook]);
  await dispatcher.release(webhook);
  t.strictSame(
    idsOf(await other.take(webhook)),
    idsOf(first),
    "it goes on where the first was, with the same ids",
  );
  t.strictSame(await other.record(first), []);
  await other.release(webhook);
  t.strictSame(await dispatcher.leaseIds(), []);
});

t.test("lease - those that wait longest go first, no more than asked for", async (t) => {
  const webhooks: string[] = [];
  for (let n = 0; n < 3; n++) {
    webhooks.push(await testWebhook(store, organisation, [`type ${n}`]));
    await writeTestEvents(store, organisation, 1, { type: `type ${n}` });
    await dispatcher.announce();
    await clock.pass(1);
  }
  t.strictSame(await dispatcher.leaseIds(2), webhooks.slice(0, 2));
  t.strictSame(await dispatcher.leaseIds(2), webhooks.slice(2));
});

t.test("release - asleep when nothing is left, due when there is more or at the next attempt", async (t) => {
  const webhook = await leased(150);
  const [first, second] = (await dispatcher.take(webhook)) as [PendingDelivery, PendingDelivery];
  await dispatcher.record([first]);
  await dispatcher.release(webhook);
  t.strictSame(await dispatcher.leaseIds(), [webhook], "one is pending");
  await dispatcher.record([second], { kind: "retry", afterMs: 5000, refused: false });
  t.strictSame(await dispatcher.take(webhook), [], "its time has not come");
  await dispatcher.release(webhook);
  await clock.pass(4999);
  t.strictSame(await dispatcher.leaseIds(), []);
  await clock.pass(1);
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.match(await dispatcher.take(webhook), [{ id: second.id, failures: 1, refusals: 0 }]);
  await dispatcher.record([second]);
  await dispatcher.release(webhook);
  await clock.pass(LEASE_MS);
  t.strictSame(await dispatcher.leaseIds(), []);
});

t.test("release - events that are announced just before it falls asleep wake it", async (t) => {
  const webhook = await leased(1);
  await dispatcher.record(await dispatcher.take(webhook));
  await writeTestEvents(store, organisation, 1, { first: 2 });
  let release: Promise<void> | undefined;
  await store.begin(async (sql) => {
    await sql`
      update webhook_queues
      set announced = (select max(sequence) from events), due_at = coalesce(due_at, ${clock.now})
      where webhook_id = ${webhook}`;
    release = dispatcher.release(webhook);
    await dispatcher.untilPassedOver();
  });
  await release;
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
});

t.test("release - a replay that commits just before it falls asleep wakes it", async (t) => {
  const webhook = await leased(1);
  await dispatcher.record(await dispatcher.take(webhook));
  let release: Promise<void> | undefined;
  await store.begin(async (sql) => {
    const within = storeWithin(sql);
    await replayDeliveries(within, {
      organisationId: organisation,
      webhookId: webhook,
      events: { since: new Date("2026-01-01") },
    });
    release = dispatcher.release(webhook);
    await dispatcher.untilPassedOver();
  });
  await release;
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[1]]);
});

t.test("finish - the record of the last delivery gives the webhook back, asleep", async (t) => {
  const other = new TestDispatcher(store, clock);
  const webhook = await leased(101);
  const taken = await dispatcher.take(webhook);
  t.strictSame(await dispatcher.finish(taken), [webhook]);
  t.strictSame(await dispatcher.renew(webhook), []);
  await clock.pass(LEASE_MS);
  t.strictSame(await other.leaseIds(), []);
  await writeTestEvents(store, organisation, 1, { first: 102 });
  await dispatcher.announce();
  t.strictSame(await other.leaseIds(), [webhook]);
  t.strictSame(numbersOf(await other.take(webhook)), [[102]]);
});

t.test(
  "finish - events announced or replayed since the deliveries were taken are due immediately",
  async (t) => {
    const webhook = await leased(1);
    const first = await dispatcher.take(webhook);
    await writeTestEvents(store, organisation, 1, { first: 2 });
    await dispatcher.announce();
    t.strictSame(await dispatcher.finish(first), [webhook]);
    t.strictSame(await dispatcher.leaseIds(), [webhook]);
    const second = await dispatcher.take(webhook);
    let finished: Promise<readonly string[]> | undefined;
    // As above, but this commits while the record finds the queue locked.
    await store.begin(async (sql) => {
      const within = storeWithin(sql);
      await replayDeliveries(within, {
        organisationId: organisation,
        webhookId: webhook,
        events: { since: new Date("2026-01-01") },
      });
      finished = dispatcher.finish(second);
      await dispatcher.untilPassedOver();
    });
    t.strictSame(await finished, [webhook]);
    t.strictSame(await dispatcher.leaseIds(), [webhook]);
    t.strictSame(numbersOf(await dispatcher.take(webhook)), [[1, 2]]);
  },
);

t.test("finish - a webhook that is paused meanwhile stays asleep", async (t) => {
  const webhook = await leased(1);
  const taken = await dispatcher.take(webhook);
  await writeTestEvents(store, organisation, 1, { first: 2 });
  await dispatcher.announce();
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.strictSame(await dispatcher.finish(taken), [webhook]);
  t.strictSame(await dispatcher.leaseIds(), []);
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  await dispatcher.announce();
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
});

t.test("finish - a repeated record leaves the new lease of the same process", async (t) => {
  const webhook = await leased(1);
  const taken = await dispatcher.take(webhook);
  t.strictSame(await dispatcher.finish(taken), [webhook]);
  await writeTestEvents(store, organisation, 1, { first: 2 });
  await dispatcher.announce();
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.strictSame(await dispatcher.finish(taken), [], "its connection was lost after the commit");
  t.strictSame(await dispatcher.renew(webhook), [webhook]);
});

t.test("record - the webhook knows when it succeeded last and since when it fails", async (t) => {
  const webhook = await leased(300);
  const [first, second, third] = (await dispatcher.take(webhook)) as [
    PendingDelivery,
    PendingDelivery,
    PendingDelivery,
  ];
  const standing = async () => {
    const { failingSince, lastSuccessAt } = (await getWebhook(store, organisation, webhook)) ?? {};
    return [failingSince, lastSuccessAt];
  };
  const failed = clock.now;
  await dispatcher.record([first], { kind: "retry", afterMs: 0, refused: false });
  t.strictSame(await standing(), [failed, null]);
  await clock.pass(5000);
  await dispatcher.record([first], { kind: "retry", afterMs: 0, refused: true });
  t.strictSame(await standing(), [failed, null]);
  t.match(await dispatcher.take(webhook), [{ failures: 2, refusals: 1 }, {}, {}]);
  await clock.pass(5000);
  const succeeded = clock.now;
  await dispatcher.record([first, second]);
  t.strictSame(await standing(), [null, succeeded]);
  const attempts = [dispatcher.attempt(third, { kind: "parked" })];
  await clock.pass(1);
  await dispatcher.recordAll(attempts);
  t.strictSame(await standing(), [succeeded, succeeded], "the attempt's own time counts");
});

t.test("record - the same record again changes nothing", async (t) => {
  const webhook = await leased(1);
  const [delivery] = (await dispatcher.take(webhook)) as [PendingDelivery];
  const retry = dispatcher.attempt(delivery, { kind: "retry", afterMs: 0, refused: true });
  await dispatcher.recordAll([retry]);
  await dispatcher.recordAll([retry]);
  t.match(await dispatcher.take(webhook), [{ failures: 1, refusals: 1 }]);
  await clock.pass(1);
  await dispatcher.record([delivery]);
  await dispatcher.recordAll([retry]);
  t.match((await list(webhook)).at(0), { state: "delivered", attempts: 2, status: 204, errorClass: null });
});

t.test(
  "split - its events go on one by one in its place, and a parked one lets the others pass",
  async (t) => {
    const webhook = await leased(203);
    const [first, second, third] = (await dispatcher.take(webhook, 3)) as [
      PendingDelivery,
      PendingDelivery,
      PendingDelivery,
    ];
    await dispatcher.record([first]);
    await dispatcher.record([second], { kind: "split" });
    const singles = await dispatcher.take(webhook, 200);
    t.strictSame(numbersOf(singles), [...range(101, 200).map((n) => [n]), [201, 202, 203]]);
    t.equal(singles[100]?.id, third.id);
    t.ok(singles.slice(0, 100).every(({ failures, refusals }) => failures === 0 && refusals === 0));
    await dispatcher.record(singles.slice(0, 1), { kind: "parked" });
    await dispatcher.record(singles.slice(1, 50));
    t.strictSame(numbersOf(await dispatcher.take(webhook, 2)), [[151], [152]]);
    await dispatcher.record(singles.slice(50));
    t.strictSame(await dispatcher.take(webhook), []);
    await dispatcher.release(webhook);
    t.strictSame(await dispatcher.leaseIds(), []);
    t.strictSame(
      (await list(webhook, "failed")).map(({ id, attempts }) => [id, attempts]),
      [[singles[0]?.id, 1]],
    );
  },
);

t.test("split - of the last delivery: it is pending until its last part is settled", async (t) => {
  const webhook = await leased(3);
  await dispatcher.record(await dispatcher.take(webhook), { kind: "split" });
  for (const n of [1, 2, 3]) {
    await dispatcher.release(webhook);
    t.strictSame(await dispatcher.leaseIds(), [webhook]);
    const [next] = (await dispatcher.take(webhook, 1)) as [PendingDelivery];
    t.strictSame(numbersOf([next]), [[n]]);
    await dispatcher.record([next]);
  }
  await dispatcher.release(webhook);
  t.strictSame(await dispatcher.leaseIds(), []);
  await writeTestEvents(store, organisation, 1, { first: 4 });
  await dispatcher.announce();
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[4]]);
});

t.test("disabled - its delivery stays the next one, and enabling it starts the schedule over", async (t) => {
  const webhook = await leased(1);
  const [delivery] = (await dispatcher.take(webhook)) as [PendingDelivery];
  await clock.pass(1_000);
  await dispatcher.record([delivery], { kind: "disable", refused: true });
  const disabled = await getWebhook(store, organisation, webhook);
  t.match(disabled, { state: "disabled", failingSince: clock.now });
  t.strictSame(disabled?.updatedAt, clock.now, "lists by when it was changed find it");
  t.strictSame(await dispatcher.renew(webhook), []);
  t.strictSame(await dispatcher.take(webhook), []);
  await dispatcher.release(webhook);
  await writeTestEvents(store, organisation, 2, { first: 2 });
  await dispatcher.announce();
  await clock.pass(LEASE_MS);
  t.strictSame(await dispatcher.leaseIds(), []);
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  await dispatcher.announce();
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  const [again] = (await dispatcher.take(webhook)) as [PendingDelivery];
  t.match(again, { id: delivery.id, failures: 0, refusals: 1 });
  await dispatcher.record([again]);
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[2, 3]], "the events of the meantime");
});

t.test("disabled - a webhook that was paused during the attempt is not", async (t) => {
  const webhook = await leased(1);
  const taken = await dispatcher.take(webhook);
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.strictSame(await dispatcher.record(taken, { kind: "disable", refused: false }), []);
  t.match(await getWebhook(store, organisation, webhook), { state: "paused" });
});

t.test("paused - sends nothing, keeps its place, and continues immediately when it is enabled", async (t) => {
  const webhook = await leased(101);
  const [first, second] = (await dispatcher.take(webhook)) as [PendingDelivery, PendingDelivery];
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.strictSame(await dispatcher.renew(webhook), []);
  t.strictSame(await dispatcher.record([first]), [], "the delivery under way counts");
  await dispatcher.record([second], { kind: "retry", afterMs: 3_600_000, refused: false });
  await dispatcher.release(webhook);
  await dispatcher.announce();
  t.strictSame(await dispatcher.leaseIds(), []);
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  await dispatcher.announce();
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.match(await dispatcher.take(webhook), [{ id: second.id, failures: 0 }]);
});

t.test("enabled - enabling it again changes no schedule", async (t) => {
  const webhook = await leased(1);
  await dispatcher.record(await dispatcher.take(webhook), {
    kind: "retry",
    afterMs: 5000,
    refused: false,
  });
  await dispatcher.release(webhook);
  await updateWebhook(store, organisation, webhook, { state: "enabled", description: "nightly" });
  t.strictSame(await dispatcher.leaseIds(), []);
});

t.test("deleted - while it is leased: the lease is gone, and nothing is recorded", async (t) => {
  const webhook = await leased(1);
  const taken = await dispatcher.take(webhook);
  await deleteWebhook(store, organisation, webhook);
  t.strictSame(await dispatcher.renew(webhook), []);
  t.strictSame(await dispatcher.record(taken), [webhook]);
  t.strictSame(await dispatcher.take(webhook), []);
  await dispatcher.release(webhook);
  t.equal(
    await listDeliveries(store, { organisationId: organisation, webhookId: webhook }, { limit: 10 }),
    undefined,
  );
});

t.test("created - gets the events that are announced from then on", async (t) => {
  await writeTestEvents(store, organisation, 2);
  await dispatcher.announce();
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 1, { first: 3 });
  await dispatcher.announce();
  await dispatcher.lease();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[3]]);
});

t.test("swept events - a delivery is sent with the remaining events, and fails without any", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await store`delete from events`;
  await writeTestEvents(store, organisation, 150);
  await store`update events set written_at = now() - interval '30 days'`;
  await writeTestEvents(store, organisation, 60, { first: 151 });
  await dispatcher.announce();
  await dispatcher.lease();
  t.equal((await dispatcher.take(webhook)).length, 3);
  t.equal((await dispatcher.take(webhook)).length, 3, "asked for again, they have rows");
  t.equal(await sweepEvents(store, LIMITS.eventKeptMs), 0, "none is older");
  await clock.pass(1);
  t.equal(await sweepEvents(store, LIMITS.eventKeptMs), 150);
  t.equal(await sweepEvents(store, LIMITS.eventKeptMs), 0);
  const left = await dispatcher.take(webhook);
  t.strictSame(numbersOf(left), [range(151, 200), range(201, 210)]);
  t.match(await list(webhook, "failed"), [{ state: "failed", eventIds: [] }]);
  await dispatcher.record(left);
  await dispatcher.release(webhook);
  t.strictSame(await dispatcher.leaseIds(), []);
});

t.test("swept events - a replay without events at its turn does not hold up later deliveries", async (t) => {
  const webhook = await leased(1);
  const old = await dispatcher.take(webhook);
  const eventIds = old.flatMap(eventIdsOf);
  await dispatcher.finish(old);
  await writeTestEvents(store, organisation, 1, { first: 2 });
  await dispatcher.announce();
  await dispatcher.lease();
  const taken = await dispatcher.take(webhook);
  t.strictSame(numbersOf(taken), [[2]]);
  const replay = { organisationId: organisation, webhookId: webhook, events: { ids: eventIds } };
  t.equal(await replayDeliveries(store, replay), 1);
  await store`delete from events where id = any(${eventIds}::uuid[])`;
  t.strictSame(idsOf(await dispatcher.take(webhook)), idsOf(taken), "the replay after it fails");
  await dispatcher.finish(taken);
  await writeTestEvents(store, organisation, 1, { first: 3 });
  await dispatcher.announce();
  const numbers: number[][] = [];
  for (let turn = 0; turn < 2; turn++) {
    await dispatcher.lease();
    numbers.push(...numbersOf(await dispatcher.take(webhook)));
    await dispatcher.release(webhook);
  }
  t.strictSame(numbers, [[3]]);
});

t.test("swept events - with none left at all the queue goes on with new ones", async (t) => {
  const webhook = await leased(1);
  await dispatcher.take(webhook);
  await store`delete from events`;
  t.strictSame(await dispatcher.take(webhook), []);
  await writeTestEvents(store, organisation, 1, { first: 2 });
  await dispatcher.announce();
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[2]]);
});

async function list(webhookId: string, state?: "pending" | "delivered" | "failed") {
  const page = await listDeliveries(
    store,
    { organisationId: organisation, webhookId, state },
    { limit: 1000 },
  );
  return page?.records ?? [];
}

t.test("unknown webhooks - have no owner", async (t) => {
  const unknown = uuidv7();
  t.strictSame(await dispatcher.renew(unknown), []);
  t.strictSame(await dispatcher.take(unknown), []);
  t.strictSame(await dispatcher.record([{ id: uuidv7(), webhookId: unknown }]), [unknown]);
  await dispatcher.release(unknown);
});

/** A store whose transactions are parts of this one. */
function storeWithin(sql: Transaction): Store {
  const begin = (work: (sql: Transaction) => unknown) => work(sql);
  return new Proxy(sql, {
    get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
  }) as unknown as Store;
}
