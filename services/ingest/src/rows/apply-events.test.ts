import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { applyEvent, type Transaction } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import {
  createOrganisation,
  type EventRow,
  eventTable,
  readEventRows,
  toEvent,
  writeEventRows,
} from "#publisher-db";
import { testServers } from "#test-support";
import { createMemberbase } from "../../../edge/src/memberbases/memberbases.ts";
import { upsertMembers } from "../../../edge/src/members/upsert-members.ts";
import { type AppliedBatch, applyEvents, type EventOutcome } from "./apply-events.ts";
import { applyIsolated } from "./apply-isolated.ts";
import { encodeCopyRows } from "./copy-rows.ts";
import { type EventBatch, toEventBatch } from "./event-batch.ts";
import { loadTransactions } from "./load-transactions.ts";
import { stageEvents } from "./staged-events.ts";

/** The SQL held to the pure function: random histories of few keys, in random batches, against `applyEvent`. */
let store: Store;
let organisation: string;
let members: string[];

t.before(async () => {
  const servers = await testServers();
  store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  organisation = randomUUID();
  await createOrganisation(store, { id: organisation, name: "test" });
  const memberbaseId = randomUUID();
  await createMemberbase(store, { id: memberbaseId, organisationId: organisation, name: "test" });
  members = (await upsertMembers(store, {
    organisationId: organisation,
    memberbaseId,
    members: [{ ref: "a" }, { ref: "b" }],
    ids: [randomUUID(), randomUUID()],
  })) as string[];
});

t.teardown(() => closeStore(store));

/** What a generated event may vary; small domains, so that events of one key meet in every combination. */
interface Draft {
  readonly key: number;
  readonly member: number;
  readonly card: number;
  readonly state: "authorized" | "cleared" | "reverted";
  readonly descriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly eight: boolean;
  readonly moment: number;
}

const drafts: fc.Arbitrary<Draft> = fc.record({
  key: fc.integer({ min: 0, max: 3 }),
  // The last one is a member that does not exist. Weighted towards one member and one card: most events belong.
  member: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
  card: fc.constantFrom(0, 0, 0, 0, 1),
  state: fc.constantFrom("authorized", "cleared", "reverted"),
  descriptor: fc.constantFrom(null, "COFFEE", "COFFEE TIPPED"),
  amount: fc.constantFrom(null, 0, 450, Number.MAX_SAFE_INTEGER),
  currency: fc.constantFrom(null, "EUR", "SEK"),
  eight: fc.boolean(),
  moment: fc.integer({ min: 0, max: 999_999 }),
});

/** A history: batches of events, and how they travel. */
const histories = fc.array(
  fc.record({ events: fc.array(drafts, { minLength: 1, maxLength: 6 }), copied: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 5,
  },
);

/** More on demand: `FC_RUNS=5000 npm test -- apply-events`; a failure prints the seed that repeats it. */
const RUNS = Number(process.env.FC_RUNS ?? 150);

const PLAIN = {
  member: 0,
  card: 0,
  state: "authorized",
  descriptor: null,
  amount: 1,
  currency: null,
  eight: false,
  moment: 1,
} as const;

const MISSING_MEMBER = randomUUID();
const identifier = (card: number, digits: number) => `\\x${`${card}${digits}`.repeat(32)}`;

function toRow(draft: Draft, ord: number, run: string): EventRow {
  const at = `2026-05-01T10:00:00.${String(draft.moment).padStart(6, "0")}Z`;
  return {
    ord,
    id: randomUUID(),
    organisation_id: organisation,
    member_id: [...members, MISSING_MEMBER][draft.member] as string,
    external_id: `${run}-${draft.key}`,
    state: draft.state,
    network: "visa",
    merchant_id: "M1",
    statement_descriptor: draft.descriptor,
    amount: draft.amount,
    currency: draft.currency,
    authed_at: at,
    cleared_at: draft.state === "cleared" ? at : null,
    reverted_at: draft.state === "reverted" ? at : null,
    identifier_6: identifier(draft.card, 6),
    identifier_8: draft.eight ? identifier(draft.card, 8) : null,
  };
}

const toBatch = (rows: readonly EventRow[]) => toEventBatch(rows, rows.length, "readable");

/** As large batches travel. */
const copy = (batch: EventBatch) => encodeCopyRows(readEventRows(batch.firsts as string));

const apply = (batch: EventBatch) => store.begin((sql) => applyEvents(sql, batch));

/** The same through the pure function. */
function applyToModel(model: Map<string, Transaction>, rows: readonly EventRow[]): EventOutcome[] {
  return rows.map((row) => {
    if (row.member_id === MISSING_MEMBER) {
      return { kind: "rejected", rejection: { code: "not_found", reason: "not_found" } };
    }
    const decision = applyEvent(model.get(row.external_id), toEvent(row));
    if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
    model.set(row.external_id, decision.transaction);
    return { kind: decision.outcome, ignored: decision.ignored };
  });
}

async function readBack(run: string): Promise<Map<string, Transaction>> {
  const probes = [0, 1, 2, 3].map((key) =>
    toRow(
      {
        key,
        member: 0,
        card: 0,
        state: "authorized",
        descriptor: null,
        amount: null,
        currency: null,
        eight: false,
        moment: 0,
      },
      key,
      run,
    ),
  );
  const loaded = await loadTransactions(store, eventTable(store, writeEventRows(probes)), [0, 1, 2, 3]);
  return new Map(
    loaded.flatMap(({ row, stored }) => (stored ? [[row.external_id, stored.transaction] as const] : [])),
  );
}

t.test("batches come to what the pure function decides, for any history and any batching", async (t) => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const run = randomUUID();
      const model = new Map<string, Transaction>();
      for (const { events, copied } of history) {
        const rows = events.map((draft, ord) => toRow(draft, ord, run));
        const before = new Map(model);
        const expected = applyToModel(model, rows);
        const batch = toBatch(rows);
        const applied = await apply(copied ? { ...batch, firsts: copy(batch) } : batch);
        assert.deepEqual(applied.outcomes, expected);
        assertTold(applied, rows, before, model);
      }
      assert.deepEqual(await readBack(run), model);
    }),
    { numRuns: RUNS },
  );
  t.pass(`${RUNS} histories`);
});

/** What is published of a batch: every row that it made or changed, once, as it is behind the batch. */
function assertTold(
  { created, changed }: AppliedBatch,
  rows: readonly EventRow[],
  before: ReadonlyMap<string, Transaction>,
  after: ReadonlyMap<string, Transaction>,
): void {
  const keyAt = (ord: number) => (rows[ord] as EventRow).external_id;
  const told = [...created.map(keyAt), ...changed.map(({ ord }) => keyAt(ord))].sort();
  const wanted = [...after].filter(([key, now]) => before.get(key) !== now).map(([key]) => key);
  const really = wanted.filter((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    return was === undefined || JSON.stringify(was) !== JSON.stringify(is);
  });
  assert.deepEqual(told, really.sort());
  for (const ord of created) {
    assert.deepEqual(
      { ...toEvent(rows[ord] as EventRow), state: (rows[ord] as EventRow).state },
      after.get(keyAt(ord)),
    );
  }
  for (const { ord, transaction } of changed) assert.deepEqual(transaction, after.get(keyAt(ord)));
}

t.test("a repeated event with another amount says that the amount is ignored", async (t) => {
  const run = randomUUID();
  await apply(toBatch([toRow({ ...PLAIN, key: 0, amount: 900 }, 0, run)]));
  const again = toRow({ ...PLAIN, key: 0, amount: 1100, currency: "EUR", moment: 2 }, 0, run);
  t.strictSame((await apply(toBatch([again]))).outcomes, [
    { kind: "updated", ignored: ["amount", "authed_at"] },
  ]);
  t.match((await readBack(run)).get(`${run}-0`), { amount: 900, currency: "EUR" });
});

t.test("concurrent batches over the same keys neither deadlock nor lose a transition", async (t) => {
  const run = randomUUID();
  const make = (state: Draft["state"], shift: number) =>
    Array.from({ length: 200 }, (_, i) => ({
      ...toRow(
        {
          key: 0,
          member: 0,
          card: 0,
          state,
          descriptor: null,
          amount: 1,
          currency: null,
          eight: false,
          moment: i,
        },
        i,
        run,
      ),
      external_id: `${run}-${(i * 7919 + shift) % 200}`,
    }));
  const batches = [1, 2, 3, 4].map((n) => toBatch(make(n % 2 === 0 ? "cleared" : "authorized", n)));
  const results = await Promise.allSettled(batches.map(apply));
  for (const result of results) {
    // A race between statement and second look is reported as such, and the caller repeats the batch.
    if (result.status === "rejected") t.equal(result.reason.code, "concurrent_write");
  }
  for (const batch of batches) await apply(batch);
  const [row] = await store<{ cleared: number }[]>`
    select count(*)::int as cleared from transactions where external_id like ${`${run}%`} and state = 'cleared'`;
  t.equal(row?.cleared, 200);
});

t.test(
  "a transaction of another organisation with the same external_id is another transaction",
  async (t) => {
    const run = randomUUID();
    const other = randomUUID();
    await createOrganisation(store, { id: other, name: "other" });
    const draft = {
      key: 0,
      member: 0,
      card: 0,
      state: "authorized",
      descriptor: null,
      amount: 1,
      currency: null,
      eight: false,
      moment: 1,
    } as const;
    const row = toRow(draft, 0, run);
    t.match((await apply(toBatch([row]))).outcomes, [{ kind: "created" }]);
    const foreign = { ...row, organisation_id: other };
    t.match((await apply(toBatch([foreign]))).outcomes, [
      { kind: "rejected", rejection: { code: "not_found" } },
    ]);
  },
);

t.test("an event that the database refuses stands alone: its neighbours commit, in order", async (t) => {
  const run = randomUUID();
  const draft = {
    member: 0,
    card: 0,
    descriptor: null,
    amount: null,
    currency: null,
    eight: false,
    moment: 1,
  };
  const rows = Array.from({ length: 40 }, (_, ord) => ({
    ...toRow({ ...draft, key: 0, state: ord % 2 === 0 ? "authorized" : "cleared" }, ord, run),
    external_id: `${run}-${ord >> 1}`,
  }));
  for (const ord of [6, 23]) rows[ord] = { ...(rows[ord] as EventRow), amount: 2 ** 60 };
  const { outcomes, poison } = await store.begin((sql) => applyIsolated(sql, toBatch(rows)));
  t.strictSame(
    poison.map(({ row, error }) => [row.ord, error]),
    [
      [6, "23514"],
      [23, "23514"],
    ],
  );
  for (const [ord, outcome] of outcomes.entries()) {
    const expected = ord === 6 || ord === 23 ? undefined : ord === 7 || ord % 2 === 0 ? "created" : "updated";
    t.equal(outcome?.kind, expected, `event ${ord}`);
  }
});

t.test("rows survive being written and read, whatever they hold", async (t) => {
  fc.assert(
    fc.property(drafts, fc.string({ unit: "binary", maxLength: 20 }), fc.nat(), (draft, text, ord) => {
      const row = {
        ...toRow(draft, ord, text),
        merchant_id: text,
        authed_at: "1999-12-31T23:59:59.000001Z",
      };
      assert.deepEqual(readEventRows(writeEventRows([row])), [row]);
    }),
  );
  t.pass("100 rows");
});

t.test("an error in the middle of a copy is told, and the connection goes on", async (t) => {
  const bytes = encodeCopyRows([toRow({ ...PLAIN, key: 0 }, 0, randomUUID())]);
  // The low byte of the number of columns of the first row.
  bytes[20] = 15;
  const failing = store.begin(async (sql) => stageEvents(sql, bytes));
  await t.rejects(failing.then(), { code: "22P04" });
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
});
