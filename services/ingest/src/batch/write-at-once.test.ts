import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import type { BatchEvent } from "#domain";
import { closeStore, connectStore, refusalOfData, type Sql, type Store } from "#postgres";
import { explaining, testDeal, testMember, testServers, testStore, waitForLocks } from "#test-support";
import { deleteMemberbase } from "../../../edge/src/members/memberbases.ts";
import { type PositionMove, takeOverPosition } from "../positions/ingest-position.ts";
import { type AppliedBatch, applyEvents } from "./apply-events.ts";
import { type DecidedBatch, decideEvents } from "./decide-events.ts";
import { type EventBatch, toEventBatch } from "./event-batch.ts";
import { loadForEvents } from "./load-for-events.ts";
import { decideAtOnce, writeAtOnce } from "./write-at-once.ts";

const DIVISION_BY_ZERO = "22012";
const UNIQUE_VIOLATION = "23505";

let store: Store;

t.before(async () => {
  store = await testStore();
});

interface Owner {
  readonly organisationId: string;
  readonly memberbaseId: string;
  readonly memberId: string;
  readonly move: PositionMove;
}

let partitions = 0;

async function newOwner(on: Store = store): Promise<Owner> {
  const partition = ++partitions;
  const { epoch, applied } = await takeOverPosition(on, partition);
  const move = {
    partition,
    epoch,
    from: applied,
    applied: applied + 3,
    published: 1,
    storedAtMs: null,
  };
  return { ...(await testMember(on)), move };
}

/** Another member of the same memberbase. */
async function testMemberOf({ organisationId, memberbaseId }: Owner): Promise<{ memberId: string }> {
  const memberId = randomUUID();
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    values (${memberId}, ${organisationId}, ${memberbaseId}, ${memberId})`;
  return { memberId };
}

type Drafted = Pick<BatchEvent, "externalId"> & Partial<BatchEvent>;

function toEvents({ organisationId, memberId }: Owner, drafts: readonly Drafted[]): BatchEvent[] {
  return drafts.map(({ state = "authorized", ...draft }, ord) => ({
    ord,
    id: randomUUID(),
    organisationId,
    memberId,
    state,
    network: "visa",
    merchantId: "M1",
    statementDescriptor: null,
    amount: 100,
    currency: null,
    authedAt: "2026-05-01T10:00:00.000000Z",
    clearedAt: state === "cleared" ? "2026-05-02T10:00:00.000000Z" : null,
    revertedAt: state === "reverted" ? "2026-05-02T10:00:00.000000Z" : null,
    identifier6: "16".repeat(32),
    identifier8: null,
    firstDescriptor: null,
    ...draft,
  }));
}

const toBatch = (owner: Owner, ...drafts: Drafted[]) => toEventBatch(toEvents(owner, drafts));
const inBulk = (owner: Owner, ...drafts: Drafted[]) =>
  store.begin((sql) => applyEvents(sql, toBatch(owner, ...drafts)));

/** Decides and writes; looks stored rows up. */
async function atOnce(sql: Sql, owner: Owner, move: PositionMove, ...drafts: Drafted[]) {
  const batch = toBatch(owner, ...drafts);
  return writeAtOnce(sql, batch, await decideAtOnce(sql, batch, () => false, true), [move]);
}

/** All rows that a batch writes. */
const everything = () => store`
  select (select jsonb_agg(t order by organisation_id, external_id) from transactions t) as transactions,
         (select jsonb_agg(p order by partition) from ingest_positions p) as positions`;

/**
 * A batch with one new row, one new row of two events, and one changed row. The last event is the one under
 * test.
 */
async function decideMixed(owner: Owner, wrong: Partial<BatchEvent> = {}) {
  await inBulk(owner, { externalId: "old" });
  const batch = toBatch(
    owner,
    { externalId: "new" },
    { externalId: "both" },
    { externalId: "both", state: "cleared" },
    { externalId: "old", state: "cleared" },
    { externalId: "wrong", ...wrong },
  );
  const changed = decideEvents(batch, [3], [3], await loadForEvents(store, batch, [3], "looked at"));
  // Decided without a look-up.
  const made = decideEvents(batch, [0, 1, 2, 4]);
  const outcomes = made.outcomes.map((outcome, ord) => outcome ?? changed.outcomes[ord]);
  return { batch, decided: { ...made, outcomes, updated: changed.updated } satisfies DecidedBatch };
}

t.test("at once - a batch decided on the true state is written, with its position", async (t) => {
  const owner = await newOwner();
  const { batch, decided } = await decideMixed(owner);
  const applied = await writeAtOnce(store, batch, decided, [owner.move]);
  t.strictSame(
    applied.outcomes.map((outcome) => outcome?.kind),
    ["created", "created", "updated", "updated", "created"],
  );
  const rows = await store<{ ref: string; state: string }[]>`
    select external_id as ref, state from transactions
    where organisation_id = ${owner.organisationId} order by external_id`;
  t.strictSame(rows, [
    { ref: "both", state: "cleared" },
    { ref: "new", state: "authorized" },
    { ref: "old", state: "cleared" },
    { ref: "wrong", state: "authorized" },
  ]);
  t.match(await takeOverPosition(store, owner.move.partition), {
    applied: 3,
    published: 1,
  });
});

for (const isLinked of [false, true]) {
  const who = isLinked ? "with links" : "that never had a link";
  t.test(
    `a change by a member ${who} ${isLinked ? "may have" : "cannot have"} earned something`,
    async (t) => {
      const owner = await newOwner();
      await inBulk(owner, { externalId: "one" }, { externalId: "two" });
      await store`update members set linked = ${isLinked} where organisation_id = ${owner.organisationId}`;
      const bulk = await inBulk(owner, { externalId: "one", state: "cleared" }, { externalId: "new" });
      const once = await atOnce(store, owner, owner.move, { externalId: "two", state: "cleared" });
      for (const { changed } of [bulk, once]) {
        t.strictSame(
          changed.map(({ transaction, mayHaveEarned }) => [transaction.state, mayHaveEarned]),
          [["cleared", isLinked]],
        );
      }
      // Events of two earlier batches may come in one batch after a restore.
      const again = { externalId: "again" };
      const folded = await inBulk(owner, again, { ...again, state: "cleared" }, { externalId: "three" });
      t.strictSame(
        folded.changed.map(({ mayHaveEarned }) => mayHaveEarned),
        [isLinked],
      );
    },
  );
}

t.test("regression - a purchase cleared while its linked member was deleted was never settled", async (t) => {
  const owner = await newOwner();
  await inBulk(owner, { externalId: "one" });
  await store`update members set linked = true where id = ${owner.memberId}`;
  const batch = toBatch(owner, { externalId: "one", state: "cleared" });
  const decided = await decideAtOnce(store, batch, () => false, false);
  await store`delete from members where id = ${owner.memberId}`;
  const { changed } = await writeAtOnce(store, batch, decided, [owner.move]);
  t.strictSame(
    changed.map(({ mayHaveEarned }) => mayHaveEarned),
    [true],
  );
});

t.test("a purchase that was there is not told of a new clip ahead of the others", async (t) => {
  const owner = await newOwner();
  const { organisationId, memberId } = owner;
  await inBulk(owner, { externalId: "one" }, { externalId: "two" });
  await store`update members set linked = true where id = ${memberId}`;
  const [clip, deal] = [randomUUID(), await testDeal(store, { retroactive: true })];
  await store`
    insert into clips (id, organisation_id, member_id, deal_id, created_at)
    values (${clip}, ${organisationId}, ${memberId}, ${deal}, '2026-05-01T10:00:01Z')`;
  const clipsOf = ({ links }: AppliedBatch) =>
    [...links.values()].map(({ clips }) => clips.map(({ id }) => id));
  await store`insert into new_links (id, made_at, member_id, deal_id) values (${clip}, now(), ${memberId}, ${deal})`;
  const bulk = await inBulk(owner, { externalId: "one", amount: 1, state: "cleared" }, { externalId: "new" });
  t.strictSame(clipsOf(bulk), [[clip], []], "the one that is new is");
  t.strictSame(clipsOf(await atOnce(store, owner, owner.move, { externalId: "two", state: "cleared" })), [
    [],
  ]);
  await store`delete from new_links where id = ${clip}`;
  const later = await inBulk(owner, { externalId: "new", state: "cleared" });
  t.strictSame(clipsOf(later), [[clip]], "once all are published");
});

t.test("at once - a batch of unreadable messages moves its position", async (t) => {
  const owner = await newOwner();
  await atOnce(store, owner, owner.move);
  t.match(await takeOverPosition(store, owner.move.partition), { applied: 3 });
});

interface Mistake {
  readonly code: string;
  /** The content of the last event. */
  readonly wrong?: (owner: Owner) => Promise<Partial<BatchEvent>>;
  /** What happens between the look-up and the write. */
  readonly meanwhile?: (owner: Owner) => PromiseLike<unknown>;
}

const ofMember = async (memberId: string) => ({ memberId });

const MISTAKES: Readonly<Record<string, Mistake>> = {
  "a member that does not exist": { code: DIVISION_BY_ZERO, wrong: () => ofMember(randomUUID()) },
  "a member of another organisation": {
    code: DIVISION_BY_ZERO,
    wrong: async () => ofMember((await testMember(store)).memberId),
  },
  "a member of a memberbase that is being deleted": {
    code: DIVISION_BY_ZERO,
    meanwhile: ({ organisationId, memberbaseId }) => deleteMemberbase(store, organisationId, memberbaseId),
  },
  "a member that was deleted since": {
    code: DIVISION_BY_ZERO,
    meanwhile: ({ memberId }) => store`delete from members where id = ${memberId}`,
  },
  "a key that is there already": {
    code: UNIQUE_VIOLATION,
    meanwhile: (owner) => inBulk(owner, { externalId: "wrong" }),
  },
  "a key of several events that is there already": {
    code: UNIQUE_VIOLATION,
    meanwhile: (owner) => inBulk(owner, { externalId: "both" }),
  },
  "a changed row that is gone": {
    code: DIVISION_BY_ZERO,
    meanwhile: ({ organisationId }) =>
      store`delete from transactions where organisation_id = ${organisationId} and external_id = 'old'`,
  },
  "a position that another process moved": {
    code: DIVISION_BY_ZERO,
    meanwhile: ({ move: { partition } }) =>
      store`update ingest_positions set applied = applied + 1 where partition = ${partition}`,
  },
  "an epoch that another process raised": {
    code: DIVISION_BY_ZERO,
    meanwhile: ({ move }) => takeOverPosition(store, move.partition),
  },
  "a position that is gone": {
    code: DIVISION_BY_ZERO,
    meanwhile: ({ move: { partition } }) =>
      store`delete from ingest_positions where partition = ${partition}`,
  },
  "an amount that no row may have": {
    code: "23514",
    wrong: async () => ({ amount: 2 ** 60 }),
  },
};

for (const [name, { code, wrong, meanwhile }] of Object.entries(MISTAKES)) {
  t.test(`at once - ${name} refuses all of the batch and leaves nothing`, async (t) => {
    const owner = await newOwner();
    const { batch, decided } = await decideMixed(owner, await wrong?.(owner));
    await meanwhile?.(owner);
    const before = await everything();
    await assertRefused(t, writeAtOnce(store, batch, decided, [owner.move]), code);
    t.strictSame(await everything(), before);
  });
}

async function assertRefused(t: Test, writing: Promise<unknown>, code: string): Promise<void> {
  const error = await writing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  t.equal(refusalOfData(error), code, "it is known to be a refusal");
}

t.test("at once - of two partitions, one that is lost refuses both", async (t) => {
  const [one, other] = [await newOwner(), await newOwner()];
  const batch = toBatch(one, { externalId: "new" });
  const decided = await decideAtOnce(store, batch, () => true, false);
  await takeOverPosition(store, other.move.partition);
  const before = await everything();
  await assertRefused(t, writeAtOnce(store, batch, decided, [one.move, other.move]), DIVISION_BY_ZERO);
  t.strictSame(await everything(), before);
});

t.test("at once - an owner that is fenced while its statement waits, writes nothing", async (t) => {
  const owner = await newOwner();
  let writing: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    await takeOverPosition(sql, owner.move.partition);
    writing = assertRefused(t, atOnce(store, owner, owner.move, { externalId: "new" }), DIVISION_BY_ZERO);
    await waitForLocks(store);
  });
  await writing;
  const rows = await store`select from transactions where organisation_id = ${owner.organisationId}`;
  t.equal(rows.length, 0);
});

t.test("at once - a transaction that lost its member before ids were kept, stays without one", async (t) => {
  const owner = await newOwner();
  await inBulk(owner, { externalId: "old" });
  const batch = toBatch(owner, { externalId: "old", state: "cleared" });
  const decided = await decideAtOnce(store, batch, () => false, false);
  await store`delete from members where id = ${owner.memberId}`;
  await store`update transactions set member_id = null where member_id = ${owner.memberId}`;
  await writeAtOnce(store, batch, decided, [owner.move]);
  const rows = await store<{ member: string | null; state: string }[]>`
    select member_id as member, state from transactions where organisation_id = ${owner.organisationId}`;
  t.strictSame(rows, [{ member: null, state: "cleared" }]);
});

t.test(
  "regression - a small batch whose events are not in the order of their keys and rewards waited for each other",
  async (t) => {
    const owner = await newOwner();
    await inBulk(owner, { externalId: "a" }, { externalId: "b" });
    let settling: Promise<unknown> | undefined;
    await store.begin(async (sql) => {
      const lock = (externalId: string) => sql`
        select from transactions
        where organisation_id = ${owner.organisationId} and external_id = ${externalId} for share`;
      // Like rewards, which locks in the order of keys.
      await lock("a");
      const drafts = ["b", "a"].map((externalId) => ({ externalId, state: "cleared" }) as const);
      settling = atOnce(store, owner, owner.move, ...drafts).catch((error) => error.code);
      await waitForLocks(store);
      await lock("b");
    });
    t.not(await settling, "40P01", "no deadlock");
    const rows = await settlings(owner);
    t.strictSame(
      rows.map(({ ref }) => ref),
      ["b", "a"],
      "in the order of the events, as in bulk",
    );
  },
);

t.test("regression - the purchase of a deleted member could never end", async (t) => {
  for (const [how, write] of [
    ["in bulk", (owner: Owner, ...drafts: Drafted[]) => inBulk(owner, ...drafts)],
    ["at once", (owner: Owner, ...drafts: Drafted[]) => atOnce(store, owner, owner.move, ...drafts)],
  ] as const) {
    const owner = await newOwner();
    await inBulk(owner, { externalId: "old id" }, { externalId: "new id" }, { externalId: "no id" });
    await store`delete from members where id = ${owner.memberId}`;
    await store`update deleted_members set changed_at = now() - interval '2 hours' where member_id = ${owner.memberId}`;
    const { memberId: again } = await testMemberOf(owner);
    const applied = await write(
      owner,
      { externalId: "old id", state: "cleared" },
      { externalId: "new id", state: "reverted", memberId: again },
      { externalId: "no id", state: "reverted", memberId: null },
      { externalId: "no id", state: "reverted", identifier6: "17".repeat(32) },
      { externalId: "never stored" },
    );
    t.match(
      applied.outcomes,
      [
        { kind: "updated" },
        { kind: "updated" },
        { kind: "updated" },
        { kind: "rejected", rejection: { reason: "identity_mismatch", field: "card" } },
        { kind: "rejected", rejection: { reason: "not_found" } },
      ],
      how,
    );
    t.ok(
      applied.changed.every(
        ({ mayHaveEarned, transaction }) => mayHaveEarned && transaction.memberId === null,
      ),
      "rewards hears of them, and they have no member",
    );
    t.equal(applied.links.size, 0);
    const noted = await store`
      select from deleted_members where member_id = ${owner.memberId} and changed_at > now() - interval '1 hour'`;
    t.equal(noted.length, 1, "that they changed is noted of the member");
    const rows = await store<{ ref: string; state: string }[]>`
      select external_id as ref, state from transactions
      where organisation_id = ${owner.organisationId} order by external_id`;
    t.strictSame(
      rows.map(({ ref, state }) => [ref, state]),
      [
        ["new id", "reverted"],
        ["no id", "reverted"],
        ["old id", "cleared"],
      ],
      how,
    );
  }
});

t.test(
  "an event of a known transaction that names another member, there or not, is a mismatch",
  async (t) => {
    const owner = await newOwner();
    await inBulk(owner, { externalId: "old" });
    const { memberId: other } = await testMemberOf(owner);
    const applied = await inBulk(
      owner,
      { externalId: "old", memberId: other },
      { externalId: "old", memberId: randomUUID() },
      { externalId: "old", memberId: null },
      { externalId: "new" },
      { externalId: "new", memberId: randomUUID() },
    );
    const mismatch = { kind: "rejected", rejection: { reason: "identity_mismatch", field: "member_id" } };
    t.match(applied.outcomes, [mismatch, mismatch, mismatch, { kind: "created" }, mismatch]);
  },
);

const settlings = ({ organisationId }: Owner) => store<{ ref: string; settled: number | null }[]>`
  select external_id as ref, settled_order as settled from transactions
  where organisation_id = ${organisationId} order by settled_order nulls first, external_id`;

t.test("settled order - `writeAtOnce` draws it where the bulk path draws it", async (t) => {
  const histories: Drafted[][] = [
    [
      { externalId: "a" },
      { externalId: "b" },
      { externalId: "c" },
      { externalId: "final", state: "cleared" },
      { externalId: "folded" },
      { externalId: "folded", state: "reverted" },
    ],
    [
      { externalId: "b", state: "reverted" },
      { externalId: "a", statementDescriptor: "COFFEE" },
    ],
    [
      { externalId: "a", state: "cleared" },
      { externalId: "b", state: "reverted" },
    ],
    [
      { externalId: "a", state: "cleared", statementDescriptor: "COFFEE TIPPED" },
      { externalId: "final", state: "cleared", statementDescriptor: "COFFEE" },
    ],
  ];
  const [bulk, owner] = [await newOwner(), await newOwner()];
  const seen: unknown[] = [];
  for (const write of [
    (drafts: Drafted[]) => inBulk(bulk, ...drafts),
    (drafts: Drafted[], move: PositionMove) => atOnce(store, owner, move, ...drafts),
  ]) {
    let { move } = owner;
    for (const drafts of histories) {
      await write(drafts, move);
      move = { ...move, from: move.applied, applied: move.applied + 3 };
    }
  }
  for (const one of [bulk, owner]) {
    const rows = await settlings(one);
    seen.push(rows.map(({ ref, settled }) => [ref, settled === null]));
  }
  const expected = [
    ["c", true],
    ["final", true],
    ["folded", true],
    ["b", false],
    ["a", false],
  ];
  t.strictSame(seen, [expected, expected]);
});

t.test(
  "regression - transactions of one batch settled in the order of a join, or of their first changes",
  async (t) => {
    const first: Drafted[] = ["a", "b", "c"].map((externalId) => ({ externalId }));
    const settling: Drafted[] = [
      { externalId: "b", statementDescriptor: "COFFEE" },
      { externalId: "c", state: "cleared" },
      { externalId: "b", state: "reverted" },
      { externalId: "a", state: "cleared" },
      { externalId: "c", statementDescriptor: "COFFEE" },
    ];
    /** Such a join gives its rows in the order of the table. */
    const withoutPlaces = (batch: EventBatch) =>
      store.begin(async (sql) => {
        await sql`set local enable_tidscan = off`;
        await sql`set local enable_nestloop = off`;
        return applyEvents(sql, batch);
      });
    const writes: ((owner: Owner) => Promise<unknown>)[] = [
      (owner) => atOnce(store, owner, owner.move, ...settling),
      (owner) => inBulk(owner, ...settling),
      (owner) => withoutPlaces(toBatch(owner, ...settling)),
    ];
    for (const write of writes) {
      const owner = await newOwner();
      await inBulk(owner, ...first);
      await write(owner);
      const order = (await settlings(owner)).map(({ ref }) => ref);
      t.strictSame(order, ["c", "b", "a"]);
    }
  },
);

t.test("settled order - `writeAtOnce` draws it while it holds the row's lock, not before", async (t) => {
  const owner = await newOwner();
  await inBulk(owner, { externalId: "first" }, { externalId: "second" });
  let reverting: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    await sql`
      select from transactions
      where organisation_id = ${owner.organisationId} and external_id = 'first' for share`;
    reverting = atOnce(store, owner, owner.move, { externalId: "first", state: "reverted" });
    await waitForLocks(store);
    await inBulk(owner, { externalId: "second", state: "cleared" });
  });
  await reverting;
  t.strictSame(
    (await settlings(owner)).map(({ ref }) => ref),
    ["second", "first"],
  );
});

const ROWS = 20_000;
/** The server plans a statement again for each of its first five runs, and may reuse a plan from then on. */
const BATCHES = 8;

t.test("plan - on tables that were analysed while empty, nothing is read from end to end", async (t) => {
  const url = await (await testServers()).databaseUrl();
  const connect = (plansByIndex: boolean) => {
    const made = connectStore({ url, max: 1, applicationName: "test", plansByIndex });
    t.teardown(() => closeStore(made));
    return made;
  };
  const [writer, other] = [connect(true), connect(false)];
  for (const table of ["members", "memberbases", "transactions"])
    await other.script(`vacuum analyze ${table}`);
  const owner = await newOwner(other);
  const plans: string[] = [];
  let { move } = owner;
  const write = async (sql: Sql, batch: number) => {
    const drafts = Array.from({ length: 30 }, (_, n) => ({ externalId: `new ${batch}-${n}` }));
    const changed = Array.from({ length: 30 }, (_, n) => ({
      externalId: `old ${30 * batch + n + 1}`,
      state: "cleared" as const,
    }));
    const { outcomes } = await atOnce(sql, owner, move, ...drafts, ...changed);
    move = { ...move, from: move.applied, applied: move.applied + 3 };
    const kinds = outcomes.map((outcome) => outcome?.kind);
    t.equal(kinds.filter((kind) => kind === "updated").length, batch === 0 ? 0 : 30);
  };
  // Planned on empty tables, as by a writer of a new installation.
  await write(writer, 0);
  await other`
    insert into members (id, organisation_id, memberbase_id, ref)
    select gen_random_uuid(), ${owner.organisationId}, ${owner.memberbaseId}, 'member ' || n
    from generate_series(1, ${ROWS}::int) as n`;
  await other`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select '2026-05-01T10:00:00Z', organisation_id, gen_random_uuid(), ${owner.memberId},
           'old ' || split_part(ref, ' ', 2), 'authorized', 'visa', 'M1', decode(repeat('16', 32), 'hex')
    from members where ref like 'member %'
    on conflict do nothing`;
  const before = await readsOfAll(writer);
  for (let batch = 1; batch <= BATCHES; batch++) await write(writer, batch);
  t.strictSame(await readsOfAll(writer), before, "as it was run");
  await write(explaining(writer, plans), BATCHES + 1);
  const batch = toBatch(owner, { externalId: `old ${ROWS}`, state: "cleared" });
  const { changed } = await writer.begin((sql) => applyEvents(explaining(sql, plans), batch));
  t.equal(changed.length, 1);
  const named = plans.filter((plan) => /on (members|transactions)/.test(plan));
  t.ok(named.length >= 4, "a look, a write, a look that locks, an update");
  t.equal(
    named.filter((plan) => /Tid Scan on transactions/.test(plan)).length,
    1,
    "the update goes to the place",
  );
  for (const plan of named) t.notMatch(plan, /Seq Scan on (members|transactions)\b/);
});

/** How often each table was read from end to end. */
async function readsOfAll(sql: Sql) {
  await sql`select pg_stat_force_next_flush()`;
  return sql`
    select relname, seq_scan from pg_stat_user_tables
    where relname in ('members', 'transactions') order by relname`;
}
