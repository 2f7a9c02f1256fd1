import t from "tap";
import { uuidv7 } from "uuidv7";
import type { PageRequest, Sql, Store } from "#postgres";
import { explaining, type TestMember, testDeal, testMember, testProgram, testStore } from "#test-support";
import { testWebhook } from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { listRejections } from "../transactions/list-rejections.ts";
import { listCashbacks } from "../wallet/cashbacks.ts";
import { listClips } from "../wallet/clips.ts";
import { listRedemptions } from "../wallet/redemptions.ts";
import { createStampCollection } from "../wallet/stamp-collections.ts";
import { listStamps } from "../wallet/stamps.ts";
import { listDeliveries } from "../webhook-deliveries/delivery-rows.ts";

/** Rows of each kind, all of one member, collection or webhook. */
const ROWS = 6_000;
const PAGE = { limit: 100, skip: 5_000 };

let store: Store;
let member: TestMember;
let collectionId: string;
let webhookId: string;

t.before(async () => {
  store = await testStore();
  // Another member has as many rows: an index that does not begin with the member would not do.
  await fill(await testMember(store));
  member = await testMember(store);
  ({ collectionId, webhookId } = await fill(member));
  await store.script("vacuum analyze");
});

async function fill(of: TestMember) {
  const collectionId = uuidv7();
  await createStampCollection(store, { id: collectionId, ...of, loyaltyProgramId: await testProgram(store) });
  const webhookId = await testWebhook(store, of.organisationId);
  const { organisationId, memberId } = of;
  const numbers = store`generate_series(1, ${ROWS}::int) as n`;
  await store`
    insert into qualifying_purchases
      (position, created_at, id, organisation_id, stamp_collection_id, transaction_id, transaction_ref)
    select n, now(), gen_random_uuid(), ${organisationId}, ${collectionId}, gen_random_uuid(), 'ref ' || n from ${numbers}`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select now(), gen_random_uuid(), ${organisationId}, ${collectionId}, gen_random_uuid(), '{}' from ${numbers}`;
  await store`
    insert into cashbacks (id, organisation_id, member_id, transaction_id, amount, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency)
    select gen_random_uuid(), organisation_id, ${memberId}, transaction_id, 1, id, stamp_collection_id, id, 'ref', 'pending',
           'EUR'
    from redemptions where stamp_collection_id = ${collectionId}`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id, redeemed_at)
    select gen_random_uuid(), ${organisationId}, ${memberId}, ${await testDeal(store)}, now() from ${numbers}`;
  await store`
    insert into webhook_deliveries
      (created_at, id, webhook_id, organisation_id, attempts, last_attempt_at, status, duration_ms, state, event_sequences)
    select now(), gen_random_uuid(), ${webhookId}, ${organisationId}, 1, now(), 200, 5, 'delivered', '{1}' from ${numbers}`;
  await store`
    insert into transaction_rejections (organisation_id, id, external_id, code, reason)
    -- Beside others: to read the newest of all would otherwise be as cheap as to read those of one.
    select ${organisationId}, gen_random_uuid(), case when other = 0 then 'one' else n || ' ' || other end, 'not_found', 'not_found'
    from ${numbers} cross join generate_series(0, 4) as other`;
  return { collectionId, webhookId };
}

/** A list, and the index that counts its skipped records. */
type List = (
  sql: Sql,
  page: PageRequest,
) => Promise<{ records: readonly unknown[]; more: boolean } | undefined>;

t.test("plan - records that a page skips are counted in an index, and not read", async (t) => {
  const { organisationId, memberId } = member;
  const lists: ReadonlyArray<readonly [index: string, list: List]> = [
    ["qualifying_purchases_position_key", (sql, page) => listStamps(sql, organisationId, collectionId, page)],
    ["redemptions_created_idx", (sql, page) => listRedemptions(sql, organisationId, memberId, page)],
    ["cashbacks_created_idx", (sql, page) => listCashbacks(sql, organisationId, memberId, page)],
    ["clips_member_idx", (sql, page) => listClips(sql, organisationId, memberId, page)],
    [
      "webhook_deliveries_webhook_idx",
      (sql, page) => listDeliveries(sql, { organisationId, webhookId }, page),
    ],
    [
      "transaction_rejections_external_id_idx",
      (sql, page) => listRejections(sql, { organisationId, externalId: "one" }, page),
    ],
  ];
  for (const [index, list] of lists) {
    const plans: string[] = [];
    const page = await list(explaining(store, plans, "counted"), PAGE);
    t.match(page, { records: { length: PAGE.limit }, more: true }, index);
    const all = plans.join("\n");
    const skipped = new RegExp(
      `Index Only Scan (?:Backward )?using ${index} [^\n]*actual rows=(?:500[01]|5101)`,
    );
    t.match(all, skipped, index);
    // The tables themselves are read only for the page's rows.
    for (const [line, rows = ""] of all.matchAll(
      /(?<!Only )Scan[^\n]* on [^\n]*actual rows=([\d.]+) loops=1\b[^\n]*/g,
    )) {
      if (!line.includes("Only")) t.ok(Number(rows) <= PAGE.limit + 1, line);
    }
  }
});

t.test("list - a page after skipped records continues where they ended", async (t) => {
  const { organisationId, memberId } = member;
  const whole = await listClips(store, organisationId, memberId, { limit: ROWS });
  const ids = whole?.records.map(({ id }) => id) ?? [];
  const after = ids[9];
  const page = await listClips(store, organisationId, memberId, { limit: 5, skip: 20, after });
  t.strictSame(
    page?.records.map(({ id }) => id),
    ids.slice(30, 35),
  );
  const last = await listClips(store, organisationId, memberId, { limit: 5, skip: ROWS - 2 });
  t.match(last, { records: { length: 2 }, more: false });
  const beyond = await listClips(store, organisationId, memberId, { limit: 5, skip: ROWS });
  t.match(beyond, { records: { length: 0 }, more: false });
});
