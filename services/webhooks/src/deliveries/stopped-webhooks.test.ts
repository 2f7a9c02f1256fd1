import { randomUUID } from "node:crypto";
import t from "tap";
import type { Store } from "#postgres";
import { type MovableClock, testOrganisation, waitForLocks } from "#test-support";
import { updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { advanceHorizon } from "./advance-horizon.ts";
import { tellStarted } from "./late-announcements.ts";
import {
  advance,
  clockedStore,
  numbersOf,
  TestDispatcher,
  testWebhook,
  writeTestEvents,
} from "./test-deliveries.ts";

/*
 * Paused and disabled webhooks cost nothing in the statement that moves the common horizon, and miss no event
 * (issue 34, line 7).
 */

let store: Store;
let clock: MovableClock;
let organisation: string;

t.before(async () => {
  ({ store, clock } = await clockedStore());
});
t.beforeEach(async () => {
  await store`update webhook_queues set due_at = null`;
  organisation = await testOrganisation(store);
});

const change = (id: string, state: "enabled" | "paused") => updateWebhook(store, organisation, id, { state });

/** The versions of stored rows: any write makes a new one. */
async function versionsOf(ids: readonly string[]) {
  const rows = await store<{ version: string }[]>`
    select ctid || ' ' || xmin as version from webhook_queues where webhook_id = any(${ids}::uuid[]) order by webhook_id`;
  return rows.map(({ version }) => version);
}

/** The numbers of all events that it receives now. */
async function receive(webhook: string): Promise<number[]> {
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  const leased = await dispatcher.leaseIds();
  await dispatcher.release(...leased.filter((id) => id !== webhook));
  if (!leased.includes(webhook)) return [];
  const got: number[] = [];
  for (let taken = await dispatcher.take(webhook); taken.length > 0; taken = await dispatcher.take(webhook)) {
    got.push(...numbersOf(taken).flat());
    await dispatcher.record(taken);
  }
  await dispatcher.release(webhook);
  return got;
}

t.test("stopped - no event writes to a queue of theirs; started, each gets all of it in order", async (t) => {
  const stopped = await Promise.all(Array.from({ length: 20 }, () => testWebhook(store, organisation)));
  for (const [n, id] of stopped.entries()) {
    if (n % 2 === 0) await change(id, "paused");
    else await store`update webhooks set state = 'disabled' where id = ${id}`;
  }
  const running = await testWebhook(store, organisation);
  const before = await versionsOf(stopped);
  for (let n = 1; n <= 3; n++) {
    await writeTestEvents(store, organisation, 1, { first: n });
    t.strictSame(await receive(running), [n]);
  }
  t.strictSame(await versionsOf(stopped), before);
  for (const id of stopped.slice(0, 3)) {
    await change(id, "enabled");
    t.strictSame(await receive(id), [1, 2, 3]);
    await writeTestEvents(store, organisation, 1, { first: 4, type: "cashback.cleared" });
    t.strictSame(await receive(id), [], "it wants no other type");
  }
});

t.test("stopped - in every state, and whenever it is stopped and started, nothing is missed", async (t) => {
  const webhook = await testWebhook(store, organisation);
  const other = await testWebhook(store, organisation);
  let n = 0;
  const got: number[] = [];
  const write = async (count: number) => {
    await writeTestEvents(store, organisation, count, { first: n + 1 });
    n += count;
    await advance(store);
  };
  for (let round = 0; round < 4; round++) {
    await write(2);
    if (round % 2 === 0) got.push(...(await receive(webhook)));
    await change(webhook, "paused");
    if (round === 3) await change(webhook, "paused");
    await write(1);
    await change(webhook, "enabled");
    if (round === 1) {
      await change(webhook, "paused");
      await write(3);
      await change(webhook, "enabled");
    }
    await write(1);
    if (round > 1) got.push(...(await receive(webhook)));
  }
  got.push(...(await receive(webhook)));
  t.strictSame(
    got,
    Array.from({ length: n }, (_, i) => i + 1),
  );
  t.strictSame(await receive(other), got);
});

t.test("stopped - a webhook that is started during a step gets that step's events", async (t) => {
  const [webhook, locked] = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
  await change(webhook, "paused");
  await writeTestEvents(store, organisation, 1, { first: 1 });
  let step: Promise<number> | undefined;
  let told: Promise<boolean> | undefined;
  await store.begin(async (sql) => {
    // The step holds the horizon and waits for this queue.
    await sql`select from webhook_queues where webhook_id = ${locked} for update`;
    step = advance(store);
    await waitForLocks(store);
    await change(webhook, "enabled");
    told = tellStarted(store);
  });
  await Promise.all([step, told]);
  t.strictSame(await receive(webhook), [1]);
});

t.test("stopped - changed by hand, it is stopped and started all the same", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await store`update webhooks set state = 'paused' where id = ${webhook}`;
  await writeTestEvents(store, organisation, 2, { first: 1 });
  t.strictSame(await receive(webhook), []);
  await store`update webhooks set state = 'enabled' where id = ${webhook}`;
  t.strictSame(await receive(webhook), [1, 2]);
});

t.test("stopped - before migration 0011, with nothing left to look for: it misses nothing", async (t) => {
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 1, { first: 1 });
  t.strictSame(await receive(webhook), [1]);
  await change(webhook, "paused");
  // The state in which a process of before left it.
  await store`update webhook_queues set announced = cursor where webhook_id = ${webhook}`;
  await writeTestEvents(store, organisation, 2, { first: 2 });
  await advance(store);
  await change(webhook, "enabled");
  t.strictSame(await receive(webhook), [2, 3]);
});

t.test(
  "regression - stopped again before the announcement, it lost the events of the first stop",
  async (t) => {
    const webhook = await testWebhook(store, organisation);
    await change(webhook, "paused");
    await writeTestEvents(store, organisation, 3, { first: 1 });
    await advance(store);
    await change(webhook, "enabled");
    // The state after a replay whose delivery is recorded before the announcement: nothing seems to be left.
    await store`update webhook_queues set cursor = announced where webhook_id = ${webhook}`;
    const [{ cursor }] = await store<
      [{ cursor: number }]
    >`select cursor from webhook_queues where webhook_id = ${webhook}`;
    await change(webhook, "paused");
    const [after] = await store<[{ cursor: number; isBehind: boolean }]>`
    select cursor, cursor < announced as "isBehind" from webhook_queues where webhook_id = ${webhook}`;
    t.strictSame(after, { cursor, isBehind: true });
  },
);

t.test(
  "regression - a webhook that was started while a writer hung got its events only when the writer ended",
  async (t) => {
    const webhook = await testWebhook(store, organisation);
    await change(webhook, "paused");
    await writeTestEvents(store, organisation, 1, { first: 1 });
    await advance(store);
    const request = { owner: randomUUID(), leaseMs: 10_000, limit: 0, perWebhook: 0 };
    await store.begin(async (slow) => {
      await writeTestEvents(slow, organisation, 1, { first: 2 });
      await writeTestEvents(store, organisation, 1, { first: 3 });
      const held = await advanceHorizon(store, request);
      t.match(held, { isHeldUp: true });
      await change(webhook, "enabled");
      t.match(await advanceHorizon(store, request, held), { isHeldUp: true });
      const [row] =
        await store`select due_at is not null as told from webhook_queues where webhook_id = ${webhook}`;
      t.strictSame(row, { told: true });
    });
  },
);
