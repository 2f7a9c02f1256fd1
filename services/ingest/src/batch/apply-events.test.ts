import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { COPY_HEADER, COPY_TRAILER, packRows, RecordPacker } from "#contract/codec";
import { applyEvent, type BatchEvent, type EventResult, type Transaction } from "#domain";
import { closeStore, connectStore, refusalOfData, type Store } from "#postgres";
import { createOrganisation } from "#publisher-db";
import { testServers } from "#test-support";
import { createMemberbase } from "../../../edge/src/members/memberbases.ts";
import { upsertMembers } from "../../../edge/src/members/upsert-members.ts";
import { movePositions, takeOverPosition } from "../positions/ingest-position.ts";
import { type AppliedBatch, applyEvents, everyOrd } from "./apply-events.ts";
import { applyIsolated } from "./apply-isolated.ts";
import { type EventBatch, toEventBatch } from "./event-batch.ts";
import { KnownKeys, NewKeys } from "./known-keys.ts";
import { findTransactions } from "./load-for-events.ts";
import { decideAtOnce, writeAtOnce } from "./write-at-once.ts";

/** Compares the SQL with the pure function `applyEvent`: random histories of few keys, in random batches. */
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

/**
 * The fields that a generated event varies. Their domains are small, so that events of one key meet in every
 * combination.
 */
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

/** A history: batches of events. */
const histories = fc.array(fc.array(drafts, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });

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
const identifier = (card: number, digits: number) => `${card}${digits}`.repeat(32);

function toRow(draft: Draft, ord: number, run: string): BatchEvent {
  const at = `2026-05-01T10:00:00.${String(draft.moment).padStart(6, "0")}Z`;
  return {
    ord,
    id: randomUUID(),
    organisationId: organisation,
    memberId: [...members, MISSING_MEMBER][draft.member] as string,
    externalId: `${run}-${draft.key}`,
    state: draft.state,
    network: "visa",
    merchantId: "M1",
    statementDescriptor: draft.descriptor,
    amount: draft.amount,
    currency: draft.currency,
    authedAt: at,
    clearedAt: draft.state === "cleared" ? at : null,
    revertedAt: draft.state === "reverted" ? at : null,
    identifier6: identifier(draft.card, 6),
    identifier8: draft.eight ? identifier(draft.card, 8) : null,
    firstDescriptor: null,
  };
}

const toBatch = (events: readonly BatchEvent[]) => toEventBatch(events);

const apply = (batch: EventBatch) => store.begin((sql) => applyEvents(sql, batch));

/** Applies the same events with the pure function. */
function applyToModel(model: Map<string, Transaction>, rows: readonly BatchEvent[]): EventResult[] {
  return rows.map((row) => {
    if (row.memberId === MISSING_MEMBER && !model.has(row.externalId)) {
      return { kind: "rejected", rejection: { code: "not_found", reason: "not_found" } };
    }
    const decision = applyEvent(model.get(row.externalId), row);
    if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
    model.set(row.externalId, decision.transaction);
    return { kind: decision.outcome, ignored: decision.ignored };
  });
}

async function readBack(run: string): Promise<Map<string, Transaction>> {
  const keys = [0, 1, 2, 3].map((key) => ({ organisationId: organisation, externalId: `${run}-${key}` }));
  const found = await findTransactions(store, keys);
  return new Map(found.flatMap((one) => (one ? [[one.externalId, lifecycleOf(one)] as const] : [])));
}

/** The fields of a row or an event that the lifecycle decides on. */
function lifecycleOf(one: Transaction & Partial<BatchEvent>): Transaction {
  const { ord: _ord, id: _id, organisationId: _organisation, externalId: _external, ...rest } = one;
  return rest;
}

t.test("batches come to what the pure function decides, for any history and any batching", async (t) => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const run = randomUUID();
      const model = new Map<string, Transaction>();
      for (const events of history) {
        const rows = events.map((draft, ord) => toRow(draft, ord, run));
        const before = new Map(model);
        const expected = applyToModel(model, rows);
        const applied = await apply(toBatch(rows));
        assert.deepEqual(applied.outcomes, expected);
        assertTold(applied, rows, before, model);
      }
      assert.deepEqual(await readBack(run), model);
    }),
    { numRuns: RUNS },
  );
  t.pass(`${RUNS} histories`);
});

/**
 * The process that gets a batch: the owner, an owner that has just begun, or a process unknown to the owner.
 */
const ownedHistories = fc.array(
  fc.record({
    events: fc.array(drafts, { minLength: 1, maxLength: 6 }),
    by: fc.constantFrom("owner", "owner", "owner", "next owner", "another process"),
  }),
  { minLength: 1, maxLength: 8 },
);

t.test("the owner's memory changes no result, even if another process writes the same keys", async (t) => {
  let contradicted = 0;
  await fc.assert(
    fc.asyncProperty(ownedHistories, async (history) => {
      // Time-sortable, and above the keys of all other tests.
      const run = `~${uuidv7()}`;
      const model = new Map<string, Transaction>();
      let keys = new KnownKeys();
      for (const { events, by } of history) {
        const rows = events.map((draft, ord) => toRow(draft, ord, run));
        const before = new Map(model);
        const expected = applyToModel(model, rows);
        if (by === "next owner") keys = new KnownKeys();
        const batch = toBatch(rows);
        const fresh = freshKeys(batch, by === "another process" ? undefined : keys);
        const applied = await applyOwned(batch, fresh).catch((error) => {
          assert.equal(error.code, "23505");
          contradicted++;
          return store.begin((sql) => applyIsolated(sql, batch));
        });
        fresh.committed();
        assert.deepEqual(applied.outcomes, expected);
        assertTold(applied, rows, before, model);
      }
      assert.deepEqual(await readBack(run), model);
    }),
    { numRuns: RUNS },
  );
  t.ok(contradicted > 0, `${contradicted} batches met rows that the owner did not know`);
});

function freshKeys(events: EventBatch, keys: KnownKeys | undefined): NewKeys {
  const heads = [{ reply: "", parts: [], events: events.count }];
  return new NewKeys({ heads, events, indexes: new Uint32Array(), records: new RecordPacker(0).packed() }, [
    keys,
  ]);
}

const applyOwned = (batch: EventBatch, fresh: NewKeys) =>
  store.begin(async (sql) => {
    await fresh.learn(sql);
    return applyEvents(sql, batch, everyOrd(batch), (ord) => fresh.has(ord));
  });

/** The owner of a partition. It writes small batches with `writeAtOnce` and moves its position with each. */
class OwnerAtOnce {
  keys = new KnownKeys();
  contradicted = 0;
  readonly #partition: number;
  #epoch = 0;
  #applied = 0;

  constructor(partition: number) {
    this.#partition = partition;
  }

  /** The new owner knows only the position. */
  async takeOver(): Promise<void> {
    const { epoch, applied } = await takeOverPosition(store, this.#partition);
    assert.equal(applied, this.#applied, "it moved with each batch, once");
    this.#epoch = epoch;
    this.keys = new KnownKeys();
  }

  /** @param looksFirst look the members up first, as after a contradiction */
  async apply(batch: EventBatch, keys: KnownKeys | undefined, looksFirst: boolean): Promise<AppliedBatch> {
    const fresh = freshKeys(batch, keys);
    await fresh.learn(store);
    const decided = await decideAtOnce(store, batch, (ord) => fresh.has(ord), looksFirst);
    const move = {
      partition: this.#partition,
      epoch: this.#epoch,
      from: this.#applied,
      applied: this.#applied + 1,
      published: 0,
      storedAtMs: null,
    };
    const applied = await writeAtOnce(store, batch, decided, [move]).catch((error) => {
      assert.match(refusalOfData(error) ?? error.message, /^(23505|22012)$/);
      this.contradicted++;
      return store.begin(async (sql) => {
        const isolated = await applyIsolated(sql, batch);
        await movePositions(sql, [move]);
        return isolated;
      });
    });
    this.#applied++;
    fresh.committed();
    return applied;
  }
}

const historiesAtOnce = fc.array(
  fc.record({
    events: fc.array(drafts, { minLength: 1, maxLength: 6 }),
    by: fc.constantFrom("owner", "owner", "owner", "next owner", "owner without memory", "another process"),
    looksFirst: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

for (const [knowledge, knows] of [
  ["with the owner's memory of new keys, lost in the middle", true],
  ["without any memory of new keys", false],
] as const) {
  t.test(`batches written at once come to what the pure function decides, ${knowledge}`, async (t) => {
    const owner = new OwnerAtOnce(knows ? 1 : 2);
    await owner.takeOver();
    await fc.assert(
      fc.asyncProperty(historiesAtOnce, async (history) => {
        // Time-sortable, and above the keys of all other tests.
        const run = `~~${uuidv7()}`;
        const model = new Map<string, Transaction>();
        for (const { events, by, looksFirst } of history) {
          const rows = events.map((draft, ord) => toRow(draft, ord, run));
          const before = new Map(model);
          const expected = applyToModel(model, rows);
          if (by === "next owner") await owner.takeOver();
          const batch = toBatch(rows);
          const keys = knows && by !== "owner without memory" ? owner.keys : undefined;
          const applied = await (by === "another process"
            ? apply(batch)
            : owner.apply(batch, keys, looksFirst));
          assert.deepEqual(applied.outcomes, expected);
          assertTold(applied, rows, before, model);
        }
        assert.deepEqual(await readBack(run), model);
      }),
      { numRuns: RUNS },
    );
    await owner.takeOver();
    if (knows)
      t.ok(owner.contradicted > 0, `${owner.contradicted} batches met rows that the owner did not know`);
    else t.equal(owner.contradicted, 0, "a batch that looks everything up is never contradicted");
  });
}

/** Any text that a row can hold. */
const texts = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\0", "0"));

t.test("a row is the same whether it is copied or written at once", async (t) => {
  const owner = new OwnerAtOnce(3);
  await owner.takeOver();
  const findRow = async (externalId: string) => {
    const [row] = await store<{ row: Record<string, unknown> }[]>`
      select to_jsonb(t) - '{id,external_id,created_at,updated_at}'::text[] as row from transactions t
      where organisation_id = ${organisation} and external_id = ${externalId}`;
    return row?.row;
  };
  await fc.assert(
    fc.asyncProperty(drafts, texts, texts, async (draft, text, descriptor) => {
      const run = randomUUID();
      const row = {
        ...toRow({ ...draft, member: 0 }, 0, run),
        merchantId: text,
        statementDescriptor: descriptor,
      };
      const one = { ...row, externalId: `${run}-copied-${text}` };
      const other = { ...row, externalId: `${run}-at-once-${text}` };
      await apply(toBatch([one]));
      await owner.apply(toBatch([other]), undefined, true);
      const copied = await findRow(one.externalId);
      assert.ok(copied);
      assert.deepEqual(await findRow(other.externalId), copied);
    }),
    { numRuns: 50 },
  );
  t.equal(owner.contradicted, 0);
});

/** Asserts that the batch publishes every row that it made or changed, once, in its final state. */
function assertTold(
  { created, changed }: AppliedBatch,
  rows: readonly BatchEvent[],
  before: ReadonlyMap<string, Transaction>,
  after: ReadonlyMap<string, Transaction>,
): void {
  const keyAt = (ord: number) => (rows[ord] as BatchEvent).externalId;
  const told = [...created.map(keyAt), ...changed.map(({ ord }) => keyAt(ord))].sort();
  const wanted = [...after].filter(([key, now]) => before.get(key) !== now).map(([key]) => key);
  const really = wanted.filter((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    return was === undefined || JSON.stringify(was) !== JSON.stringify(is);
  });
  assert.deepEqual(told, really.sort());
  for (const ord of created) {
    assert.deepEqual(lifecycleOf(rows[ord] as BatchEvent), after.get(keyAt(ord)));
  }
  for (const { ord, transaction } of changed)
    assert.deepEqual(lifecycleOf(transaction), after.get(keyAt(ord)));
}

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
      externalId: `${run}-${(i * 7919 + shift) % 200}`,
    }));
  const batches = [1, 2, 3, 4].map((n) => toBatch(make(n % 2 === 0 ? "cleared" : "authorized", n)));
  const results = await Promise.allSettled(batches.map(apply));
  for (const result of results) {
    // The primary key or a deadlock ends one of them, and the caller repeats the batch.
    if (result.status === "rejected") t.match(result.reason.code, /^(23505|40P01)$/);
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
    const foreign = { ...row, organisationId: other };
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
    externalId: `${run}-${ord >> 1}`,
  }));
  for (const ord of [6, 23]) rows[ord] = { ...(rows[ord] as BatchEvent), amount: 2 ** 60 };
  const { outcomes, poison } = await store.begin((sql) => applyIsolated(sql, toBatch(rows)));
  t.strictSame(
    poison.map(({ event, error }) => [event.ord, error]),
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

t.test("an error in the middle of a copy is reported, and the connection stays usable", async (t) => {
  const tuple = packRows([toRow({ ...PLAIN, key: 0 }, 0, randomUUID())]).bytes;
  // The low byte of the tuple's column count.
  tuple[1] = 14;
  const bytes = Buffer.concat([COPY_HEADER, tuple, COPY_TRAILER]);
  const failing = store.begin((sql) => sql.copyIn("copy transactions from stdin (format binary)", bytes));
  await t.rejects(failing, { code: "22P04" });
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
});
