import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import type { BatchEvent } from "#domain";
import type { Store } from "#postgres";
import { testMember, testStore, waitForLocks } from "#test-support";
import { applyEvents } from "../batch/apply-events.ts";
import { toEventBatch } from "../batch/event-batch.ts";
import { KnownKeys, NewKeys } from "../batch/known-keys.ts";
import type { PreparedBatch } from "../batch/prepare-batch.ts";
import { decideAtOnce } from "../batch/write-at-once.ts";

/** Events of transactions that retention has removed, or may have removed. */
let store: Store;

t.before(async () => {
  store = await testStore();
});

const LIMIT = "2026-05-01T00:00:00.000000Z";
const OLD = "2026-04-30T23:59:59.999999Z";

async function setUp(_t: Test) {
  const { organisationId, memberId } = await testMember(store);
  const event = (externalId: string, changes: Partial<BatchEvent> = {}): BatchEvent => ({
    ord: 0,
    id: uuidv7(),
    organisationId,
    memberId,
    externalId,
    state: "authorized",
    network: "visa",
    merchantId: "m",
    statementDescriptor: null,
    amount: null,
    currency: null,
    authedAt: OLD,
    clearedAt: null,
    revertedAt: null,
    identifier6: "06".repeat(32),
    identifier8: null,
    firstDescriptor: null,
    ...changes,
  });
  const batchOf = (...events: BatchEvent[]) => toEventBatch(events.map((one, ord) => ({ ...one, ord })));
  const apply = async (...events: BatchEvent[]) => {
    const { outcomes } = await store.begin((sql) => applyEvents(sql, batchOf(...events)));
    return outcomes.map((one) => (one?.kind === "rejected" ? one.rejection : one?.kind));
  };
  const forget = (before: string | null = LIMIT) =>
    store`update transaction_retention set forgotten_before = ${before}::text::timestamptz`.then();
  await forget(null);
  return { organisationId, event, batchOf, apply, forget };
}

const REFUSED = { code: "conflict", reason: "past_retention" };

t.test("forgotten - an event of a transaction that is not stored and may have left is refused", async (t) => {
  const { event, apply, forget } = await setUp(t);
  t.strictSame(await apply(event("a")), ["created"]);
  await forget();
  t.strictSame(await apply(event("a")), ["unchanged"], "one that is still stored is known");
  const clearing = event("a", { state: "cleared", clearedAt: LIMIT });
  t.strictSame(await apply(clearing), ["updated"], "and may still clear");
  t.strictSame(await apply(event("b"), event("c", { authedAt: LIMIT })), [REFUSED, "created"]);
});

t.test("forgotten - of several events of a key each is judged by its own time", async (t) => {
  const { event, apply, forget } = await setUp(t);
  await forget();
  const young = event("a", { authedAt: LIMIT });
  t.strictSame(await apply(event("a"), young, event("a")), [REFUSED, "created", "unchanged"]);
});

t.test("forgotten - an unknown member is reported first", async (t) => {
  const { event, apply, forget } = await setUp(t);
  await forget();
  t.match(await apply(event("a", { memberId: uuidv7() })), [{ code: "not_found" }]);
});

t.test(
  "forgotten - a key that is new by its order is looked up if it is old enough to have left",
  async (t) => {
    const { organisationId, event, batchOf, apply, forget } = await setUp(t);
    t.strictSame(await apply(event("a")), ["created"]);
    await forget();
    const batch = batchOf(event("b"), event("c", { authedAt: LIMIT }));
    const known = new KnownKeys();
    const heads = [{ reply: "", parts: [], events: 2 }];
    const keys = new NewKeys({ heads, events: batch } as unknown as PreparedBatch, [known]);
    await keys.learn(store);
    t.ok(known.isNew(organisationId, "b"), "by its order");
    t.strictSame([keys.has(0), keys.has(1)], [false, true]);
    const decided = await decideAtOnce(store, batch, (ord) => keys.has(ord), false);
    t.match(decided.outcomes, [{ kind: "rejected", rejection: REFUSED }, { kind: "created" }]);
  },
);

t.test(
  "forgotten - one that leaves while its event waits for its lock is refused, and not stored again",
  async (t) => {
    const { event, apply, forget } = await setUp(t);
    await apply(event("a"));
    await forget();
    let coming: Promise<unknown[]> | undefined;
    await store.begin(async (sql) => {
      await sql`delete from transactions where external_id = 'a'`;
      coming = apply(event("a"));
      await waitForLocks(store);
    });
    t.strictSame(await coming, [REFUSED]);
  },
);
