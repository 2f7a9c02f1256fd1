import t, { type Test } from "tap";
import { closeStore, connectStore, type Store } from "#postgres";
import { MovableClock, testMember, testServers } from "#test-support";
import { createRetention } from "./retention.ts";
import { type Keeper, readRetention, stepRound, takeRound } from "./round.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const START = Date.parse("2026-08-01T00:00:00Z");
const A: Keeper = { owner: "00000000-0000-7000-8000-00000000000a", days: 90 };
const B: Keeper = { owner: "00000000-0000-7000-8000-00000000000b", days: 90 };

async function setUp(t: Test) {
  const url = await (await testServers()).databaseUrl();
  const clock = await MovableClock.install(url, START);
  const store = connectStore({ url, max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
  return { url, store, clock };
}

/** Adds cleared transactions of one member, all of the same day. */
async function addTransactions(store: Store, count: number, authedAt: string): Promise<void> {
  const { organisationId, memberId } = await testMember(store);
  await store`
    insert into transactions (authed_at, updated_at, cleared_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select ${authedAt}::text::timestamptz, ${authedAt}::text::timestamptz, ${authedAt}::text::timestamptz, ${organisationId},
           gen_random_uuid(), ${memberId}, 'e' || n, 'cleared', 'visa', 'm', sha256('x')
    from generate_series(1, ${count}::int) as n`;
}

const remaining = async (store: Store) => {
  const [{ count }] = await store<[{ count: number }]>`select count(*) from transactions`;
  return count;
};

/** Steps until the round is over; returns the number of rows removed. */
async function finish(store: Store, keeper: Keeper, blocks = 4): Promise<number> {
  const round = await takeRound(store, keeper);
  if (round === undefined) throw new Error("no round");
  for (let gone = 0; ; ) {
    const { progress, removed } = await stepRound(store, keeper, round, blocks);
    gone += removed?.rows.transactions ?? 0;
    if (progress !== "more") return gone;
  }
}

t.test("round - goes through the table in steps, and says how far it was", async (t) => {
  const { store, clock } = await setUp(t);
  await addTransactions(store, 1000, "2026-05-01T00:00:00Z");
  await addTransactions(store, 10, "2026-07-01T00:00:00Z");
  t.match(await readRetention(store), { behindSeconds: 0, kept: 0, oldestSeconds: 0 });
  t.equal(await finish(store, A), 1000);
  t.equal(await remaining(store), 10);
  await clock.pass(60_000);
  t.match(await readRetention(store), { behindSeconds: 60, kept: 0 });
  t.equal(await takeRound(store, A), undefined, "the next one is an hour after it");
  await clock.pass(HOUR_MS);
  t.equal(await finish(store, A), 0);
  await clock.pass(60 * DAY_MS);
  t.equal(await finish(store, A), 10);
});

t.test(
  "round - the longer it takes, the sooner its steps come, so that it is over within half a day",
  async (t) => {
    const { store, clock } = await setUp(t);
    await addTransactions(store, 1000, "2026-05-01T00:00:00Z");
    const [{ size }] = await store<
      [{ size: number }]
    >`select pg_relation_size('transactions') / 8192 as size`;
    const round = await takeRound(store, A);
    if (round === undefined) throw new Error("no round");
    const pace = async () => (await stepRound(store, A, round, 4)).paceMs;
    t.equal(await pace(), (4 * 12 * HOUR_MS) / (size - 4));
    await clock.pass(6 * HOUR_MS);
    await takeRound(store, A);
    t.equal(await pace(), (4 * 6 * HOUR_MS) / (size - 8));
    await clock.pass(6 * HOUR_MS);
    await takeRound(store, A);
    t.equal(await pace(), 0);
  },
);

t.test("round - one process has it; another goes on where it was when its lease is over", async (t) => {
  const { store, clock } = await setUp(t);
  await addTransactions(store, 1000, "2026-05-01T00:00:00Z");
  const round = await takeRound(store, A);
  t.ok(round);
  if (round === undefined) return;
  const first = await stepRound(store, A, round, 4);
  t.equal(first.progress, "more");
  t.equal(await takeRound(store, B), undefined);
  t.strictSame(await stepRound(store, B, round, 4), { progress: "lost" });
  await clock.pass(11_000);
  const gone = await finish(store, B);
  t.equal(gone + (first.removed?.rows.transactions ?? 0), 1000);
  t.strictSame(await stepRound(store, A, round, 4), { progress: "lost" });
});

t.test("round - a step that fails leaves nothing of itself, and is done again", async (t) => {
  const { store } = await setUp(t);
  await addTransactions(store, 500, "2026-05-01T00:00:00Z");
  await store.script(`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create trigger refused before delete on transactions for each row when (old.external_id = 'e300') execute function refuse();
  `);
  await t.rejects(finish(store, A));
  const [{ place }] = await store<[{ place: number }]>`select next_block as place from transaction_retention`;
  t.ok(place > 0, "the first step held");
  const left = await remaining(store);
  t.ok(left > 200 && left < 500, `${left} are left`);
  await store.script("drop trigger refused on transactions");
  t.equal(await finish(store, A), left);
});

t.test("round - removed transactions stay forgotten, even under a later setting", async (t) => {
  const { store, clock } = await setUp(t);
  const before = async () => {
    const [{ at }] = await store<[{ at: Date }]>`select forgotten_before as at from transaction_retention`;
    return at.getTime();
  };
  await finish(store, A);
  t.equal(await before(), START - 90 * DAY_MS);
  await clock.pass(2 * HOUR_MS);
  await addTransactions(store, 10, "2026-04-01T00:00:00Z");
  t.equal(await finish(store, { ...A, days: 200 }), 0, "a longer one removes less");
  t.equal(await before(), START - 90 * DAY_MS);
});

t.test("retention - nothing leaves while a transaction of ingest is open that began before", async (t) => {
  const { url, store } = await setUp(t);
  await addTransactions(store, 100, "2026-05-01T00:00:00Z");
  const ingest = connectStore({ url, max: 1, applicationName: "stampede-ingest" });
  t.teardown(() => closeStore(ingest));
  const work = createRetention({ store, days: 90, metrics: { step: () => {}, state: () => {} } });
  const { signal } = new AbortController();
  await ingest.begin(async (sql) => {
    await sql`select from transactions limit 1`;
    await work(signal);
    await work(signal);
    t.equal(await remaining(store), 100);
  });
  await work(signal);
  t.equal(await remaining(store), 0);
});
