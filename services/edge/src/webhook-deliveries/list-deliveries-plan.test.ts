import t from "tap";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { firstIdAt } from "#publisher-db";
import { explaining, testOrganisation, testStore } from "#test-support";
import { testWebhook } from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { getDelivery, listDeliveries } from "./delivery-rows.ts";

/** Deliveries of one webhook, a second apart, each with one event. Another webhook has as many. */
const DELIVERIES = 100_000;

let store: Store;
let organisationId: string;
let webhookId: string;
/** Ids of the first event, of one in the middle, and of the last. */
let first: string;
let middle: string;
let last: string;

t.before(async () => {
  store = await testStore();
  organisationId = await testOrganisation(store);
  webhookId = await testWebhook(store, organisationId);
  const webhooks = [webhookId, await testWebhook(store, organisationId)];
  await store`
    insert into events (at, written_at, id, organisation_id, type, body)
    select at, at, gen_random_uuid(), ${organisationId}, 'cashback.created', '{}'
    from (
      select now() - (${DELIVERIES} - n) * interval '1 second' as at from generate_series(1, ${DELIVERIES}::int) as n
    ) made
    order by at`;
  await store`
    insert into webhook_deliveries
      (created_at, id, webhook_id, organisation_id, attempts, last_attempt_at, status, duration_ms, state, event_sequences)
    select e.at, ${firstIdAt(store, store`e.at`)}::uuid, w, ${organisationId}, 1, e.at, 200, 5, 'delivered', array[e.sequence]
    from events e cross join unnest(${webhooks.slice(0, 1)}::uuid[]) as w
    order by e.sequence`;
  await store`
    insert into webhook_deliveries
      (created_at, id, webhook_id, organisation_id, attempts, last_attempt_at, status, duration_ms, state, event_sequences)
    select e.at, gen_random_uuid(), w, ${organisationId}, 1, e.at, 200, 5, 'delivered', array[e.sequence]
    from events e cross join unnest(${webhooks.slice(1)}::uuid[]) as w
    order by e.sequence`;
  await store`
    insert into webhook_attempts (at, delivery_id, number, duration_ms, status)
    select created_at, id, n, 5, 500 from webhook_deliveries cross join generate_series(1, 2) as n where place is null`;
  await store.script("vacuum analyze");
  const rows = await store<{ id: string }[]>`
    select id from events where sequence = any(array[1, ${DELIVERIES / 2}, ${DELIVERIES}]::bigint[]) order by sequence`;
  [first, middle, last] = rows.map(({ id }) => id) as [string, string, string];
});

const BIG = /Seq Scan on (webhook_deliveries|webhook_attempts|events)/;

async function plansOf(filters: object, after?: string): Promise<string[]> {
  const plans: string[] = [];
  const listing = { organisationId, webhookId, ...filters };
  await listDeliveries(explaining(store, plans, "counted"), listing, { limit: 100, after });
  return plans;
}

/** The number of delivery rows read by the list's index. */
function readOf(plans: readonly string[]): number {
  const scans = plans.flatMap((plan) => [
    ...plan.matchAll(/Scan (?:Backward )?using webhook_deliveries_webhook_idx [^\n]*actual rows=([\d.]+)/g),
  ]);
  return scans.reduce((sum, [, rows]) => sum + Number(rows), 0);
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

t.test("plan - a page is read from the index, in either order, from where it begins", async (t) => {
  const lists = {
    oldest: {},
    newest: { order: "newest" },
    since: { made: { since: ago(50_000), until: undefined } },
    "newest before": { order: "newest", made: { since: undefined, until: ago(50_000) } },
    span: { order: "newest", made: { since: ago(60_000), until: ago(50_000) } },
  };
  for (const [name, filters] of Object.entries(lists)) {
    const plans = await plansOf(filters);
    for (const plan of plans) t.notMatch(plan, BIG, name);
    const read = readOf(plans);
    t.ok(read > 100 && read <= 102, `${name}: ${read} rows`);
  }
});

t.test(
  "plan - deliveries with an event are looked for from its time on, in a bounded number of rows",
  async (t) => {
    for (const [name, filters, least, most] of [
      ["of the last event", { eventId: last }, 1, 100],
      ["in the middle", { eventId: middle }, LIMITS.rowsPerScan, LIMITS.rowsPerScan + 1],
      ["of the first", { eventId: first }, LIMITS.rowsPerScan, LIMITS.rowsPerScan + 1],
      [
        "of the first, newest first",
        { eventId: first, order: "newest" },
        LIMITS.rowsPerScan,
        LIMITS.rowsPerScan + 1,
      ],
    ] as const) {
      const plans = await plansOf(filters);
      for (const plan of plans) t.notMatch(plan, BIG, name);
      const read = readOf(plans);
      t.ok(read >= least && read <= most, `${name}: ${read} rows`);
    }
  },
);

t.test("list - the walk for an event ends after all that there are, and has found it", async (t) => {
  for (const [order, pages] of [
    ["oldest", 6],
    ["newest", 6],
  ] as const) {
    const found: string[] = [];
    let asked = 0;
    for (let after: string | undefined, more = true; more; asked++) {
      const listing = { organisationId, webhookId, eventId: middle, order };
      const page = await listDeliveries(store, listing, { limit: 100, after });
      found.push(...(page?.records ?? []).flatMap(({ eventIds }) => eventIds));
      after = page?.next;
      more = page?.more ?? false;
    }
    t.strictSame(found, [middle]);
    t.ok(asked <= pages, `${asked} pages, ${order} first`);
  }
});

t.test("plan - one delivery is looked up with its attempts", async (t) => {
  const [{ id }] = await store<[{ id: string }]>`
    select id from webhook_deliveries where webhook_id = ${webhookId} order by id limit 1`;
  const plans: string[] = [];
  const delivery = await getDelivery(explaining(store, plans), organisationId, id);
  t.equal(delivery?.attemptLog.length, 2);
  t.equal(plans.length, 1);
  t.notMatch(plans[0] as string, BIG);
});
