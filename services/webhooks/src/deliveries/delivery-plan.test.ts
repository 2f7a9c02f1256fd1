import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Sql, Store, Transaction } from "#postgres";
import { explainingStore, testOrganisation, testStore } from "#test-support";
import { listDeliveries } from "../../../edge/src/webhook-deliveries/delivery-rows.ts";
import { replayDeliveries } from "../../../edge/src/webhook-deliveries/replay-deliveries.ts";
import { retryDeliveries } from "../../../edge/src/webhook-deliveries/retry-deliveries.ts";
import { updateWebhook } from "../../../edge/src/webhooks/webhook-rows.ts";
import { measureBacklog } from "../backlog.ts";
import { sweepDeliveries, sweepEvents } from "../sweep.ts";
import { recordAttempts } from "./record-attempts.ts";
import { stepReplay } from "./replay-step.ts";
import { TestDispatcher, testWebhook, writeTestEvents } from "./test-deliveries.ts";

const ORGANISATIONS = 200;
/** Events of each organisation, all in stored deliveries. */
const EVENTS = 300;

let store: Store;
// The database's own clock: the planner's estimates use `now()`, which must be true.
const clock = {
  get now() {
    return new Date();
  },
};

t.before(async () => {
  store = await testStore();
  const webhooks: string[] = [];
  for (let n = 0; n < ORGANISATIONS; n++) {
    const organisation = await testOrganisation(store);
    webhooks.push(await testWebhook(store, organisation));
    await writeTestEvents(store, organisation, EVENTS);
  }
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  await dispatcher.lease(ORGANISATIONS);
  const taken = await dispatcher.take(webhooks);
  await dispatcher.record(taken.filter((_, n) => n % 3 < 2));
  await dispatcher.record(
    taken.filter((_, n) => n % 3 === 2),
    { kind: "parked" },
  );
  await dispatcher.release(...webhooks);
  await store`
    with other as (
      insert into webhooks (id, organisation_id, url, description, events)
      select gen_random_uuid(), organisation_id, url, description, events
      from webhooks cross join generate_series(1, 20)
      returning id, organisation_id
    )
    insert into webhook_queues (webhook_id, organisation_id, cursor, announced, enabled)
    select id, organisation_id, 0, 0, true from other`;
  await store.script("vacuum analyze");
});

t.test("plan - a dispatcher's statements read only the rows that they need", async (t) => {
  const organisation = await testOrganisation(store);
  const webhooks = [await testWebhook(store, organisation), await testWebhook(store, organisation)];
  await writeTestEvents(store, organisation, 250);
  const plans: string[] = [];
  const dispatcher = new TestDispatcher(explainingStore(store, plans), clock);
  await dispatcher.announce();
  t.strictSame((await dispatcher.leaseIds()).sort(), [...webhooks].sort());
  await dispatcher.renew(...webhooks);
  const taken = await dispatcher.take(webhooks);
  t.equal(taken.length, 6);
  await dispatcher.record(taken.slice(0, 2));
  await dispatcher.record(taken.slice(2, 3), { kind: "split" });
  await dispatcher.take(webhooks);
  await dispatcher.release(...webhooks);
  t.ok(plans.length >= 9);
  for (const plan of plans)
    t.notMatch(
      plan,
      /Seq Scan on (webhook_queues|webhook_subscriptions|webhook_deliveries|events|webhooks)/,
      plan,
    );
});

t.test("plan - the metrics read waiting and failed deliveries, not all of them", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 250);
  const dispatcher = new TestDispatcher(store, clock);
  const { waiting } = await measureBacklog(store);
  await dispatcher.announce();
  const plans: string[] = [];
  const explained = explainingStore(store, plans);
  t.match(await measureBacklog(explained), {
    waiting: waiting + 1,
    oldestSeconds: Number,
  });
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook));
  await dispatcher.release(webhook);
  t.match(await measureBacklog(explained), { waiting });
  t.equal(plans.length, 2);
  for (const plan of plans) t.notMatch(plan, /Seq Scan on (webhook_queues|webhook_deliveries|events)/, plan);
});

t.test("plan - lists, replays and sweeps read only the rows that they need", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 250);
  const plans: string[] = [];
  const explained = explainingStore(store, plans);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook));
  for (const state of [undefined, "pending", "delivered", "failed"] as const) {
    await listDeliveries(
      explained,
      { organisationId: organisation, webhookId: webhook, state },
      { limit: 2 },
    );
  }
  for (const events of [
    { ids: [uuidv7()] },
    { since: new Date("2026-01-01"), until: new Date("2026-07-01") },
    "failed",
  ] as const) {
    const request = { organisationId: organisation, webhookId: webhook, events };
    t.equal(
      await replayDeliveries(explained, request),
      typeof events === "object" && "since" in events ? 250 : 0,
    );
  }
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook));
  await dispatcher.release(webhook);
  for (const since of [new Date("2026-01-01"), null]) {
    await store`
      insert into webhook_replays (due_at, webhook_id, since, upto_sequence, upto_place)
      select now(), webhook_id, ${since}, cursor, last_place from webhook_queues where webhook_id = ${webhook}`;
    t.ok(await stepReplay(explained));
    await store`delete from webhook_replays`;
    await dispatcher.lease();
    await dispatcher.record(await dispatcher.take(webhook));
    await dispatcher.release(webhook);
  }
  await sweepDeliveries(explained, 0);
  await sweepEvents(explained, 0);
  for (const plan of plans) t.notMatch(plan, /Seq Scan on (webhook_deliveries|events|webhooks)/, plan);
});

t.test("plan - a delivery that arrives is one row, and changes no other but that of its queue", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 500);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  await dispatcher.lease();
  const attempts = (await dispatcher.take(webhook)).map((delivery) =>
    dispatcher.attempt(delivery, { kind: "delivered" }),
  );
  const settled = await store.begin(async (sql) => {
    const before = await updates(sql);
    await recordAttempts(sql, { owner: dispatcher.owner, attempts, finished: [] });
    const after = await updates(sql);
    return after.map(({ updated, hot }, n) => [
      updated - (before[n]?.updated ?? 0),
      hot - (before[n]?.hot ?? 0),
    ]);
  });
  t.strictSame(settled, [
    [0, 0],
    [1, 1],
    [0, 0],
  ]);
});

t.test("plan - a retry and a start look at the first pending delivery, however many there are", async (t) => {
  const organisation = await testOrganisation(store);
  const webhook = await testWebhook(store, organisation);
  await writeTestEvents(store, organisation, 1);
  const dispatcher = new TestDispatcher(store, clock);
  await dispatcher.announce();
  await dispatcher.lease();
  await dispatcher.record(await dispatcher.take(webhook), {
    kind: "retry",
    afterMs: 3_600_000,
    refused: false,
  });
  await dispatcher.release(webhook);
  await store`
    insert into webhook_deliveries (id, webhook_id, organisation_id, created_at, place, event_sequences)
    select gen_random_uuid(), ${webhook}, ${organisation}, now(), 1 + n, '{1}' from generate_series(1, 20_000) n`;
  await store`update webhook_queues set last_place = 20_001 where webhook_id = ${webhook}`;
  /** The number of deliveries it reads. */
  const looked = async (work: (within: Store) => Promise<unknown>) => {
    let rows = Number.POSITIVE_INFINITY;
    const begin = (own: (sql: Transaction) => Promise<unknown>) =>
      store.begin(async (sql) => {
        const before = await readSoFar(sql);
        await own(sql);
        rows = (await readSoFar(sql)) - before;
      });
    await work(Object.assign(Object.create(store), { begin }) as Store);
    return rows;
  };
  await updateWebhook(store, organisation, webhook, { state: "paused" });
  t.ok((await looked((within) => updateWebhook(within, organisation, webhook, { state: "enabled" }))) <= 10);
  await store`
    update webhook_deliveries set failures = 3, next_attempt_at = now() + interval '1 hour'
    where webhook_id = ${webhook} and place = 1`;
  t.ok((await looked((within) => retryDeliveries(within, organisation, webhook))) <= 10);
  t.match(await dispatcher.lease(), [{ id: webhook }]);
  t.match((await dispatcher.take(webhook))[0], { failures: 0 });
});

/**
 * The number of deliveries that this session has read: by full scans, which count for the table, or by an
 * index.
 */
async function readSoFar(sql: Sql): Promise<number> {
  const [{ read }] = await sql<[{ read: number }]>`
    select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::bigint as read
    from pg_class where relname ~ '^webhook_deliveries_?'`;
  return read;
}

/** The statistics of the deliveries, the queues and the webhooks, of this session. */
async function updates(sql: Sql) {
  return sql<{ updated: number; hot: number }[]>`
    select pg_stat_get_xact_tuples_updated(oid) as updated, pg_stat_get_xact_tuples_hot_updated(oid) as hot
    from pg_class
    where relname in ('webhook_deliveries', 'webhook_queues', 'webhooks')
    order by relname`;
}
