import t from "tap";
import { encodeId } from "#domain";
import { connectStream, type StreamMessage } from "#nats";
import { closeStore, connectStore, type Store } from "#postgres";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { explainingStore, isolation, type TestMember, testServers } from "#test-support";
import { createOutcomeHandler, createSettlementHandler } from "./handle-rewards.ts";
import { createRewardMetrics } from "./metrics.ts";
import { retryEarly } from "./retry-outcomes.ts";
import { dropOverdue, type EarlyKey } from "./store/early-outcomes.ts";
import { lockForOutcomes } from "./store/lock-for-outcomes.ts";
import {
  purchase,
  settle,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
} from "./store/test-batch.ts";

/** A card with this many pending redemptions is full; kept outcomes are tried while it has fewer than three. */
const PENDING_MAX = 2;

let store: Store;
let tell: Awaited<ReturnType<typeof handlers>>;

async function handlers(stream: Awaited<ReturnType<typeof connectStream>>) {
  const registry = createRegistry("test", "0");
  const metrics = createRewardMetrics(new MetricFactory(registry));
  const parts = {
    store,
    stream,
    now: () => new Date(),
    log: createLog({ service: "test", level: "fatal" }),
  };
  const ofOutcomes = { ...parts, metrics: metrics.outcomes };
  const counted = async (result: string) => {
    const text = await registry.getSingleMetricAsString("stampede_rewards_outcomes_total");
    return Number(new RegExp(`result="${result}".* (\\d+)$`, "m").exec(text)?.[1]);
  };
  return {
    outcomes: createOutcomeHandler({ ...ofOutcomes, pendingMax: PENDING_MAX }),
    replayed: createOutcomeHandler({ ...ofOutcomes, pendingMax: PENDING_MAX, isReplayed: () => true }),
    kept: createOutcomeHandler({ ...ofOutcomes, pendingMax: Number.POSITIVE_INFINITY }),
    settlements: createSettlementHandler({ ...parts, metrics: metrics.settlements }),
    counted,
  };
}

t.before(async () => {
  const servers = await testServers();
  store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  tell = await handlers(stream);
  t.teardown(async () => {
    await stream.close();
    await closeStore(store);
  });
});

t.afterEach(async () => {
  await store`delete from early_outcomes`;
});

function message(payload: object): StreamMessage {
  const data = Buffer.from(JSON.stringify({ v: 1, ...payload }));
  return {
    subject: "test",
    partition: 0,
    sequence: 1,
    storedAtMs: Date.now(),
    data,
    rows: 1,
    traceIds: "",
    traceparent: "",
  };
}

const stampOf = (transactionId: string, card: string) => ({
  outcome_id: "out_1",
  transaction_id: encodeId("tx", transactionId),
  type: "qualifying_purchase",
  stamp_collection_id: encodeId("sc", card),
});

/** A member with an empty card. */
async function emptyCard(threshold: number) {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const card = await testCollection(store, member, await testProgramOf(store, threshold, 50));
  await store`update stamp_collections set created_at = '2000-01-01' where id = ${card}`;
  const purchases = (count: number) => testTransactions(store, member, count);
  const outcomes = (ids: readonly string[], handle = tell.outcomes) =>
    handle([message({ outcomes: ids.map((id) => stampOf(id, card)) })]);
  const settleAs = async (id: string, state: "cleared" | "reverted") => {
    await settle(store, member, id, state);
    const settlement = { transaction: id, organisation: member.organisationId, state };
    await tell.settlements([message({ settlements: [settlement] })]);
  };
  /** Its stamps' transactions in the order of their places. */
  const stamped = async () => {
    const rows = await store<{ id: string }[]>`
      select transaction_id as id from qualifying_purchases where stamp_collection_id = ${card} order by position`;
    return rows.map(({ id }) => id);
  };
  return { member, card, purchases, outcomes, settleAs, stamped };
}

/** A card that each of three purchases has filled: one batch may take it beyond the bound. */
async function fullCard() {
  const card = await emptyCard(1);
  const pending = (await card.purchases(3)) as [string, string, string];
  await card.outcomes(pending);
  return { ...card, pending };
}

const retry = () => retryEarly(store, tell.kept, PENDING_MAX);

async function kept(): Promise<string[]> {
  const rows = await store<{ id: string }[]>`
    select transaction_id as id from early_outcomes order by kept_at, transaction_id`;
  return rows.map(({ id }) => id);
}

/** All steps of a walk over the kept outcomes. */
async function dropAllOverdue(): Promise<void> {
  let last: EarlyKey | undefined;
  do last = await dropOverdue(store, last);
  while (last !== undefined);
}

t.test(
  "regression - one card with very many pending redemptions stopped the rewards of all members",
  async (t) => {
    const full = await fullCard();
    const other = await emptyCard(1);
    const [waiting] = (await full.purchases(1)) as [string];
    const [counts] = (await other.purchases(1)) as [string];
    const before = await tell.counted("card_full");
    const outcomes = [stampOf(waiting, full.card), stampOf(counts, other.card)];
    const { results } = await tell.outcomes([message({ outcomes })]);
    t.strictSame(results, [{ kind: "done" }], "its message holds no place");
    t.strictSame([await full.stamped(), await other.stamped()], [full.pending, [counts]]);
    t.strictSame([await kept(), (await tell.counted("card_full")) - before], [[waiting], 1]);
    const plans: string[] = [];
    await explainingStore(store, plans).begin(async (sql) => {
      const loaded = await lockForOutcomes(sql, [purchase(waiting, full.card)], [], PENDING_MAX);
      t.strictSame([[...loaded.targets], [...(loaded.full ?? [])]], [[], [full.card]]);
    });
    t.equal(plans.length, 2, "transactions and cards are locked");
    for (const plan of plans) t.notMatch(plan, / on (qualifying_purchases|redemptions)/);
  },
);

t.test(
  "full cards - kept outcomes are applied once when there is room, in the order in which they came",
  async (t) => {
    const { purchases, outcomes, settleAs, stamped, pending } = await fullCard();
    const waiting = (await purchases(4)) as [string, string, string, string];
    const came = waiting.toReversed();
    await outcomes(came.slice(0, 3));
    await outcomes(came.slice(2));
    t.strictSame(await kept(), came, "one of them came twice");
    t.notOk(await retry());
    t.strictSame(await stamped(), pending);
    await settleAs(pending[1], "cleared");
    const [late] = (await purchases(1)) as [string];
    await outcomes([late]);
    t.strictSame(await kept(), [...came, late], "a new one does not overtake them");
    t.ok(await retry());
    t.strictSame(await stamped(), [...pending, ...came, late]);
    t.notOk(await retry());
    t.strictSame(await kept(), []);
  },
);

t.test("full cards - a kept outcome is decided by what has become of its purchase", async (t) => {
  for (const handle of [tell.outcomes, tell.replayed]) {
    const { card, purchases, outcomes, settleAs, stamped, pending } = await fullCard();
    const [reverted, cleared] = (await purchases(2)) as [string, string];
    await outcomes([reverted, cleared, pending[0]], handle);
    t.equal((await kept()).length, 3);
    await settleAs(reverted, "reverted");
    await settleAs(cleared, "cleared");
    for (const id of pending) await settleAs(id, "cleared");
    await retry();
    t.strictSame(await stamped(), [...pending, cleared], "one came again, and has its stamp");
    t.strictSame(await kept(), []);
    const rows = await store<{ transactionId: string; state: string }[]>`
      select transaction_id as "transactionId", state from cashbacks where stamp_collection_id = ${card}`;
    t.strictSame(
      new Map(rows.map(({ transactionId, state }) => [transactionId, state])),
      new Map([...pending, cleared].map((id) => [id, "cleared"])),
    );
  }
});

t.test("full cards - an outcome waits for as long as its purchase and its card are stored", async (t) => {
  const cards = [await fullCard(), await fullCard(), await fullCard()] as const;
  const [waits, loses, gone] = cards;
  const ids: string[] = [];
  for (const { purchases, outcomes } of cards) {
    const [id] = (await purchases(1)) as [string];
    await outcomes([id]);
    ids.push(id);
  }
  await store`delete from transactions where id = ${ids[1] as string}`;
  await store`delete from members where id = ${gone.member.memberId}`;
  await dropAllOverdue();
  t.strictSame(await kept(), ids);
  await store`update early_outcomes set kept_at = kept_at - interval '2 days'`;
  await dropAllOverdue();
  t.strictSame(await kept(), [ids[0], ids[2]], "the deletion of a member changes nothing of its purchases");
  // As ingest does when no purchase of a deleted member can earn anything more.
  await store`delete from stamp_collections where id = ${gone.card}`;
  await dropAllOverdue();
  t.strictSame(await kept(), [ids[0]]);
  await waits.settleAs(waits.pending[0], "reverted");
  await retry();
  t.strictSame([await waits.stamped(), await kept()], [[...waits.pending, ids[0]], []]);
  t.strictSame(await loses.stamped(), loses.pending);
});

t.test("full cards - hundreds of outcomes that wait for room delay no outcome of another card", async (t) => {
  const full = await fullCard();
  const waiting = await full.purchases(600);
  await full.outcomes(waiting);
  const other = await emptyCard(1);
  const [id] = (await other.purchases(1)) as [string];
  const outcome = JSON.stringify(stampOf(id, other.card));
  await store`
    insert into early_outcomes (transaction_id, target_id, outcome) values (${id}, ${other.card}, ${outcome})`;
  await retry();
  t.strictSame([await other.stamped(), await full.stamped()], [[id], full.pending]);
  t.equal((await kept()).length, waiting.length);
});
