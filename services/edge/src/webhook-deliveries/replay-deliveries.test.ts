import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation, waitForLocks } from "#test-support";
import {
  clockedStore,
  numbersOf,
  type TestDispatcher,
  testDispatch,
  testEvents,
  testWebhook,
  writeTestEvents,
} from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { recordTest } from "../../../webhooks/src/handle-webhook-test.ts";
import { sweepDeliveries } from "../../../webhooks/src/sweep.ts";
import { updateWebhook } from "../webhooks/webhook-rows.ts";
import { listDeliveries } from "./delivery-rows.ts";
import { type ReplayedEvents, replayDeliveries } from "./replay-deliveries.ts";

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

const replay = (webhookId: string, events: ReplayedEvents, organisationId = organisation) =>
  replayDeliveries(store, { organisationId, webhookId, events });

const list = async (
  webhookId: string,
  state?: "pending" | "delivered" | "failed",
  limit = 1000,
  after?: string,
) => {
  const page = await listDeliveries(
    store,
    { organisationId: organisation, webhookId, state },
    { limit, after },
  );
  return page?.records ?? [];
};

/** Announces new events, and delivers everything due. */
async function deliver(webhookId: string): Promise<number[][]> {
  await dispatcher.announce();
  await dispatcher.lease();
  const taken = await dispatcher.take(webhookId);
  await dispatcher.record(taken);
  await dispatcher.release(webhookId);
  return numbersOf(taken);
}

t.test("replay - by id: those of the organisation, of any type, in their order, once each", async (t) => {
  const webhook = await testWebhook(store, organisation);
  const [one, two, three] = await writeTestEvents(store, organisation, 3);
  const [other] = await writeTestEvents(store, organisation, 1, { first: 4, type: "transaction.rejected" });
  const [foreign] = await writeTestEvents(store, await testOrganisation(store), 1);
  await deliver(webhook);
  const ids = [three, other, one, one, foreign].map((event) => event?.id as string);
  t.equal(await replay(webhook, { ids: [...ids, uuidv7()] }), 3);
  t.strictSame(await deliver(webhook), [[1, 3, 4]]);
  t.equal(await replay(webhook, { ids: [] }), 0);
  t.strictSame(await dispatcher.leaseIds(), [], "nothing to wake it for");
  t.equal(await replay(uuidv7(), { ids }), undefined);
  t.equal(await replay(webhook, { ids }, await testOrganisation(store)), undefined);
  t.equal(await replay(webhook, { ids: [two?.id as string] }), 1);
});

t.test("replay - by time: the types that it wants, from since up to before until", async (t) => {
  const webhook = await testWebhook(store, organisation);
  const at = (second: number) => `2026-05-01T10:00:0${second}.000000Z`;
  for (const second of [1, 2, 3, 4]) {
    await writeTestEvents(store, organisation, 1, { first: second, at: at(second) });
    await writeTestEvents(store, organisation, 1, { type: "cashback.reverted", at: at(second) });
  }
  await deliver(webhook);
  t.equal(await replay(webhook, { since: new Date(at(2)), until: new Date(at(4)) }), 2);
  t.strictSame(await deliver(webhook), [[2, 3]]);
  t.equal(await replay(webhook, { since: new Date(at(3)) }), 2);
  t.strictSame(await deliver(webhook), [[3, 4]]);
});

t.test(
  "replay - it comes after pending deliveries, before events in no delivery yet, and without them",
  async (t) => {
    const webhook = await testWebhook(store, organisation);
    await writeTestEvents(store, organisation, 250);
    await dispatcher.announce();
    await dispatcher.lease();
    const first = await dispatcher.take(webhook, 2);
    await dispatcher.record(first.slice(0, 1));
    t.equal(await replay(webhook, { since: new Date("2026-01-01") }), 200);
    const taken = await dispatcher.take(webhook);
    t.strictSame(
      numbersOf(taken).map((numbers) => [numbers[0], numbers.at(-1)]),
      [
        [101, 200],
        [1, 100],
        [101, 200],
      ],
    );
    await dispatcher.record(taken);
    t.strictSame(
      numbersOf(await dispatcher.take(webhook)).map((numbers) => [numbers[0], numbers.at(-1)]),
      [[201, 250]],
    );
  },
);

t.test("replay - of all that failed: each failure once, and again if it fails again", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 3);
  await dispatcher.announce();
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook), { kind: "split" });
  const [one, two, three] = await dispatcher.take(webhook);
  const parked = { kind: "parked" } as const;
  await dispatcher.record([one, two, three].filter((delivery) => delivery !== undefined).slice(1), parked);
  await dispatcher.release(webhook);
  t.equal(await replay(webhook, "failed"), 2);
  t.equal(await replay(webhook, "failed"), 0);
  await dispatcher.lease();
  const again = await dispatcher.take(webhook);
  t.strictSame(numbersOf(again), [[2, 3]]);
  await dispatcher.record(again, parked);
  t.equal(await replay(webhook, "failed"), 2);
  t.equal((await list(webhook, "failed")).length, 3);
});

t.test("replay - to a paused webhook waits until it is enabled", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 1);
  await deliver(webhook);
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.equal(await replay(webhook, { since: new Date("2026-01-01") }), 1);
  t.strictSame(await dispatcher.leaseIds(), []);
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  t.strictSame(await deliver(webhook), [[1]]);
});

t.test(
  "replay - while deliveries are taken: nothing is passed over, and nothing stays pending",
  async (t) => {
    const webhook = await testWebhook(store, organisation);
    await writeTestEvents(store, organisation, 30);
    await deliver(webhook);
    let wanted = 0;
    let received = 0;
    for (let round = 1; round <= 20; round++) {
      await writeTestEvents(store, organisation, 1, { first: 30 + round });
      await dispatcher.announce();
      await dispatcher.lease();
      const [queued, first] = await Promise.all([
        replay(webhook, { since: new Date("2026-01-01") }),
        dispatcher.take(webhook),
      ]);
      wanted += 1 + (queued as number);
      for (let taken = first, more = 3; more > 0; more--) {
        await dispatcher.record(taken);
        received += numbersOf(taken).flat().length;
        taken = await dispatcher.take(webhook);
      }
      await dispatcher.release(webhook);
    }
    t.equal(received, wanted);
    t.strictSame(await list(webhook, "pending"), []);
  },
);

t.test("replay - holds no lock on the queue while it looks for events", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 3);
  await deliver(webhook);
  let replayed: Promise<number | undefined> | undefined;
  await store.begin(async (sql) => {
    // While this lock lasts, the replay keeps searching.
    await sql`lock table events in access exclusive mode`;
    replayed = replay(webhook, { since: new Date("2026-01-01") });
    await waitForLocks(store);
    const free = await sql`
      select from webhook_queues where webhook_id = ${webhook} for update skip locked`;
    t.equal(free.length, 1);
  });
  t.equal(await replayed, 3);
});

t.test("list - oldest first, by state, page by page, with the events of each in order", async (t) => {
  const webhook = await testWebhook(store, organisation);
  const events = await writeTestEvents(store, organisation, 450);
  await dispatcher.announce();
  await dispatcher.lease();
  const taken = await dispatcher.take(webhook);
  await dispatcher.record(taken.slice(0, 2));
  await dispatcher.record(taken.slice(2, 3), { kind: "parked" });
  await dispatcher.record(taken.slice(3, 4), { kind: "retry", afterMs: 5000, refused: false });
  const all = await list(webhook);
  t.strictSame(
    all.map(({ id, state }) => [id, state]),
    taken.map(({ id }, n) => [id, ["delivered", "delivered", "failed", "pending", "pending"][n]]),
  );
  t.strictSame(
    all.flatMap(({ eventIds }) => eventIds),
    events.map(({ id }) => id),
  );
  t.match(all[0], { webhookId: webhook, attempts: 1, status: 204, errorClass: null, answer: "" });
  t.strictSame(
    [all[0]?.createdAt, all[0]?.lastAttemptAt, all[0]?.nextAttemptAt],
    [clock.now, clock.now, null],
  );
  t.match(all[3], {
    attempts: 1,
    status: 500,
    errorClass: "http_5xx",
    answer: "no",
    nextAttemptAt: clock.in(5000),
  });
  t.match(all[4], { attempts: 0, status: null, lastAttemptAt: null, nextAttemptAt: null });
  for (const [state, at] of [
    ["delivered", [0, 1]],
    ["failed", [2]],
    ["pending", [3, 4]],
  ] as const) {
    t.strictSame(
      await list(webhook, state),
      at.map((n) => all[n]),
      state,
    );
  }
  t.strictSame(await list(webhook, undefined, 2, all[1]?.id), all.slice(2, 4));
  t.equal(
    await listDeliveries(store, { organisationId: uuidv7(), webhookId: webhook }, { limit: 1 }),
    undefined,
  );
});

t.test("test - shows among the deliveries, has no place in their order, and is not replayed", async (t) => {
  const webhook = await testWebhook(store, organisation);
  for (const errorClass of [null, "timeout"]) {
    const [event] = testEvents(organisation, 1, { type: "webhook.test" });
    await recordTest(store, {
      deliveryId: uuidv7(),
      webhookId: webhook,
      event: event as NonNullable<typeof event>,
      at: clock.now,
      durationMs: 3.7,
      status: errorClass === null ? 200 : null,
      errorClass,
      answer: null,
    });
  }
  t.match(await list(webhook), [
    { state: "delivered", attempts: 1, status: 200, errorClass: null, eventIds: [String] },
    { state: "failed", attempts: 1, status: null, errorClass: "timeout", eventIds: [String] },
  ]);
  t.strictSame(await deliver(webhook), []);
  t.equal(await replay(webhook, "failed"), 0);
});

t.test(
  "sweep - deletes deliveries that are old and settled, or whose webhook is gone, never pending ones",
  async (t) => {
    await store`delete from webhook_deliveries`;
    const [webhook, gone] = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
    await writeTestEvents(store, organisation, 250);
    await dispatcher.announce();
    await dispatcher.lease();
    const taken = await dispatcher.take([webhook, gone]);
    t.equal(taken.length, 6);
    t.equal((await dispatcher.take([webhook, gone])).length, 6, "asked for again, they have rows");
    await dispatcher.record(taken.filter(({ webhookId }) => webhookId === webhook).slice(0, 2));
    await store`delete from webhooks where id = ${gone}`;
    t.equal(await sweepDeliveries(store, 0), 0, "none is older");
    await clock.pass(1);
    t.equal(await sweepDeliveries(store, 0), 5);
    t.equal(await sweepDeliveries(store, 0), 0);
    t.match(await list(webhook), [{ state: "pending" }]);
  },
);
