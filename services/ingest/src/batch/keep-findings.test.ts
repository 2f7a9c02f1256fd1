import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { EventResult } from "#domain";
import { closeStore, connectStore, type Sql, type Store } from "#postgres";
import { MovableClock, testOrganisation, testServers, waitFor } from "#test-support";
import { sweepFindings } from "../cleanup/sweep-findings.ts";
import { collectFindings, type KeptRejection } from "./collect-findings.ts";
import { toEventBatch } from "./event-batch.ts";
import { keepFindings } from "./keep-findings.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

const MAX = LIMITS.rejectionsPerMinute;
const MINUTE_MS = 60_000;
/** In the middle of a minute, so that a test can move by seconds. */
const START = Date.parse("2026-05-02T10:00:20.123Z");

interface Row {
  readonly id: string;
  readonly external_id: string | null;
  readonly rejected: number | null;
}

async function setUp(t: Test, max = 4) {
  const url = await (await testServers()).databaseUrl();
  const clock = await MovableClock.install(url, START);
  const store = connectStore({ url, max, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const rowsOf = (organisationId: string) => store<Row[]>`
    select id, external_id, rejected from transaction_rejections
    where organisation_id = ${organisationId} order by id`;
  return { store, clock, rowsOf };
}

function rejections(
  organisationId: string,
  count: number,
  changes: Partial<KeptRejection> = {},
): KeptRejection[] {
  const batchId = uuidv7();
  return Array.from({ length: count }, (_, index) => ({
    organisationId,
    externalId: `e${index}`,
    memberId: uuidv7(),
    batchId,
    index,
    awaited: true,
    rejection: { code: "not_found", reason: "not_found" },
    ...changes,
  }));
}

const keep = (store: Store, kept: readonly KeptRejection[]) =>
  store.begin((sql) => keepFindings(sql, { rejected: kept, ignored: [] }));
const kept = (rows: readonly Row[]) => rows.filter(({ external_id }) => external_id !== null);
const counted = (rows: readonly Row[]) => rows.flatMap(({ rejected }) => rejected ?? []);

t.test("rejections - all rejected events are kept, in their order, by the database's time", async (t) => {
  const { store } = await setUp(t);
  const organisationId = await testOrganisation(store);
  const [batchId, memberId] = [uuidv7(), uuidv7()];
  await keep(store, [
    {
      organisationId,
      externalId: 'ref "é", {\\}',
      memberId: null,
      batchId: null,
      index: null,
      awaited: true,
      rejection: { code: "not_found", reason: "not_found" },
    },
    {
      organisationId,
      externalId: "b",
      memberId,
      batchId,
      index: 7,
      awaited: true,
      rejection: { code: "conflict", reason: "identity_mismatch", field: "card" },
    },
    {
      organisationId,
      externalId: "c",
      memberId,
      batchId,
      index: 9,
      awaited: true,
      rejection: { code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted" },
    },
  ]);
  const nothing = { batch_id: null, member_id: null, event_index: null, field: null, from_state: null };
  const conflict = { code: "conflict", batch_id: batchId, member_id: memberId };
  t.match(
    await store`
      select * from transaction_rejections
      where organisation_id = ${organisationId} and rejected is null order by id`,
    [
      { ...nothing, external_id: 'ref "é", {\\}', code: "not_found", reason: "not_found", to_state: null },
      { ...conflict, external_id: "b", event_index: 7, reason: "identity_mismatch", field: "card" },
      { ...conflict, external_id: "c", event_index: 9, from_state: "cleared", to_state: "reverted" },
    ],
  );
  const ids = await store<{ id: string }[]>`
    select id from transaction_rejections where organisation_id = ${organisationId} order by id`;
  const timeOf = ({ id }: { id: string }) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  t.strictSame(ids.map(timeOf), [START - (START % MINUTE_MS), START, START, START]);
  t.ok(ids.every(({ id }) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/.test(id)));
});

t.test(
  "rejections - a minute keeps a limited number and counts the rest, and the next minute has room",
  async (t) => {
    const { store, clock, rowsOf } = await setUp(t);
    const [organisation, other] = [await testOrganisation(store), await testOrganisation(store)];
    await keep(store, rejections(organisation, MAX - 3));
    t.strictSame(counted(await rowsOf(organisation)), [MAX - 3]);
    // Two statements in one millisecond make ids in no particular order.
    await clock.pass(1);
    await keep(store, [...rejections(organisation, 5), ...rejections(other, 2)]);
    const full = await rowsOf(organisation);
    t.equal(kept(full).length, MAX);
    t.strictSame(counted(full), [MAX + 2]);
    t.strictSame(
      kept(full)
        .slice(-3)
        .map(({ external_id }) => external_id),
      ["e0", "e1", "e2"],
      "the first of those that had room",
    );
    t.equal(kept(await rowsOf(other)).length, 2, "another organisation has its own");
    await keep(store, rejections(organisation, 2 * MAX));
    t.equal(kept(await rowsOf(organisation)).length, MAX);
    t.strictSame(counted(await rowsOf(organisation)), [3 * MAX + 2]);

    await clock.pass(MINUTE_MS);
    await keep(store, rejections(organisation, MAX + 1));
    t.equal(kept(await rowsOf(organisation)).length, 2 * MAX);
    t.strictSame(counted(await rowsOf(organisation)), [3 * MAX + 2, MAX + 1]);
  },
);

t.test("rejections - the bound is exact, however many write at one time", async (t) => {
  const { store, rowsOf } = await setUp(t, 8);
  const organisations = [await testOrganisation(store), await testOrganisation(store)];
  const batches = Array.from({ length: 24 }, (_, n) => {
    const mixed = organisations.flatMap((organisation) => rejections(organisation, 90));
    return n % 2 === 0 ? mixed : mixed.toReversed();
  });
  // In two orders: the transactions do not wait for each other.
  await Promise.all(batches.map((batch) => keep(store, batch)));
  for (const organisation of organisations) {
    const rows = await rowsOf(organisation);
    t.equal(kept(rows).length, MAX);
    t.strictSame(counted(rows), [24 * 90]);
  }
});

t.test("rejections - the last place of a minute is given only once", async (t) => {
  const { store, clock, rowsOf } = await setUp(t);
  const organisation = await testOrganisation(store);
  await keep(store, rejections(organisation, MAX - 1));
  await clock.pass(1);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const failing = store.begin(async (sql) => {
    await keepFindings(sql, {
      rejected: rejections(organisation, 1, { externalId: "given up" }),
      ignored: [],
    });
    await ended;
    throw new Error("given up");
  });
  failing.catch(() => {});
  await waitFor(() => isCounting(store), { message: "the first has not counted" });
  const second = keep(store, rejections(organisation, 2, { externalId: "second" }));
  await waitFor(() => isWaiting(store), { message: "the second does not wait" });
  end();
  await second;
  await t.rejects(failing, { message: "given up" });
  const rows = await rowsOf(organisation);
  t.equal(kept(rows).length, MAX);
  t.equal(kept(rows).at(-1)?.external_id, "second");
  t.strictSame(counted(rows), [MAX + 1]);
});

/** Whether a transaction is open that has written a row. */
async function isCounting(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select from pg_locks
    where relation = 'transaction_rejections'::regclass and mode = 'RowExclusiveLock' and granted`;
  return rows.length > 0;
}

async function isWaiting(sql: Sql): Promise<boolean> {
  const rows = await sql`select from pg_locks where locktype = 'transactionid' and not granted`;
  return rows.length > 0;
}

t.test("rejections - they are swept after so long, with the counts of their minutes, in steps", async (t) => {
  const { store, clock, rowsOf } = await setUp(t);
  const organisation = await testOrganisation(store);
  await keep(store, rejections(organisation, MAX + 5));
  const other = await testOrganisation(store);
  await keep(store, rejections(other, 2));
  // The count of a minute is as old as its beginning.
  await clock.pass(LIMITS.rejectionKeptMs - (START % MINUTE_MS));
  await keep(store, rejections(organisation, 1, { externalId: "young" }));
  const sweep = () => sweepFindings(store, "transaction_rejections", LIMITS.rejectionKeptMs);
  t.equal(await sweep(), 0, "none is older");
  await clock.pass(1);
  t.equal(await sweep(), 2, "the counts");
  await clock.pass(START % MINUTE_MS);
  t.equal(await sweep(), 1000);
  t.equal(await sweep(), 2);
  t.equal(await sweep(), 0);
  t.match(await rowsOf(organisation), [{ rejected: 1 }, { external_id: "young" }]);
  t.strictSame(await rowsOf(other), []);
});

t.test(
  "rejections - each names its request; an event that was put back from the dead letters names none",
  async (t) => {
    const organisations = [randomUUID(), randomUUID()];
    const [first, second] = [uuidv7(), uuidv7()];
    const event = (ord: number) => ({
      ord,
      id: randomUUID(),
      organisationId: organisations[ord % 2] as string,
      externalId: `e${ord}`,
      memberId: ord === 4 ? null : randomUUID(),
      state: "authorized" as const,
      network: "visa",
      merchantId: "M1",
      statementDescriptor: null,
      amount: null,
      currency: null,
      authedAt: "2026-05-01T10:00:00.000000Z",
      clearedAt: null,
      revertedAt: null,
      identifier6: "16".repeat(32),
      identifier8: null,
      firstDescriptor: null,
    });
    const events = Array.from({ length: 7 }, (_, ord) => event(ord));
    const part = (batch: string, count: number) => ({
      batch,
      organisation: "o",
      awaited: true,
      events: count,
    });
    const prepared = {
      heads: [
        { reply: "", events: 4, parts: [part(first, 2), part(second, 2)] },
        undefined,
        { reply: "", events: 2, parts: [] },
        { reply: "", events: 1, parts: [part(first, 1)] },
      ],
      indexes: Uint32Array.of(3, 5, 0, 1, 0, 1, 8),
      events: toEventBatch(events),
    } as unknown as PreparedBatch;
    const done: EventResult = { kind: "created", ignored: [] };
    const rejection = { code: "not_found", reason: "not_found" } as const;
    const rejected: EventResult = { kind: "rejected", rejection };
    const outcomes = [done, rejected, rejected, done, rejected, undefined, rejected];
    const of = (ord: number, batchId: string | null, index: number | null) => {
      const { organisationId, externalId, memberId } = events[ord] as (typeof events)[number];
      return { organisationId, externalId, memberId, batchId, index, rejection, awaited: true };
    };
    const ignoring: EventResult = { kind: "unchanged", ignored: ["amount"] };
    const { organisationId, externalId } = events[3] as (typeof events)[number];
    t.strictSame(collectFindings(prepared, outcomes.with(3, ignoring)), {
      rejected: [of(1, first, 5), of(2, second, 0), of(4, null, null), of(6, first, 8)],
      ignored: [{ organisationId, externalId, batchId: second, index: 1, fields: ["amount"] }],
    });
    t.strictSame(collectFindings(prepared, outcomes.fill(done)), { rejected: [], ignored: [] });
  },
);

t.test("rejections - where there are none the database is not asked", async (t) => {
  const noStore = (() => {
    throw new Error("asked for nothing");
  }) as unknown as Store;
  await t.resolves(keepFindings(noStore, { rejected: [], ignored: [] }));
});
