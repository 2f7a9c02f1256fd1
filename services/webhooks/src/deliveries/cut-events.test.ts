import t from "tap";
import type { Store } from "#postgres";
import type { MovableClock } from "#test-support";
import { listDeliveries } from "../../../edge/src/webhook-deliveries/delivery-rows.ts";
import { replayDeliveries } from "../../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { deleteWebhook, getWebhook, updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import type { PendingDelivery } from "./cut-events.ts";
import {
  clockedStore,
  idsOf,
  LEASE_MS,
  numbersOf,
  range,
  TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

/*
 * Deliveries that are sent before they have rows. Whether the process dies, loses its lease or the webhook
 * changes between request and record: sent events come again under the same id, and none is skipped.
 */

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

const RETRY = { kind: "retry", afterMs: 0, refused: false } as const;

async function list(webhookId: string) {
  const page = await listDeliveries(store, { organisationId: organisation, webhookId }, { limit: 100 });
  return page?.records ?? [];
}

/** A webhook with this many events, which are taken together with their announcement. */
async function taken(events: number, perWebhook = 8) {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, events);
  const { leased } = await dispatcher.announceAndLease(100, perWebhook);
  t.strictSame(
    leased.map(({ id }) => id),
    [webhook],
  );
  return { webhook, first: leased.flatMap((one) => one.first) };
}

/** Another process that leases everything due once the leases of this one have ended. */
async function successor() {
  await clock.pass(LEASE_MS);
  const other = new TestDispatcher(store, clock);
  return { other, leased: await other.lease(100, 8) };
}

t.test("cut - one statement announces, leases and takes, another writes all there is to write", async (t) => {
  const { webhook, first } = await taken(150);
  t.strictSame(numbersOf(first), [range(1, 100), range(101, 150)]);
  t.strictSame(await list(webhook), [], "nothing has a row yet");
  t.strictSame(await dispatcher.finish(first), [webhook]);
  t.match(await list(webhook), [
    { id: first[0]?.id, state: "delivered", attempts: 1, status: 204, eventIds: { length: 100 } },
    { id: first[1]?.id, state: "delivered", attempts: 1, status: 204, eventIds: { length: 50 } },
  ]);
  t.match(await getWebhook(store, organisation, webhook), { failingSince: null, lastSuccessAt: clock.now });
  await clock.pass(LEASE_MS);
  t.strictSame(await dispatcher.leaseIds(), [], "and nothing is left to do");
});

t.test("cut - a lease takes the first deliveries too", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 250);
  await dispatcher.announce();
  const [leased] = await dispatcher.lease(1, 2);
  t.strictSame(numbersOf(leased?.first ?? []), [range(1, 100), range(101, 200)]);
  await dispatcher.record(leased?.first ?? []);
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [range(201, 250)]);
});

t.test("cut - no more webhooks than asked for are leased; the others are due", async (t) => {
  const webhooks = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
  await writeTestEvents(store, organisation, 1);
  const { events, leased, isMore } = await dispatcher.announceAndLease(1);
  t.strictSame([events, leased.length, isMore], [1, 1, true]);
  const others = await dispatcher.lease(2, 8);
  t.strictSame([...leased, ...others].map(({ id }) => id).sort(), [...webhooks].sort());
  await writeTestEvents(store, organisation, 1, { first: 2 });
  t.match(await dispatcher.announceAndLease(2), { events: 1, leased: [], isMore: false }, "they have leases");
});

t.test("cut - of processes that announce at one time one gets a webhook", async (t) => {
  const webhook = await testWebhook(store, organisation);
  for (let round = 1; round <= 10; round++) {
    await writeTestEvents(store, organisation, 1, { first: round });
    const processes = [dispatcher, new TestDispatcher(store, clock), new TestDispatcher(store, clock)];
    const all = await Promise.all(processes.map((one) => one.announceAndLease()));
    t.equal(
      all.reduce((sum, { events }) => sum + events, 0),
      1,
    );
    for (const [n, { leased }] of all.entries()) {
      const first = leased.flatMap((one) => one.first);
      if (first.length === 0) continue;
      t.strictSame(numbersOf(first), [[round]]);
      t.strictSame(await processes[n]?.finish(first), [webhook]);
    }
  }
  t.equal((await list(webhook)).length, 10, "each was taken");
});

t.test(
  "cut - a process dies between request and record: the same delivery comes again, with later events after it",
  async (t) => {
    const { webhook, first } = await taken(150);
    await writeTestEvents(store, organisation, 30, { first: 151 });
    await dispatcher.announce();
    const { other, leased } = await successor();
    t.match(leased, [{ id: webhook, first: [] }]);
    const again = await other.take(webhook);
    t.strictSame(idsOf(again), idsOf(first), "under the same ids");
    t.strictSame(
      again.map(({ body }) => body),
      first.map(({ body }) => body),
    );
    t.match(await list(webhook), [{ state: "pending" }, { state: "pending" }]);
    await other.record(again);
    t.strictSame(numbersOf(await other.take(webhook)), [range(151, 180)]);
  },
);

t.test("cut - it dies between two of its records: only the unrecorded delivery comes again", async (t) => {
  const { webhook, first } = await taken(250);
  await dispatcher.record(first.slice(0, 1));
  const { other } = await successor();
  t.strictSame(idsOf(await other.take(webhook)), idsOf(first.slice(1)));
});

t.test("cut - the lease is lost meanwhile: the late record is refused, the successor's counts", async (t) => {
  const { webhook, first } = await taken(1);
  const { other } = await successor();
  t.strictSame(await dispatcher.record(first), [webhook]);
  t.strictSame(await list(webhook), []);
  t.strictSame(await other.finish(await other.take(webhook)), [webhook]);
  t.strictSame(await dispatcher.record(first), [webhook]);
  t.match(await list(webhook), [{ id: first[0]?.id, state: "delivered", attempts: 1 }]);
});

t.test("cut - a repeated record changes nothing, not even deliveries taken since", async (t) => {
  const { webhook, first } = await taken(1);
  t.strictSame(await dispatcher.finish(first), [webhook]);
  await writeTestEvents(store, organisation, 1, { first: 2 });
  const { leased } = await dispatcher.announceAndLease();
  const second = leased.flatMap((one) => one.first);
  t.strictSame(await dispatcher.finish(first), [], "its connection was lost after the commit");
  t.strictSame(await dispatcher.renew(webhook), [webhook]);
  t.strictSame(await dispatcher.finish(second), [webhook]);
  t.match(await list(webhook), [
    { id: first[0]?.id, state: "delivered", attempts: 1 },
    { id: second[0]?.id, state: "delivered", attempts: 1 },
  ]);
});

t.test("cut - the answer to the statement that took them is lost: asked again, the same come", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 150);
  await dispatcher.announce();
  await dispatcher.lease();
  const lost = await dispatcher.take(webhook);
  t.strictSame(idsOf(await dispatcher.take(webhook)), idsOf(lost));
  t.strictSame(await dispatcher.finish(lost), [webhook], "they have rows by then");
  t.match(await list(webhook), [{ state: "delivered" }, { state: "delivered" }]);
});

t.test(
  "cut - the first fails: it is pending with its schedule, followed by the deliveries taken with it",
  async (t) => {
    const { webhook, first } = await taken(250);
    await dispatcher.record(first.slice(0, 1), { ...RETRY, afterMs: 5000 });
    t.match(await list(webhook), [
      { id: first[0]?.id, state: "pending", attempts: 1, status: 500 },
      { id: first[1]?.id, state: "pending", attempts: 0 },
      { id: first[2]?.id, state: "pending", attempts: 0 },
    ]);
    t.match(await getWebhook(store, organisation, webhook), { failingSince: clock.now });
    await dispatcher.release(webhook);
    await clock.pass(5000);
    await dispatcher.lease();
    const again = await dispatcher.take(webhook);
    t.strictSame(idsOf(again), idsOf(first));
    await dispatcher.finish(again);
    t.match(await getWebhook(store, organisation, webhook), { failingSince: null, lastSuccessAt: clock.now });
  },
);

t.test("cut - a success and the next delivery's failure in one record", async (t) => {
  const { webhook, first } = await taken(250);
  const [one, two] = first as [PendingDelivery, PendingDelivery];
  await dispatcher.recordAll([
    dispatcher.attempt(one, { kind: "delivered" }),
    dispatcher.attempt(two, { kind: "disable", refused: false }),
  ]);
  t.match(await list(webhook), [{ state: "delivered" }, { state: "pending", attempts: 1 }, { attempts: 0 }]);
  t.match(await getWebhook(store, organisation, webhook), { state: "disabled", lastSuccessAt: clock.now });
});

t.test("cut - the first of a webhook that was failing clears that", async (t) => {
  const { webhook, first } = await taken(1);
  await dispatcher.record(first, { kind: "parked" });
  await dispatcher.release(webhook);
  t.match(await getWebhook(store, organisation, webhook), { failingSince: clock.now });
  await writeTestEvents(store, organisation, 1, { first: 2 });
  const { leased } = await dispatcher.announceAndLease();
  t.match(leased, [{ id: webhook, target: { failing: { since: Date } } }]);
  const second = leased.flatMap((one) => one.first);
  t.strictSame(numbersOf(second), [[2]]);
  t.strictSame(await dispatcher.finish(second), [webhook]);
  t.match(await getWebhook(store, organisation, webhook), { failingSince: null, lastSuccessAt: clock.now });
});

t.test("cut - paused meanwhile: delivered events count, the rest comes when it is enabled", async (t) => {
  const { webhook, first } = await taken(150);
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.strictSame(await dispatcher.renew(webhook), []);
  t.strictSame(await dispatcher.record(first.slice(0, 1)), []);
  await dispatcher.release(webhook);
  const { other, leased } = await successor();
  t.strictSame(leased, []);
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  await dispatcher.announce();
  t.strictSame(await other.leaseIds(), [webhook]);
  t.strictSame(idsOf(await other.take(webhook)), idsOf(first.slice(1)));
});

t.test("cut - deleted meanwhile: nothing is recorded", async (t) => {
  const { webhook, first } = await taken(1);
  await deleteWebhook(store, organisation, webhook);
  t.strictSame(await dispatcher.record(first), [webhook]);
  const rows = await store`select from webhook_deliveries where webhook_id = ${webhook}`;
  t.equal(rows.length, 0);
});

t.test("cut - a replay meanwhile includes the events on their way, and comes after them", async (t) => {
  const { webhook, first } = await taken(2);
  const replay = {
    organisationId: organisation,
    webhookId: webhook,
    events: { since: new Date("2026-01-01") },
  };
  t.equal(await replayDeliveries(store, replay), 2);
  t.strictSame(await dispatcher.finish(first), [webhook]);
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[1, 2]]);
});

t.test("cut - a replay, and the process dies: deliveries under way come first", async (t) => {
  const { webhook, first } = await taken(150);
  const replay = {
    organisationId: organisation,
    webhookId: webhook,
    events: { since: new Date("2026-01-01") },
  };
  t.equal(await replayDeliveries(store, replay), 150);
  const { other } = await successor();
  const again = await other.take(webhook);
  t.strictSame(numbersOf(again), [range(1, 100), range(101, 150), range(1, 100), range(101, 150)]);
  t.strictSame(idsOf(again.slice(0, 2)), idsOf(first));
});

t.test(
  "cut - other types meanwhile: taken deliveries are repeated unchanged, and the new types come after them",
  async (t) => {
    const webhook = await testWebhook(store, organisation, ["cashback.created"]);
    await writeTestEvents(store, organisation, 60, { type: "cashback.created" });
    await writeTestEvents(store, organisation, 60, { first: 61, type: "cashback.cleared" });
    await writeTestEvents(store, organisation, 1, { first: 121, type: "cashback.created" });
    const { leased } = await dispatcher.announceAndLease();
    const first = leased.flatMap((one) => one.first);
    t.strictSame(numbersOf(first), [[...range(1, 60), 121]]);
    for (const events of [["cashback.created", "cashback.cleared"], ["cashback.cleared"]] as const) {
      await updateWebhook(store, organisation, webhook, { events });
    }
    await writeTestEvents(store, organisation, 2, { first: 122, type: "cashback.cleared" });
    const { other } = await successor();
    const again = await other.take(webhook);
    t.strictSame(idsOf(again), idsOf(first), "under the same ids");
    t.strictSame(numbersOf(again), [[...range(1, 60), 121]]);
    await other.announce();
    await other.record(again);
    const behind = await other.take(webhook);
    t.strictSame(numbersOf(behind), [[122, 123]], "none of the new type that is older than its last event");
  },
);

t.test("cut - taken without its types, before migration 0011: nothing is passed over", async (t) => {
  const webhook = await testWebhook(store, organisation, ["cashback.created"]);
  await writeTestEvents(store, organisation, 60, { type: "cashback.created" });
  await writeTestEvents(store, organisation, 60, { first: 61, type: "cashback.cleared" });
  await writeTestEvents(store, organisation, 1, { first: 121, type: "cashback.created" });
  await dispatcher.announceAndLease();
  // With the types of earlier deliveries.
  await store`
    update webhook_queues set taken_types = array['transaction.rejected'], taken_upto = 1 where webhook_id = ${webhook}`;
  await updateWebhook(store, organisation, webhook, { events: ["cashback.created", "cashback.cleared"] });
  const { other } = await successor();
  t.strictSame(await other.take(webhook), [], "more than fit into the delivery: it is cut again");
  t.strictSame(numbersOf(await other.take(webhook)), [range(1, 100), range(101, 121)]);
});

t.test("cut - events that were swept before they came again are left out", async (t) => {
  const { webhook } = await taken(150);
  await store`
    delete from events where organisation_id = ${organisation} and sequence not in (
      select sequence from events where organisation_id = ${organisation} order by sequence desc limit 20
    )`;
  const { other } = await successor();
  const again = await other.take(webhook);
  t.strictSame(numbersOf(again), [range(131, 150)]);
  t.strictSame(await other.finish(again), [webhook]);
});
