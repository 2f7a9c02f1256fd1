import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { explaining, type TestMember, testMember, testProgram, testStore } from "#test-support";
import { readTrace, type TracedRows } from "./read-trace.ts";

/** All of one member, on one card. Each has a stamp, an event and a delivery to each of two webhooks. */
const PURCHASES = 30_000;
/** The stamps of one redemption. */
const THRESHOLD = 10;
const WEBHOOKS = 2;
const BEGINNING = "2026-03-01T10:00:00Z";

let store: Store;
let member: TestMember;

t.before(async () => {
  store = await testStore();
  member = await testMember(store);
  const { organisationId, memberId } = member;
  const collectionId = uuidv7();
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
    values (${collectionId}, ${organisationId}, ${memberId}, ${await testProgram(store)})`;
  await fillPurchases(organisationId, memberId, collectionId);
  await fillTold(organisationId);
  await fillIgnored(organisationId);
  await store.script("vacuum analyze");
});

/** Ids of one kind are made from their numbers, in the order of time, a minute apart. */
const NUMBERED = `
  create function moment_of(n int) returns timestamptz language sql immutable as
    $$ select '${BEGINNING}'::timestamptz + n * interval '1 minute' $$;
  create function numbered(kind int, n int) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from moment_of(n)) * 1000)::bigint), 12, '0') || '7000'
            || '8' || lpad(to_hex(kind), 3, '0') || lpad(to_hex(n), 12, '0'))::uuid
  $$;`;

async function fillPurchases(organisationId: string, memberId: string, collectionId: string) {
  await store.script(NUMBERED);
  const numbers = store`generate_series(1, ${PURCHASES}::int) as n`;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6)
    select moment_of(n), ${organisationId}, numbered(1, n), ${memberId}, 'tx ' || to_char(n, 'FM000000'), 'authorized', 'visa',
           'm', sha256(n::text::bytea)
    from ${numbers}`;
  await store`
    insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                      transaction_ref, redemption_id)
    select n, moment_of(n), numbered(2, n), ${organisationId}, ${collectionId}, numbered(1, n), 'tx ' || to_char(n, 'FM000000'),
           numbered(3, (n - 1) / ${THRESHOLD}::int * ${THRESHOLD}::int + ${THRESHOLD}::int)
    from ${numbers}`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select moment_of(n), numbered(3, n), ${organisationId}, ${collectionId}, numbered(1, n),
           array(select numbered(2, s) from generate_series(n - ${THRESHOLD}::int + 1, n) as s)
    from ${numbers} where n % ${THRESHOLD}::int = 0`;
  await store`
    insert into cashbacks (amount, created_at, id, organisation_id, transaction_id, member_id, loyalty_program_id,
                           stamp_collection_id, redemption_id, transaction_ref, state, currency)
    select 300, moment_of(n), numbered(4, n), ${organisationId}, numbered(1, n), ${memberId}, gen_random_uuid(), ${collectionId},
           numbered(3, n), 'tx ' || to_char(n, 'FM000000'), 'pending', 'EUR'
    from ${numbers} where n % ${THRESHOLD}::int = 0`;
}

async function fillTold(organisationId: string) {
  const numbers = store`generate_series(1, ${PURCHASES}::int) as n`;
  await store`
    insert into events (at, written_at, id, organisation_id, transaction_id, type, body)
    select moment_of(n), moment_of(n), numbered(5, n), ${organisationId}, numbered(1, n), 'qualifying_purchase.created',
           '{"qualifying_purchase_id":"","unredeemed_purchases":1}'
    from ${numbers} order by n`;
  await store`
    insert into webhooks (id, organisation_id, url, description, events)
    select numbered(6, n), ${organisationId}, 'https://a.example/' || n, '', array['qualifying_purchase.created']
    from generate_series(1, ${WEBHOOKS}::int) as n`;
  await store`
    insert into webhook_queues (cursor, announced, webhook_id, organisation_id, enabled)
    select ${PURCHASES}::int, ${PURCHASES}::int, id, organisation_id, true from webhooks`;
  await store`
    insert into webhook_deliveries (created_at, id, webhook_id, organisation_id, attempts, last_attempt_at, status, state,
                                    event_sequences)
    select e.at, numbered(10 + w, n), numbered(6, w), ${organisationId}, 1, e.at, 200, 'delivered', array[e.sequence]
    from ${numbers} join events e on e.id = numbered(5, n) cross join generate_series(1, ${WEBHOOKS}::int) as w`;
}

/** One for each purchase. */
async function fillIgnored(organisationId: string) {
  await store`
    insert into ignored_fields (organisation_id, id, external_id, fields)
    select ${organisationId}, numbered(7, n), 'tx ' || to_char(n, 'FM000000'), '["amount"]'
    from generate_series(1, ${PURCHASES}::int) as n`;
  await store`update transactions t set created_at = authed_at`;
}

const BIG =
  "ignored_fields|transactions|qualifying_purchases|redemptions|cashbacks|events|webhook_deliveries";

/** The rows read for a purchase in the middle, and the plans of the statements. */
async function trace(n: number): Promise<{ rows: TracedRows; plans: string[] }> {
  const plans: string[] = [];
  const { organisationId } = member;
  const externalId = `tx ${String(n).padStart(6, "0")}`;
  const key = { organisationId, externalId, partition: 0 };
  const rows = await readTrace(explaining(store, plans, "counted"), key);
  if (rows === undefined) throw new Error(`${externalId} is not there`);
  return { rows, plans };
}

/** The number of rows from a table's index. */
function rowsOf(plans: readonly string[], table: string): number {
  const scan = new RegExp(`on ${table}\\b[^\\n]*actual rows=([\\d.]+) loops=(\\d+)`, "g");
  const scans = plans.flatMap((plan) => [...plan.matchAll(scan)]);
  return Math.round(scans.reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0));
}

t.test(
  "plan - a purchase in the middle of many is read along indexes, and little of each table",
  async (t) => {
    for (const n of [1, PURCHASES / 2, PURCHASES - 5]) {
      const { rows, plans } = await trace(n);
      t.match(rows.ignored, [{ fields: ["amount"], batchId: null }], `of ${n}`);
      t.equal(rowsOf(plans, "ignored_fields"), 1);
      t.equal(rows.stamps.length, 1);
      t.equal(rows.redemptions.length, 1, "of the card's redemptions the one that took it");
      t.equal(rows.told.events.length, 1);
      t.equal(rows.told.deliveries.length, WEBHOOKS);
      for (const plan of plans) t.notMatch(plan, new RegExp(`Seq Scan on (${BIG})\\b`));
      t.equal(rowsOf(plans, "transactions"), 1);
      t.equal(rowsOf(plans, "events"), 1);
      t.ok(rowsOf(plans, "redemptions") <= LIMITS.pageLimitMax);
      t.ok(rowsOf(plans, "webhook_deliveries") <= LIMITS.rowsPerScan);
    }
  },
);

t.test("plan - the newest purchase reads only the few rows after it", async (t) => {
  const { rows, plans } = await trace(PURCHASES);
  t.match(rows.transaction.rewards, [{ source: { type: "redemption" } }]);
  t.ok(rowsOf(plans, "redemptions") <= 1);
  t.ok(rowsOf(plans, "webhook_deliveries") <= WEBHOOKS);
});
