import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { decodeId, SeededRandom } from "#domain";
import { verifyRewards } from "#publisher-db";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  readMetric,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";

/**
 * kill -9 of the process that removes old transactions, in the middle of its work, while events are ingested:
 * each step is done completely or not at all, another process continues, and at the end exactly the due
 * transactions have been removed. `FAULT_KILLS` makes it longer, `FAULT_SEED` repeats its plan (not its
 * timing).
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.FAULT_KILLS ?? 2);

/** More steps than end before the last kill. */
const ROWS = 5_000 * KILLS;
/** Of this many purchases one stays authorized, and one has a stamp; ten stamps are a redemption. */
const OPEN_EVERY = 50;
const STAMP_EVERY = 6;
const THINK_MS = 150;
const RETENTION = { STAMPEDE_TRANSACTION_RETENTION_DAYS: "90" };

t.setTimeout(300_000 + KILLS * 40_000);

/** Purchases of a year ago, some with stamps: nine of ten redemptions are paid, the tenth is pending. */
async function fill({ store, publisher }: Pipeline, memberId: string): Promise<void> {
  const { organisationId } = publisher;
  await store`
    insert into loyalty_programs (id, revision, created_at, updated_at, qualifying_threshold, name, reward_config, display_content)
    values ('01900000-0000-7000-8000-000000000001', 1, now(), now(), 10, 'Coffee', '{"type":"refund"}', '{}')`;
  const [card] = await store<{ id: string }[]>`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, next_position)
    values (gen_random_uuid(), ${organisationId}, ${memberId}, '01900000-0000-7000-8000-000000000001', ${ROWS})
    returning id`;
  const cardId = card?.id as string;
  await store`
    insert into transactions (authed_at, updated_at, cleared_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select at, at, case when n % ${OPEN_EVERY}::int = 0 then null else at end, ${organisationId}, gen_random_uuid(), ${memberId},
           'old ' || n, case when n % ${OPEN_EVERY}::int = 0 then 'authorized' else 'cleared' end, 'visa', 'm', sha256('x')
    from (select n, now() - interval '1 year' as at from generate_series(1, ${ROWS}::int) as n) as drawn`;
  await store`
    insert into qualifying_purchases (
      position, created_at, id, organisation_id, stamp_collection_id, transaction_id, transaction_ref
    )
    select row_number() over (order by authed_at, external_id), authed_at, gen_random_uuid(), organisation_id, ${cardId}, id,
           external_id
    from transactions
    where state = 'cleared' and substring(external_id from 5)::int % ${STAMP_EVERY}::int = 1`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select max(created_at), gen_random_uuid(), ${organisationId}, ${cardId}, (array_agg(transaction_id order by position desc))[1],
           array_agg(id order by position)
    from qualifying_purchases group by (position - 1) / 10 having count(*) = 10`;
  await store`
    update qualifying_purchases q set redemption_id = r.id from redemptions r where q.id = any(r.stamp_ids)`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, member_id, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency, created_at, cleared_at)
    select gen_random_uuid(), ${organisationId}, r.transaction_id, 300, ${memberId}, '01900000-0000-7000-8000-000000000001',
           ${cardId}, r.id, t.external_id, case when nth % 10 = 0 then 'pending' else 'cleared' end, 'EUR', r.created_at,
           case when nth % 10 = 0 then null else r.created_at end
    from (select *, row_number() over (order by id) as nth from redemptions) as r
    join transactions t on t.id = r.transaction_id`;
  await store`
    update stamp_collections set
      unredeemed_purchases = (select count(*) from qualifying_purchases where redemption_id is null),
      pending_redemptions = array(select redemption_id from cashbacks where state = 'pending')`;
  await store.script("vacuum analyze");
}

/** Old transactions that still exist. */
async function old({ store }: Pipeline): Promise<number> {
  const [{ count }] = await store<[{ count: number }]>`
    select count(*) from transactions where external_id ^@ 'old '`;
  return count;
}

async function due({ store }: Pipeline): Promise<number> {
  const [{ count }] = await store<[{ count: number }]>`
    select count(*) from transactions t
    where external_id ^@ 'old ' and state = 'cleared' and not exists (
      select from qualifying_purchases q left join cashbacks c on c.redemption_id = q.redemption_id
      where q.transaction_id = t.id and c.state is distinct from 'cleared'
    )`;
  return count;
}

async function sound(t: { strictSame(a: unknown, b: unknown, what: string): unknown }, pipeline: Pipeline) {
  const { faults } = await verifyRewards(pipeline.store);
  // It never had webhook events, and no rewards process runs: pending ones stay pending.
  t.strictSame(
    faults.filter(({ kind }) => !kind.endsWith("_events") && kind !== "cashback_pending"),
    [],
    "the stored rows are consistent",
  );
}

t.test(`kill -9 in the midst of retention, with ingestion beside it (seed ${SEED})`, async (t) => {
  const random = new SeededRandom(SEED);
  const pipeline = await startPipeline({ env: { STAMPEDE_LOG_LEVEL: "warn" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("ada")) as [string];
  await fill(pipeline, decodeId("m", member) as string);
  const dueRows = await due(pipeline);
  t.ok(dueRows > 0.8 * ROWS && dueRows < ROWS, `${dueRows} are due`);

  let isOver = false;
  const sent = new Set<string>();
  const ingesting = (async () => {
    while (!isOver) {
      const events = Array.from({ length: 20 }, () =>
        makeEvent(member, { authed_at: new Date().toISOString() }),
      );
      const { status } = await client.ingest(events);
      if (status !== 200 && status !== 202) throw new Error(`ingest answered ${status}`);
      for (const { external_id } of events) sent.add(external_id);
      // To run beside it is enough: at full speed it would take the machine from the process under test.
      await delay(THINK_MS);
    }
  })();
  ingesting.catch(() => {});

  let left = ROWS;
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await pipeline.start("ingest", RETENTION);
    const before = left;
    await waitFor(async () => (await old(pipeline)) < before, {
      message: "nothing leaves",
    });
    await delay(random.between(0, 300));
    await service.kill();
    left = await old(pipeline);
    t.ok(left > ROWS - dueRows, `killed in the middle of its work: ${left} are left`);
    await sound(t, pipeline);
    // Only the last one's lease runs out by itself: a wait that shows no more the second time.
    if (kill < KILLS - 1) await pipeline.store`update transaction_retention set lease_until = now()`;
  }
  const last: ServiceProcess[] = [];
  for (let n = 0; n < 2; n++) last.push(await pipeline.start("ingest", RETENTION));
  await waitFor(
    async () =>
      (await pipeline.store`select from transaction_retention where last_began_at is not null`).length === 1,
    { message: "the round does not end", deadlineMs: 180_000 },
  );
  isOver = true;
  await ingesting;
  t.equal(await old(pipeline), ROWS - dueRows, "exactly the due ones are gone");
  await sound(t, pipeline);
  const rows = await Promise.all(
    last.map((service) =>
      readMetric(service, "stampede_ingest_retention_rows_total", 'table="transactions"'),
    ),
  );
  t.equal(
    rows.reduce((sum, count) => sum + count, 0),
    left - (ROWS - dueRows),
    "each row was removed once",
  );
  await waitFor(
    async () => {
      const [{ count }] = await pipeline.store<[{ count: number }]>`
        select count(*) from transactions where external_id = any(${[...sent]}::text[])`;
      return count === sent.size;
    },
    { message: "an event that was answered is not stored" },
  );

  // Removed transactions do not come back, whichever process owns their partition.
  const again = await client.ingest([
    makeEvent(member, { external_id: "old 2", authed_at: "2025-01-01T10:00:00Z" }),
  ]);
  t.match(again, { status: 409, body: { error: { code: "conflict", data: { reason: "past_retention" } } } });
  t.match(await client.post("transaction/get", { external_id: "old 2" }), { status: 404 });
});
