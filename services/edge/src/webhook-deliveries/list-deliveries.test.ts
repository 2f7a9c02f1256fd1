import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation } from "#test-support";
import type { PendingDelivery } from "../../../webhooks/src/deliveries/cut-events.ts";
import {
  clockedStore,
  type TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { type DeliveryRecord, listDeliveries } from "./delivery-rows.ts";
import { replayDeliveries } from "./replay-deliveries.ts";

let store: Store;
let clock: MovableClock;
let dispatcher: TestDispatcher;
let organisationId: string;
let webhookId: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});
t.beforeEach(async () => {
  ({ dispatcher, organisation: organisationId } = await testDispatch(store, clock));
  webhookId = await testWebhook(store, organisationId);
});

type Filters = Partial<Parameters<typeof listDeliveries>[1]>;

async function list(filters: Filters, limit = 1000, after?: string): Promise<DeliveryRecord[]> {
  const listing = { organisationId, webhookId, ...filters };
  return [...((await listDeliveries(store, listing, { limit, after }))?.records ?? [])];
}

async function ids(filters: Filters, limit?: number, after?: string): Promise<string[]> {
  return (await list(filters, limit, after)).map(({ id }) => id);
}

/** Writes this many events now, and takes their deliveries; returns the events' ids. */
async function tell(events: number): Promise<[events: string[], ...PendingDelivery[]]> {
  const written = (await writeTestEvents(store, organisationId, events)).map(({ id }) => id);
  await store`update events set written_at = now() where id = any(${written}::uuid[])`;
  await dispatcher.announce();
  await dispatcher.lease();
  return [written, ...(await dispatcher.take(webhookId))];
}

async function deliver(events: number): Promise<[events: string[], ...ids: string[]]> {
  const [written, ...deliveries] = await tell(events);
  await dispatcher.record(deliveries);
  await dispatcher.release(webhookId);
  return [written, ...deliveries.map(({ id }) => id)];
}

t.test(
  "list - oldest first or newest first, page by page, with how long the last attempt took",
  async (t) => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      made.push(...(await deliver(1)).slice(1).flat());
      await clock.pass(1000);
    }
    const newest = made.toReversed();
    t.strictSame(await ids({}), made);
    t.strictSame(await ids({ order: "oldest" }), made);
    t.strictSame(await ids({ order: "newest" }), newest);
    t.strictSame(await ids({ order: "newest" }, 2), newest.slice(0, 2));
    t.strictSame(await ids({ order: "newest" }, 2, newest[1]), newest.slice(2, 4));
    t.strictSame(await ids({ order: "newest", state: "delivered" }, 9, newest[3]), newest.slice(4));
    t.strictSame(await ids({ order: "newest", state: "failed" }), []);
    t.match(await list({}, 1), [{ durationMs: 13 }]);
  },
);

t.test("list - those that were made from since on, and before until", async (t) => {
  const made: string[] = [];
  const times: string[] = [];
  for (let n = 0; n < 4; n++) {
    times.push(clock.now.toISOString());
    made.push(...(await deliver(1)).slice(1).flat());
    await clock.pass(1);
  }
  const [first, second, third, fourth] = times;
  const made_ = (since?: string, until?: string) => ids({ made: { since, until } });
  t.strictSame(await made_(second), made.slice(1));
  t.strictSame(await made_(undefined, third), made.slice(0, 2));
  t.strictSame(await made_(second, fourth), made.slice(1, 3));
  t.strictSame(await made_(first, second?.replace("Z", "500Z")), made.slice(0, 2), "within a millisecond");
  t.strictSame(await made_(second?.replace("Z", "500Z"), fourth), made.slice(2, 3));
  t.strictSame(
    await ids({ order: "newest", made: { since: second, until: undefined } }, 2),
    made.slice(2).reverse(),
  );
});

t.test(
  "list - those with an event: when it came, in its own after a split, and again by a replay",
  async (t) => {
    await deliver(150);
    const [events, whole] = await tell(3);
    await dispatcher.record([whole as PendingDelivery], { kind: "split" });
    const parts = await dispatcher.take(webhookId);
    await dispatcher.record(parts);
    await dispatcher.release(webhookId);
    await clock.pass(60_000);
    await deliver(120);
    const [eventId, other] = events as [string, string];
    t.equal(await replayDeliveries(store, { organisationId, webhookId, events: { ids: [eventId] } }), 1);
    await dispatcher.lease();
    const [again] = await dispatcher.take(webhookId);
    await dispatcher.record([again as PendingDelivery]);
    await dispatcher.release(webhookId);
    const expected = [whole?.id, parts[0]?.id, again?.id] as string[];
    t.strictSame(await ids({ eventId }), expected);
    t.strictSame(await ids({ eventId: other }), [whole?.id, parts[1]?.id]);
    t.strictSame(await ids({ eventId, order: "newest" }), expected.toReversed());
    t.strictSame(await ids({ eventId, state: "delivered" }), expected.slice(1));
    t.strictSame(await ids({ eventId, state: "pending" }), []);
    t.match(await list({ eventId }), [
      { state: "split", splitFrom: null },
      { splitFrom: whole?.id },
      { splitFrom: null },
    ]);
    const first = await listDeliveries(store, { organisationId, webhookId, eventId }, { limit: 2 });
    t.equal(first?.more, true);
    t.strictSame(await ids({ eventId }, 2, first?.next), expected.slice(2));
    t.strictSame(
      (
        await listDeliveries(store, { organisationId, webhookId, eventId }, { limit: 2, skip: 2 })
      )?.records.map(({ id }) => id),
      expected.slice(2),
    );
    t.strictSame(await ids({ eventId: uuidv7() }), [], "unknown");
    const stranger = await testOrganisation(store);
    const theirs = await testWebhook(store, stranger);
    const asked = { organisationId: stranger, webhookId: theirs, eventId };
    t.strictSame(await listDeliveries(store, asked, { limit: 10 }), { records: [], more: false });
  },
);

t.test("list - a test with its event, which is written after its attempt", async (t) => {
  const [[eventId]] = await deliver(1);
  const [found] = await ids({ eventId: eventId as string });
  await clock.pass(15_000);
  await store`update events set written_at = now() where id = ${eventId as string}`;
  t.strictSame(await ids({ eventId: eventId as string }), [found]);
});
