import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { applyEvent, type Transaction } from "#domain";
import { testServers } from "#test-support";
import { closeStore, connectStore, type Store } from "../connect.ts";
import { createMemberbase } from "../memberbases/create-memberbase.ts";
import { upsertMembers } from "../members/upsert-members.ts";
import { createOrganisation } from "../organisations/create-organisation.ts";
import { applyEvents, type EventOutcome } from "./apply-events.ts";
import { applyIsolated } from "./apply-isolated.ts";
import { encodeCopyRows } from "./copy-rows.ts";
import { type EventBatch, toEventBatch } from "./event-batch.ts";
import { type EventRow, eventTable, readEventRows, toEvent, writeEventRows } from "./event-row.ts";
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

/** A history: batches of events, how they travel, and after which of them the process is killed before it acknowledges. */
const histories = fc.array(
  fc.record({
    events: fc.array(drafts, { minLength: 1, maxLength: 6 }),
    redelivered: fc.boolean(),
    copied: fc.boolean(),
  }),
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

function toRow(draft: Draft, ord: number, run: string, sequence: number): EventRow {
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
    written_by: sequence,
  };
}

const toBatch = (rows: readonly EventRow[]) => toEventBatch(rows, rows.length, "readable");

/** As large batches travel. */
const copy = (batch: EventBatch) => encodeCopyRows(readEventRows(batch.singles as string));

/** The same through the pure function. */
function applyToModel(model: Map<string, Transaction>, rows: readonly EventRow[]): EventOutcome[] {
  return rows.map((row) => {
    if (row.member_id === MISSING_MEMBER) {
      return { kind: "rejected", rejection: { code: "not_found", reason: "not_found" } };
    }
    const decision = applyEvent(model.get(row.external_id), toEvent(row));
    if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
    model.set(row.external_id, decision.transaction);
    return { kind: decision.outcome };
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
      0,
    ),
  );
  const loaded = await loadTransactions(
    store,
    eventTable(store, writeEventRows(probes)),
    [0, 1, 2, 3],
    "read",
  );
  return new Map(
    loaded.flatMap(({ row, stored }) => (stored ? [[row.external_id, stored.transaction] as const] : [])),
  );
}

t.test(
  "the statements decide what the pure function decides, for any history and any batching",
  async (t) => {
    let sequence = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const run = randomUUID();
        const model = new Map<string, Transaction>();
        for (const { events, redelivered, copied } of history) {
          sequence++;
          const rows = events.map((draft, ord) => toRow(draft, ord, run, sequence));
          const expected = applyToModel(model, rows);
          const batch = toBatch(rows);
          const applied = await applyEvents(store, copied ? { ...batch, singles: copy(batch) } : batch);
          assert.deepEqual(applied.outcomes, expected);
          if (redelivered)
            await applyEvents(store, toBatch(rows.map((row) => ({ ...row, id: randomUUID() }))));
        }
        assert.deepEqual(await readBack(run), model);
      }),
      { numRuns: RUNS },
    );
    t.pass(`${RUNS} histories`);
  },
);

t.test("a redelivered batch of distinct transactions reports what it reported the first time", async (t) => {
  const run = randomUUID();
  const draft = { member: 0, card: 0, descriptor: null, amount: 1, currency: "EUR", eight: true, moment: 5 };
  const seed = [0, 1].map((key, ord) => toRow({ ...draft, key, state: "authorized" }, ord, run, 1_000_001));
  await applyEvents(store, toBatch(seed));
  const rows = [
    toRow({ ...draft, key: 0, state: "cleared" }, 0, run, 1_000_002),
    toRow({ ...draft, key: 1, state: "authorized" }, 1, run, 1_000_002),
    toRow({ ...draft, key: 2, state: "authorized" }, 2, run, 1_000_002),
    toRow({ ...draft, key: 3, state: "reverted", member: 2 }, 3, run, 1_000_002),
  ];
  const { outcomes: first } = await applyEvents(store, toBatch(rows));
  t.strictSame(
    first.map((outcome) => outcome?.kind),
    ["updated", "unchanged", "created", "rejected"],
  );
  t.strictSame((await applyEvents(store, toBatch(rows))).outcomes, first);
});

t.test("concurrent batches over the same keys neither deadlock nor lose a transition", async (t) => {
  const run = randomUUID();
  const make = (state: Draft["state"], sequence: number) =>
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
        sequence,
      ),
      external_id: `${run}-${(i * 7919 + sequence) % 200}`,
    }));
  const batches = [1, 2, 3, 4].map((n) =>
    toBatch(make(n % 2 === 0 ? "cleared" : "authorized", 2_000_000 + n)),
  );
  const results = await Promise.allSettled(batches.map((batch) => applyEvents(store, batch)));
  for (const result of results) {
    // A race between statement and second look is reported as such, and the caller repeats the batch.
    if (result.status === "rejected") t.equal(result.reason.code, "concurrent_write");
  }
  for (const batch of batches) await applyEvents(store, batch);
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
    const row = toRow(draft, 0, run, 3_000_001);
    t.match((await applyEvents(store, toBatch([row]))).outcomes, [{ kind: "created" }]);
    const foreign = { ...row, organisation_id: other };
    t.match((await applyEvents(store, toBatch([foreign]))).outcomes, [
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
    ...toRow({ ...draft, key: 0, state: ord % 2 === 0 ? "authorized" : "cleared" }, ord, run, 4_000_001),
    external_id: `${run}-${ord >> 1}`,
  }));
  for (const ord of [6, 23]) rows[ord] = { ...(rows[ord] as EventRow), amount: 2 ** 60 };
  const { outcomes, poison } = await applyIsolated(store, toBatch(rows));
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
        ...toRow(draft, ord, text, ord),
        merchant_id: text,
        authed_at: "1999-12-31T23:59:59.000001Z",
      };
      assert.deepEqual(readEventRows(writeEventRows([row])), [row]);
    }),
  );
  t.pass("100 rows");
});

t.test("an error in the middle of a copy is told, and the connection goes on", async (t) => {
  const bytes = encodeCopyRows([toRow({ ...PLAIN, key: 0 }, 0, randomUUID(), 1)]);
  // The low byte of the number of columns of the first row.
  bytes[20] = 16;
  const failing = store.begin(async (sql) => stageEvents(sql, bytes));
  await t.rejects(failing.then(), { code: "22P04" });
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
});

t.test(
  "a redelivered batch with several events of a key reports what it reported the first time",
  async (t) => {
    const run = randomUUID();
    const seed = [0, 1].map((key, ord) => toRow({ ...PLAIN, key }, ord, run, 5_000_001));
    await applyEvents(store, toBatch(seed));
    const states = ["authorized", "cleared", "cleared", "reverted"] as const;
    const rows = [0, 2].flatMap((key, i) =>
      states.map((state, j) => toRow({ ...PLAIN, key, state }, i * states.length + j, run, 5_000_002)),
    );
    const { outcomes: first } = await applyEvents(store, toBatch(rows));
    t.strictSame(
      first.map((outcome) => outcome?.kind),
      ["unchanged", "updated", "unchanged", "rejected", "created", "updated", "unchanged", "rejected"],
    );
    t.strictSame((await applyEvents(store, toBatch(rows))).outcomes, first);
  },
);
