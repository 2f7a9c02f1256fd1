import t from "tap";
import { BEFORE_ALL_TIMES, type Sql, type Store, SweepPlace } from "#postgres";
import { testOrganisation } from "#test-support";
import { BEFORE_ALL_FINDINGS, sweepFindings } from "../../ingest/src/cleanup/sweep-findings.ts";
import { clockedStore } from "./deliveries/test-deliveries.ts";
import { sweepDeliveries, sweepEvents } from "./sweep.ts";

/* While a session holds an old snapshot, deleted rows stay in the index (issue 41, line 5). */

const sweepRejections = (sql: Sql, keptMs: number, place: SweepPlace) =>
  sweepFindings(sql, "transaction_rejections", keptMs, place);

const STEPS = 12;
const ROWS = STEPS * 1000;

let store: Store;

t.before(async () => {
  ({ store } = await clockedStore());
  const organisation = await testOrganisation(store);
  await store`
    insert into events (at, written_at, id, organisation_id, type, body)
    select now(), now() - interval '40 days' + n * interval '1 second', gen_random_uuid(), ${organisation}, 'cashback.created', '{}'
    from generate_series(1, ${ROWS}::int) as n`;
  await store`
    insert into webhook_deliveries (id, webhook_id, organisation_id, created_at, event_sequences, state)
    select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || substr(gen_random_uuid()::text, 14))::uuid,
           ${organisation}, ${organisation}, at, '{1}', 'delivered'
    from (select now() - interval '40 days' + n * interval '1 second' as at from generate_series(1, ${ROWS}::int) as n) r`;
  await store`
    insert into transaction_rejections (id, organisation_id, external_id, code, reason)
    select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || substr(gen_random_uuid()::text, 14))::uuid,
           ${organisation}, 'event', 'conflict', 'invalid_transition'
    from (select now() - interval '40 days' + n * interval '1 second' as at from generate_series(1, ${ROWS}::int) as n) r`;
  await store.script("analyze");
});

for (const [name, sweep, first, index] of [
  ["events", sweepEvents, BEFORE_ALL_TIMES, "events_written_idx"],
  ["deliveries", sweepDeliveries, "00000000-0000-0000-0000-000000000000", "webhook_deliveries_pkey"],
  ["rejections", sweepRejections, BEFORE_ALL_FINDINGS, "transaction_rejections_pkey"],
] as const) {
  t.test(
    `sweep - a step of ${name} begins after the last one, even while a session holds a snapshot`,
    async (t) => {
      const place = new SweepPlace(first);
      const walked: number[] = [];
      await store.begin("isolation level repeatable read", async (old) => {
        await old`select 1`;
        for (let step = 0; step < STEPS; step++) {
          const [removed, entries] = await store.begin(async (sql) => {
            // The counts of this session, which may have swept before.
            const before = await entriesOf(sql, index);
            const count = await sweep(sql, 1000, place);
            return [count, (await entriesOf(sql, index)) - before];
          });
          t.equal(removed, 1000);
          walked.push(entries);
        }
      });
      const [second = 0, last = 0] = [walked[1], walked.at(-1)];
      t.ok(
        second >= 1000 && last <= second + 10,
        `entries of the index that each step walked over: ${walked.join(", ")}`,
      );
    },
  );
}

async function entriesOf(sql: Sql, index: string): Promise<number> {
  const [{ read }] = await sql<[{ read: number }]>`
    select pg_stat_get_xact_tuples_returned(${index}::text::regclass) as read`;
  return read;
}

t.test("sweep - it starts over now and then", async (t) => {
  let now = 0;
  const place = new SweepPlace("a", () => now);
  t.equal(place.after, "a");
  place.goOn("b");
  place.goOn(null);
  t.equal(place.after, "b");
  now = 3_600_000;
  t.equal(place.after, "a");
  t.equal(place.after, "a");
});
