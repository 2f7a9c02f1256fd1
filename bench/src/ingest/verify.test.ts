import postgres from "postgres";
import t from "tap";
import { closeStore, connectStore } from "#postgres";
import { testServers } from "#test-support";
import { KnownKeys } from "../../../services/ingest/src/batch/known-keys.ts";
import { ACCEPTED, REFUSED, UNKNOWN } from "./tally.ts";
import { verify } from "./verify.ts";
import type { WorkloadSpec } from "./workload.ts";
import { createWorld, fillDatabase } from "./world.ts";
import { renderBatches, writeBatch } from "./write-batch.ts";

const SPEC: WorkloadSpec = { seed: 5, run: 1, lanes: 2, requestsPerLane: 20, size: 25 };
const REQUESTS = SPEC.lanes * SPEC.requestsPerLane;
const world = createWorld(SPEC.seed, 50);
let url: string;
let sql: postgres.Sql;

t.beforeEach(async (t) => {
  url = await (await testServers()).databaseUrl();
  await fillDatabase(url, SPEC.seed, world);
  sql = postgres(url, { max: 1, onnotice: () => {} });
  t.teardown(() => sql.end());
});

/** Stores all requests except the last `without` of each lane. */
async function store(without = 0): Promise<void> {
  const target = connectStore({ url, max: 1, applicationName: "test" });
  for (let lane = 0; lane < SPEC.lanes; lane++) {
    const batches = renderBatches(SPEC, lane, world);
    const keys = new KnownKeys();
    for (const batch of batches.slice(0, batches.length - without)) await writeBatch(target, batch, keys);
  }
  await closeStore(target);
}

function fates(last = ACCEPTED): Uint8Array {
  return new Uint8Array(REQUESTS).map((_, at) => ((at + 1) % SPEC.requestsPerLane === 0 ? last : ACCEPTED));
}

async function faults(of = fates()): Promise<readonly string[]> {
  return (await verify(url, world, [{ spec: SPEC, fates: of, unexpected: [] }])).faults;
}

t.test("verify - a table that agrees with the answers passes", async (t) => {
  await store();
  t.strictSame(await faults(), []);
});

t.test("verify - a request without an answer may be stored or not", async (t) => {
  await store();
  t.strictSame(await faults(fates(UNKNOWN)), []);
  await sql`truncate transactions`;
  await store(1);
  t.strictSame(await faults(fates(UNKNOWN)), []);
});

t.test("verify - an accepted event that is not stored is reported missing", async (t) => {
  await store(1);
  const found = await faults();
  t.match(found[0], /^\d+ missing$/);
});

t.test("verify - a refused event that is stored is found", async (t) => {
  await store();
  const found = await faults(fates(REFUSED));
  t.match(found[0], /^\d+ unasked$/);
});

t.test("verify - one wrong state, amount, member or identifier is found", async (t) => {
  await store();
  for (const change of [
    "state = 'authorized', cleared_at = null",
    "amount = amount + 1",
    "member_id = gen_random_uuid()",
  ]) {
    await sql.begin(async (inner) => {
      await inner`create table kept as select * from transactions`;
      await inner.unsafe(
        `update transactions set ${change} where external_id = (select max(external_id) from transactions where state = 'cleared')`,
      );
    });
    t.strictSame(await faults(), ["1 wrong"], change);
    await sql.begin(async (inner) => {
      await inner`truncate transactions`;
      await inner`insert into transactions select * from kept`;
      await inner`drop table kept`;
    });
  }
  await sql`update transactions set identifier_6 = sha256(identifier_6)`;
  t.match((await faults())[0], /sampled identifiers are wrong/);
});

/** Like a generator that knows how many requests were answered, not which; the answers add up. */
async function faultsOfCounted(created: number, unknown: number): Promise<readonly string[]> {
  const accepted = REQUESTS - unknown;
  const counted = { accepted, unknown, unexpected: 0 };
  const events = accepted * SPEC.size;
  const processed = { accepted: events, created, updated: 0, unchanged: events - created };
  const fates = new Uint8Array(REQUESTS).fill(UNKNOWN);
  return (await verify(url, world, [{ spec: SPEC, fates, processed, counted, unexpected: [] }])).faults;
}

t.test(
  "verify - if the answered requests are not known, their number bounds the stored events",
  async (t) => {
    await store(1);
    const [{ stored }] = await sql<[{ stored: number }]>`select count(*)::int as stored from transactions`;
    t.strictSame(await faultsOfCounted(stored, SPEC.lanes), []);
    t.strictSame(
      await faultsOfCounted(stored - SPEC.size, SPEC.lanes),
      [],
      "requests without an answer may be stored",
    );
    t.strictSame(await faultsOfCounted(stored + 1, SPEC.lanes), [
      `answers speak of ${stored + 1} created to ${stored + 1 + 2 * SPEC.size}, ${stored} are stored`,
    ]);
    t.strictSame(await faultsOfCounted(stored - 1, 0), [
      `answers speak of ${stored - 1} created, ${stored} are stored`,
    ]);
    await sql`update transactions set amount = amount + 1 where external_id = (select max(external_id) from transactions)`;
    t.strictSame(await faultsOfCounted(stored, SPEC.lanes), ["1 wrong"]);
  },
);
