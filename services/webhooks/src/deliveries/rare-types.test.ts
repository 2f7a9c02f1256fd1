import t from "tap";
import { EVENT_TYPES, LIMITS } from "#contract";
import type { Store, Transaction } from "#postgres";
import { testOrganisation, waitForLocks } from "#test-support";
import { changeWebhook, updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { measureBacklog } from "../backlog.ts";
import type { LeasedWebhook } from "./leased-webhook.ts";
import { clockedStore, numbersOf, TestDispatcher, testWebhook, writeTestEvents } from "./test-deliveries.ts";

/*
 * The cost of a webhook is bounded by the events that it gets, however many events of other types there are.
 * Rows are counted by the server, so the result does not depend on the speed of the machine.
 */

const RARE = 1_000;
const FREQUENT = 200_000;
const STEPS = 20;
/** Events of each type in a round. */
const PER_TYPE = 20;
/** Rows that are read once for each statement and not for each webhook or event. */
const SOME = 50;

type Table = "events" | "webhooks" | "webhook_queues" | "webhook_subscriptions";

/**
 * Index entries and rows of each table that statements have read since the last call. The store must have one
 * connection: only the asking session reports its reads to the server immediately.
 */
function readCounter(store: Store): () => Promise<Record<Table, number>> {
  let before = new Map<string, number>();
  return async () => {
    await store`select pg_stat_force_next_flush()`;
    const rows = await store<{ name: string; reads: number }[]>`
      select t.relname as name, (t.seq_tup_read + sum(i.idx_tup_read))::bigint as reads
      from pg_stat_user_tables t join pg_stat_user_indexes i using (relid)
      group by t.relname, t.seq_tup_read`;
    const now = new Map(rows.map(({ name, reads }) => [name, reads]));
    const since = (table: Table) => (now.get(table) as number) - (before.get(table) ?? 0);
    const reads = {
      events: since("events"),
      webhooks: since("webhooks"),
      webhook_queues: since("webhook_queues"),
      webhook_subscriptions: since("webhook_subscriptions"),
    };
    before = now;
    return reads;
  };
}

/** Frequent events from `writeTestEvents`, of one type and then of the other. */
async function writeFrequent(store: Store, organisation: string, count: number): Promise<void> {
  await store`
    insert into events (id, organisation_id, type, at, body)
    select gen_random_uuid(), ${organisation}, case n % 2 when 0 then 'cashback.created' else 'cashback.cleared' end,
           now(), '"frequent ' || n || '"'
    from generate_series(1, ${count}::int) as n`;
}

t.test("rare types - a thousand webhooks among 200,000 events read no more than they get", async (t) => {
  const { store, clock } = await clockedStore(1);
  const organisation = await testOrganisation(store);
  const everything = ["cashback.created", "cashback.cleared", "transaction.rejected"];
  const busy = await testWebhook(store, organisation, everything);
  const rare: string[] = [];
  for (let n = 0; n < RARE; n++) {
    rare.push(await testWebhook(store, organisation, ["cashback.reverted", "transaction.rejected"]));
  }
  // Like autovacuum, sooner or later: the statistics must not lead the planner to full scans.
  await store.script("analyze webhooks; analyze webhook_queues; analyze webhook_subscriptions");
  const dispatcher = new TestDispatcher(store, clock);
  const type = "transaction.rejected";
  const reads = readCounter(store);
  // Waits for each of them, so that their cursors are before all later events.
  await writeTestEvents(store, organisation, 1, { first: 1, type });
  await dispatcher.announce();
  await reads();
  for (let step = 0; step < STEPS; step++) {
    await writeFrequent(store, organisation, FREQUENT / STEPS);
    await reads();
    t.equal(await dispatcher.announce(), FREQUENT / STEPS);
    const announcing = await reads();
    t.ok(announcing.events <= FREQUENT / STEPS + SOME, `each event is looked at once: ${announcing.events}`);
    const told = announcing.webhooks + announcing.webhook_queues + announcing.webhook_subscriptions;
    t.ok(told <= SOME, `webhooks that want none are not looked at: ${told} rows`);
  }
  await writeTestEvents(store, organisation, 1, { first: 2, type });
  await dispatcher.announce();

  // Like autovacuum, for events, too: the statistics then show that the type is rare.
  await store.script("analyze events");
  await reads();
  t.equal((await measureBacklog(store)).waiting, RARE + 1);
  const { events: measured } = await reads();
  t.ok(measured <= RARE + SOME, `for the metrics, an event of each that waits: ${measured}`);

  t.equal((await dispatcher.lease(RARE + 1)).length, RARE + 1);
  await reads();
  for (let from = 0; from < RARE; from += 250) {
    const taken = await dispatcher.take(rare.slice(from, from + 250));
    t.equal(taken.length, 250);
    t.ok(numbersOf(taken).every((numbers) => numbers.join() === "1,2"));
    await dispatcher.record(taken);
  }
  await dispatcher.release(...rare);
  const { events: got } = await reads();
  t.ok(got <= 2 * RARE + SOME, `two events of each: ${got}`);

  const taken = await dispatcher.take(busy, 8);
  const { events: ofBusy } = await reads();
  const wanted = 8 * LIMITS.eventsPerDelivery;
  t.equal(taken.length, 8);
  // Found once for each of its types, and then loaded.
  t.ok(ofBusy <= (everything.length + 1) * wanted + SOME, `not its whole backlog: ${ofBusy}`);
});

t.test(
  "rare types - the age of waiting events does not count events that the webhook does not want",
  async (t) => {
    const { store, clock } = await clockedStore();
    const organisation = await testOrganisation(store);
    await testWebhook(store, organisation, ["transaction.rejected", "cashback.cleared"]);
    const dispatcher = new TestDispatcher(store, clock);
    const at = (secondsAgo: number) => ({
      at: new Date(clock.now.getTime() - 1000 * secondsAgo).toISOString(),
    });
    await writeTestEvents(store, organisation, 1, { type: "cashback.created", ...at(3600) });
    await dispatcher.announce();
    t.match(await measureBacklog(store), { waiting: 0, oldestSeconds: 0 });
    await writeTestEvents(store, organisation, 1, { type: "cashback.created", ...at(600) });
    await writeTestEvents(store, organisation, 1, { type: "transaction.rejected", ...at(60) });
    await writeTestEvents(store, organisation, 1, { type: "cashback.cleared", ...at(30) });
    await dispatcher.announce();
    t.match(await measureBacklog(store), { waiting: 1, oldestSeconds: 60 });
  },
);

t.test("rare types - several types of a webhook come in the order of their numbers", async (t) => {
  const { store, clock } = await clockedStore();
  const organisation = await testOrganisation(store);
  const types = ["cashback.created", "cashback.cleared", "transaction.rejected"];
  const webhook = await testWebhook(store, organisation, types);
  for (let n = 1; n <= 240; n++) {
    await writeTestEvents(store, organisation, 1, { first: n, type: types[n % types.length] ?? "" });
    if (n % 7 === 0) await writeTestEvents(store, organisation, 1, { type: "cashback.reverted" });
  }
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  await dispatcher.lease();
  const numbers: number[] = [];
  for (;;) {
    const taken = await dispatcher.take(webhook, 1);
    if (taken.length === 0) break;
    numbers.push(...numbersOf(taken).flat());
    await dispatcher.record(taken);
  }
  t.strictSame(
    numbers,
    Array.from({ length: 240 }, (_, n) => n + 1),
  );
});

/*
 * The server keeps a plan until it has new statistics, and a young table has none: the plan is made for a few
 * events and used for all later ones. With the index on an organisation's times it once read all of them for
 * each type of each delivery.
 */
for (const analysed of [undefined, 5] as const) {
  const known = analysed === undefined ? "nothing is known" : "little was known";
  t.test(`many types - a webhook reads only its events, from a table of which ${known}`, async (t) => {
    const { store, clock } = await clockedStore(1);
    const organisation = await testOrganisation(store);
    await testWebhook(store, organisation, EVENT_TYPES);
    const dispatcher = new TestDispatcher(store, clock);
    const reads = readCounter(store);
    let worst = 0;
    for (let round = 0; round < 60; round++) {
      for (const type of EVENT_TYPES) await writeTestEvents(store, organisation, PER_TYPE, { type });
      if (round === analysed) await store.script("analyze events");
      await reads();
      const { leased } = await dispatcher.announceAndLease();
      const { events } = await reads();
      worst = Math.max(worst, events);
      t.equal(leased.length, 1);
      const deliveries = (leased[0] as LeasedWebhook).first;
      t.equal(numbersOf(deliveries).flat().length, EVENT_TYPES.length * PER_TYPE);
      await dispatcher.finish(deliveries);
    }
    // Read when the horizon passes them, and found by their type.
    const wanted = EVENT_TYPES.length * PER_TYPE;
    t.ok(worst <= 4 * wanted + SOME, `${worst} reads for ${wanted} events`);
  });
}

t.test("subscriptions - follow the webhook, also where two changes meet", async (t) => {
  const { store } = await clockedStore();
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation, ["cashback.created", "cashback.cleared"]);
  const types = async () => {
    const rows = await store<{ type: string }[]>`
      select type from webhook_subscriptions
      where webhook_id = ${webhook} and organisation_id = ${organisation} order by type`;
    return rows.map(({ type }) => type);
  };
  const subscribe = (sql: Transaction, events: readonly string[]) =>
    changeWebhook(sql, organisation, webhook, { events });
  t.strictSame(await types(), ["cashback.cleared", "cashback.created"]);
  let second: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    await subscribe(sql, ["cashback.created", "transaction.rejected"]);
    // Begins before the first one ends, and must see its result.
    second = store.begin((other) => subscribe(other, ["cashback.cleared", "cashback.created"]));
    await waitForLocks(store);
  });
  await second;
  t.strictSame(await types(), ["cashback.cleared", "cashback.created"]);
  await updateWebhook(store, organisation, webhook, { description: "nightly" });
  t.strictSame(await types(), ["cashback.cleared", "cashback.created"]);
  await store`delete from webhooks where id = ${webhook}`;
  t.strictSame(await types(), []);
});

t.test("subscriptions - a type counts from the commit of the change on, in order", async (t) => {
  const { store, clock } = await clockedStore();
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation, ["cashback.created"]);
  const dispatcher = new TestDispatcher(store, clock);
  const type = "transaction.rejected";
  await store.begin(async (sql) => {
    await changeWebhook(sql, organisation, webhook, { events: ["cashback.created", type] });
    await writeTestEvents(store, organisation, 1, { first: 1, type });
    t.equal(await dispatcher.announce(), 1, "the horizon does not wait for the change");
    t.strictSame(await dispatcher.leaseIds(), []);
  });
  await writeTestEvents(store, organisation, 1, { first: 2 });
  await writeTestEvents(store, organisation, 1, { first: 3, type });
  await dispatcher.announce();
  t.strictSame(await dispatcher.leaseIds(), [webhook]);
  t.strictSame(numbersOf(await dispatcher.take(webhook)), [[2, 3]]);
});

t.test(
  "subscriptions - a type that was dropped while its events waited is not sent, and holds up nothing",
  async (t) => {
    const { store, clock } = await clockedStore();
    const organisation = await testOrganisation(store);
    const webhook = await testWebhook(store, organisation, ["transaction.rejected"]);
    const dispatcher = new TestDispatcher(store, clock);
    await writeTestEvents(store, organisation, 3, { type: "transaction.rejected" });
    await dispatcher.announce();
    await updateWebhook(store, organisation, webhook, { events: ["cashback.created"] });
    t.strictSame(await dispatcher.leaseIds(), [webhook]);
    t.strictSame(await dispatcher.take(webhook), []);
    await dispatcher.release(webhook);
    t.strictSame(await dispatcher.leaseIds(), [], "it sleeps until there is something for it");
    await writeTestEvents(store, organisation, 1, { first: 4 });
    await dispatcher.announce();
    await dispatcher.lease();
    t.strictSame(numbersOf(await dispatcher.take(webhook)), [[4]]);
  },
);
