import t from "tap";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { createLog } from "#runtime";
import { type MovableClock, testOrganisation, waitFor } from "#test-support";
import {
  type ReplayedEvents,
  replayDeliveries,
} from "../../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { deleteWebhook, updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { startReplays, stepReplay } from "./replay-step.ts";
import {
  clockedStore,
  numbersOf,
  type TestDispatcher,
  testDispatch,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

const EVENTS = 2_500;
const PARKED = { kind: "parked" } as const;
const ALL: ReplayedEvents = { since: new Date("2026-01-01") };

let store: Store;
let clock: MovableClock;
let dispatcher: TestDispatcher;
let organisation: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});

t.beforeEach(async () => {
  await store`delete from webhooks`;
  ({ dispatcher, organisation } = await testDispatch(store, clock));
});

const replay = (webhookId: string, events: ReplayedEvents = ALL) =>
  replayDeliveries(store, { organisationId: organisation, webhookId, events });

/** The numbers of the sent events, until nothing is pending. */
async function deliver(webhookId: string, next?: typeof PARKED): Promise<number[]> {
  await dispatcher.announce();
  // Leases everything due: with fewer, others due at the same moment might be leased instead.
  await dispatcher.lease(1_000);
  const sent: number[] = [];
  for (;;) {
    const taken = await dispatcher.take(webhookId);
    if (taken.length === 0) break;
    await dispatcher.record(taken, next);
    sent.push(...numbersOf(taken).flat());
  }
  await dispatcher.release(webhookId);
  return sent;
}

/** Makes a step at the time when waiting replays are checked again. */
async function step(): Promise<boolean> {
  await clock.pass(10_000);
  return (await stepReplay(store)) !== undefined;
}

/** A webhook that has received many events. */
async function withHistory(count = EVENTS): Promise<string> {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, count);
  await deliver(webhook);
  return webhook;
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

async function replays(): Promise<number> {
  return (await store`select from webhook_replays`).length;
}

t.test("replay in steps - live events come between two steps, and each event once, in order", async (t) => {
  const webhook = await withHistory();
  t.equal(await replay(webhook), EVENTS);
  t.strictSame(await deliver(webhook), [], "it continues after the answer");
  t.ok(await step());
  t.notOk(await step(), "the step before is pending");
  await writeTestEvents(store, organisation, 1, { first: 9001 });
  t.strictSame(await deliver(webhook), [...from(1, 1000), 9001]);
  t.ok(await step());
  await writeTestEvents(store, organisation, 1, { first: 9002 });
  t.strictSame(await deliver(webhook), [...from(1001, 2000), 9002]);
  t.ok(await step());
  t.strictSame(await deliver(webhook), from(2001, 2500), "events after the request are not in it");
  t.notOk(await step());
  t.equal(await replays(), 0);
});

t.test("replay in steps - the next step waits for the events that were announced at the last", async (t) => {
  const webhook = await withHistory();
  await replay(webhook);
  await writeTestEvents(store, organisation, 1, { first: 9001 });
  await dispatcher.announce();
  t.ok(await step());
  await dispatcher.lease();
  for (const _ of [1, 2]) await dispatcher.record(await dispatcher.take(webhook));
  t.notOk(await step(), "all of the step is delivered, but not the event after it");
  t.strictSame(await deliver(webhook), [9001]);
  t.ok(await step());
});

t.test("replay in steps - a webhook that is paused has one step pending at most", async (t) => {
  const webhook = await withHistory();
  await replay(webhook);
  t.ok(await step());
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.notOk(await step());
  await updateWebhook(store, organisation, webhook, { state: "enabled" });
  t.strictSame(await deliver(webhook), from(1, 1000));
  t.ok(await step());
});

t.test("replay in steps - a repeated request continues it, and includes newer events", async (t) => {
  const webhook = await withHistory();
  await replay(webhook);
  await step();
  t.strictSame(await deliver(webhook), from(1, 1000));
  await writeTestEvents(store, organisation, 1, { first: 2501 });
  await deliver(webhook);
  t.equal(await replay(webhook), EVENTS + 1);
  t.equal(await replays(), 1);
  await step();
  t.strictSame(await deliver(webhook), from(1001, 2000));
  await step();
  t.strictSame(await deliver(webhook), from(2001, 2501));
  t.notOk(await step());
});

t.test(
  "replay in steps - a span in the midst of others, of some types, has its own events alone",
  async (t) => {
    const webhook = await testWebhook(store, organisation, ["cashback.created", "cashback.cleared"]);
    await writeTestEvents(store, organisation, 300, { at: "2026-05-01T09:00:00.000000Z" });
    for (const first of [301, 1301]) {
      await writeTestEvents(store, organisation, 800, { first });
      await writeTestEvents(store, organisation, 100, { type: "cashback.reverted" });
      await writeTestEvents(store, organisation, 200, { first: first + 800, type: "cashback.cleared" });
    }
    await writeTestEvents(store, organisation, 300, { first: 2301, at: "2026-05-01T11:00:00.000000Z" });
    await deliver(webhook);
    const span = { since: new Date("2026-05-01T10:00:00Z"), until: new Date("2026-05-01T11:00:00Z") };
    t.equal(await replay(webhook, span), 2000);
    const sent: number[] = [];
    while (await step()) sent.push(...(await deliver(webhook)));
    t.strictSame(sent, from(301, 2300));
  },
);

t.test("replay in steps - a look that finds nothing does not wait for live events", async (t) => {
  const webhook = await withHistory(1);
  // As many as three claims pass over.
  const at = "2026-05-01T09:00:00.000000Z";
  await writeTestEvents(store, organisation, LIMITS.replayRowsPerLook / 2 + 2, { first: 2, at });
  await writeTestEvents(store, organisation, 1_100, { first: 90_001 });
  await deliver(webhook);
  t.equal(await replay(webhook, { since: new Date("2026-05-01T10:00:00Z") }), 1_101);
  t.ok(await step());
  t.strictSame(await deliver(webhook), [1]);
  await writeTestEvents(store, organisation, 1, { first: 99_999 });
  await dispatcher.announce();
  t.ok(await step());
  t.ok(await step(), "nothing of it is pending");
  t.strictSame(await deliver(webhook), [...from(90_001, 91_000), 99_999]);
});

t.test("replay in steps - of failed deliveries: each failure once, and none that fails again", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, EVENTS);
  await deliver(webhook, PARKED);
  t.equal(await replay(webhook, "failed"), EVENTS);
  const sent: number[] = [];
  while (await step()) sent.push(...(await deliver(webhook, PARKED)));
  t.strictSame(sent, from(1, EVENTS));
  t.equal(await replays(), 0);
  t.equal(await replay(webhook, "failed"), EVENTS, "those that failed again");
});

t.test("replay in steps - a step that is made twice sends once", async (t) => {
  const webhook = await withHistory();
  await replay(webhook);
  await clock.pass(10_000);
  // As if a process were suspended in the middle of its step, and another one continued.
  let go = () => {};
  const going = new Promise<void>((resolve) => (go = resolve));
  let isWaiting = false;
  const slow = new Proxy(store, {
    get: (target, name) =>
      name === "begin"
        ? async (...args: Parameters<Store["begin"]>) => {
            isWaiting = true;
            await going;
            return target.begin(...args);
          }
        : Reflect.get(target, name),
  });
  const suspended = stepReplay(slow);
  await waitFor(() => isWaiting, { message: "it looks for ever" });
  await clock.pass(60_000);
  t.ok(await stepReplay(store));
  go();
  await suspended;
  t.strictSame(await deliver(webhook), from(1, 1000));
});

t.test("replay in steps - ends with its webhook", async (t) => {
  const webhook = await withHistory();
  await replay(webhook);
  await step();
  await deleteWebhook(store, organisation, webhook);
  t.equal(await replays(), 0);
  t.notOk(await step());
});

t.test("replay in steps - a webhook has ten at most, one after the other", async (t) => {
  const webhook = await withHistory();
  for (let day = 1; day <= 10; day++) {
    t.equal(await replay(webhook, { since: new Date(Date.UTC(2026, 0, day)) }), EVENTS);
  }
  await t.rejects(replay(webhook, { since: new Date(Date.UTC(2026, 1, 1)) }), {
    code: "conflict",
    data: { reason: "too_many_replays" },
  });
  t.equal(await replay(webhook, { since: new Date(Date.UTC(2026, 0, 1)) }), EVENTS);
  t.ok(await step());
  t.notOk(await step(), "the others wait for the first");
});

t.test(
  "replay in steps - an organisation with many replays has one step before another's first",
  async (t) => {
    const webhooks = await Promise.all(Array.from({ length: 12 }, () => testWebhook(store, organisation)));
    const other = await testOrganisation(store);
    const quiet = await testWebhook(store, other);
    await writeTestEvents(store, organisation, 1_100);
    await writeTestEvents(store, other, 1_100);
    for (const webhook of [...webhooks, quiet]) await deliver(webhook);
    for (const webhook of webhooks) t.equal(await replay(webhook), 1_100);
    await clock.pass(1);
    t.equal(
      await replayDeliveries(store, { organisationId: other, webhookId: quiet, events: ALL }),
      1_100,
      "asked for last",
    );
    await clock.pass(1);
    const log = createLog({ service: "test", level: "silent" });
    const replays = startReplays(store, log);
    t.teardown(() => replays.stop());
    const stepped = async () =>
      await store<{ webhook: string }[]>`
      select webhook_id as webhook from webhook_deliveries d join webhook_queues using (webhook_id) where state = 'pending'
      group by webhook_id order by min(d.xmin::text::bigint)`;
    await waitFor(async () => (await stepped()).length === 13, { message: "they make no steps" });
    t.equal((await stepped())[1]?.webhook, quiet);
  },
);

t.test("replay in steps - a locked queue delays no other replay, and its own is not lost", async (t) => {
  const webhook = await withHistory(1_100);
  await replay(webhook);
  const other = await testOrganisation(store);
  const quiet = await testWebhook(store, other);
  await writeTestEvents(store, other, 1_100, { first: 5_001 });
  await deliver(quiet);
  await replayDeliveries(store, { organisationId: other, webhookId: quiet, events: ALL });
  await store.begin(async (sql) => {
    await sql`select from webhook_queues where webhook_id = ${webhook} for update`;
    await clock.pass(10_000);
    t.equal(await stepReplay(store), organisation);
    // Otherwise both would come again at the same moment, in any order.
    await clock.pass(1);
    t.equal(await stepReplay(store), other);
    t.equal(await stepReplay(store), undefined, "it is put off");
  });
  t.strictSame(await deliver(quiet), from(5_001, 6_000));
  t.strictSame(await deliver(webhook), []);
  await clock.pass(250);
  t.equal(await stepReplay(store), organisation);
  t.strictSame(await deliver(webhook), from(1, 1_000));
});

t.test("regression - many replays that wait for their webhooks held up those of others", async (t) => {
  const webhooks = await Promise.all(Array.from({ length: 110 }, () => testWebhook(store, organisation)));
  await writeTestEvents(store, organisation, 1);
  await dispatcher.announce();
  for (const webhook of webhooks) {
    await store`
      insert into webhook_replays (due_at, webhook_id, since, upto_sequence, upto_place, place)
      select now(), webhook_id, '2026-01-01', cursor, last_place, last_place + 1 from webhook_queues where webhook_id = ${webhook}`;
  }
  const other = await testOrganisation(store);
  const quiet = await testWebhook(store, other);
  await writeTestEvents(store, other, 1_100);
  await deliver(quiet);
  await clock.pass(1);
  await replayDeliveries(store, { organisationId: other, webhookId: quiet, events: ALL });
  await clock.pass(1);
  const passed = new Set<string>();
  t.equal(await stepReplay(store, passed), other);
  t.strictSame([...passed], [organisation, other]);
  const [{ due }] = await store<[{ due: number }]>`
    select count(*) as due from webhook_replays where due_at <= now()`;
  t.equal(due, 61, "of the others no more were looked at than were in the way");
});

t.test("replay - deliveries that are pending are bounded, however often it is asked for", async (t) => {
  const webhook = await withHistory(1_000);
  const most = LIMITS.deliveriesPending;
  const pending = async () =>
    (await store`select from webhook_deliveries where webhook_id = ${webhook} and state = 'pending'`).length;
  let replayed = 0;
  for (; (await pending()) < most; replayed += 1_000) t.equal(await replay(webhook), 1_000);
  t.equal(replayed, most * 100);
  t.equal(await replay(webhook), 1_000, "written down");
  t.equal(await replays(), 1);
  const [{ id }] = await store<[{ id: string }]>`
    select id from events where organisation_id = ${organisation} limit 1`;
  await t.rejects(replay(webhook, { ids: [id] }), {
    code: "conflict",
    message: /^1000 deliveries of this webhook are pending/,
    data: { reason: "too_many_replays" },
  });
  t.notOk(await step(), "a step waits too");
  t.equal(await pending(), most);
  let sent = (await deliver(webhook)).length;
  t.ok(await step());
  sent += (await deliver(webhook)).length;
  t.equal(sent, replayed + 1_000, "and comes");
  t.equal(await replay(webhook, { ids: [id] }), 1);
});
