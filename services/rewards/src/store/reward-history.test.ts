import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { TransactionState } from "#domain";
import type { Program, RewardTransaction } from "#domain/rewards";
import type { Store } from "#postgres";
import { deleteMembers, verifyRewards } from "#publisher-db";
import { programRecord, type TestMember, testStore } from "#test-support";
import { applyProgramConfig } from "../handle-config.ts";
import {
  contextAt,
  dealOf,
  ingest,
  purchase,
  TestBatch,
  type TestOutcome,
  testClip,
  testCollection,
  testMembers,
  testProgramOf,
  writeOutcomes,
  writeSettlements,
} from "./test-batch.ts";
import { RewardTables } from "./test-reward-tables.ts";

/**
 * Random histories, once through the database and once through a model that keeps everything in maps and
 * loads all of it for every step. After each batch all rows and all events, in their order, must equal those
 * of the model. `FC_SEED` repeats a run, `FC_RUNS` makes more.
 */
const SEED = Number(process.env.FC_SEED ?? 20260501);
const RUNS = Number(process.env.FC_RUNS ?? 30);

const MEMBERS = 2;
const TRANSACTIONS = 6;
const PROGRAMS = 2;

type Op =
  | {
      readonly do: "configure";
      readonly program: number;
      readonly threshold: number;
      readonly fixed: boolean;
    }
  | { readonly do: "withdraw"; readonly program: number }
  | {
      readonly do: "ingest";
      readonly member: number;
      readonly transactions: readonly number[];
      readonly state: TransactionState;
      readonly amount: number | null;
    }
  | {
      readonly do: "outcomes";
      readonly pairs: ReadonlyArray<{
        readonly member: number;
        readonly transaction: number;
        readonly target: number;
        readonly amount: number | undefined;
      }>;
    }
  | { readonly do: "settle"; readonly transactions: readonly number[] }
  | { readonly do: "leave"; readonly member: number };

const transaction = fc.nat({ max: TRANSACTIONS - 1 });
const member = fc.nat({ max: MEMBERS - 1 });
const amount = fc.constantFrom(null, 7, 7, Number.MAX_SAFE_INTEGER);
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("configure" as const),
      program: fc.nat({ max: PROGRAMS - 1 }),
      threshold: fc.integer({ min: 1, max: 4 }),
      fixed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("withdraw" as const), program: fc.nat({ max: PROGRAMS - 1 }) }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant("ingest" as const),
      member,
      transactions: fc.uniqueArray(transaction, { minLength: 1, maxLength: 2 }),
      state: fc.constantFrom<TransactionState>("authorized", "cleared", "reverted"),
      amount,
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant("outcomes" as const),
      pairs: fc.array(
        fc.record({
          member,
          transaction,
          target: fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 3, 4),
          amount: fc.option(fc.constant(11), { nil: undefined }),
        }),
        { minLength: 1, maxLength: 8 },
      ),
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      transactions: fc.array(fc.nat({ max: MEMBERS * TRANSACTIONS - 1 }), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    // In one of three histories; little happens to a member afterwards.
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("leave" as const), member }),
  },
);

let store: Store;

t.before(async () => {
  store = await testStore();
});

/** Two members, each in both programs and with three clips, and transactions that are not stored yet. */
async function makeWorld() {
  const members = await testMembers(store, MEMBERS);
  const programs = [await testProgramOf(store, 3), await testProgramOf(store, 2, 300)];
  const model = new RewardTables();
  const targets: TestOutcome["target"][][] = [];
  for (const one of members) {
    const own: TestOutcome["target"][] = [];
    for (const program of programs) {
      const id = await testCollection(store, one, program);
      model.enrol(one, id, program);
      own.push({ kind: "collection", id });
    }
    for (let clip = 0; clip < 3; clip++) {
      const id = await testClip(store, one);
      const [{ deal_id: dealId }] = await store<[{ deal_id: string }]>`
        select deal_id from clips where id = ${id}`;
      model.clip(one, id, dealId);
      own.push({ kind: "clip", id });
    }
    targets.push(own);
  }
  model.programs.set(programs[0] as string, { threshold: 3, reward: { type: "refund" }, currency: null });
  model.programs.set(programs[1] as string, {
    threshold: 2,
    reward: { type: "fixed-reward", amount: 300 },
    currency: null,
  });
  // No program has a currency of its own here: the outcome or the transaction must supply it.
  await store`update loyalty_programs set currency = null where id = any(${programs}::uuid[])`;
  const ids = Array.from({ length: MEMBERS * TRANSACTIONS }, () => uuidv7());
  return { members, programs, targets, ids, model };
}

type World = Awaited<ReturnType<typeof makeWorld>>;

async function perform(world: World, step: Op, at: number): Promise<void> {
  const { model, members, programs, ids } = world;
  if (step.do === "configure" || step.do === "withdraw") {
    await configure(world, programs[step.program] as string, step, at);
  } else if (step.do === "ingest") {
    const events = step.transactions.map((place) => {
      const id = ids[step.member * TRANSACTIONS + place] as string;
      const currency = step.amount === null ? null : "EUR";
      return { id, ref: `ref ${id}`, state: step.state, amount: step.amount, currency };
    });
    await ingest(store, members[step.member] as TestMember, events);
    await refresh(world);
  } else if (step.do === "outcomes") {
    const outcomes = step.pairs.map((pair) => toOutcome(world, pair));
    await store.begin((sql) => writeOutcomes(sql, outcomes, contextAt(at)));
    const batch = new TestBatch(model.loadAll(), contextAt(at));
    for (const outcome of outcomes) batch.outcome(outcome);
    model.write(batch);
  } else if (step.do === "settle") {
    const settled = [...new Set(step.transactions)].map((place) => ids[place] as string);
    const { organisationId } = members[0] as TestMember;
    await store.begin((sql) => writeSettlements(sql, organisationId, settled, contextAt(at)));
    const loaded = model.loadAll();
    const batch = new TestBatch(loaded, contextAt(at));
    for (const id of settled) batch.settlement(id, loaded.touched.get(id));
    model.write(batch);
  } else {
    const { memberId, memberbaseId, organisationId } = members[step.member] as TestMember;
    await deleteMembers(store, { organisationId, memberbaseId, which: { ids: [memberId] } });
    // No earnings change.
  }
}

async function configure(world: World, id: string, step: Op, at: number): Promise<void> {
  if (step.do !== "configure") {
    await applyProgramConfig(store, { id, revision: at + 2, record: null });
    world.model.programs.delete(id);
    return;
  }
  const reward: Program["reward"] = step.fixed ? { type: "fixed-reward", amount: 300 } : { type: "refund" };
  const record = programRecord({ qualifyingThreshold: step.threshold, rewardConfig: reward });
  await applyProgramConfig(store, { id, revision: at + 2, record });
  world.model.programs.set(id, { threshold: step.threshold, reward, currency: null });
}

/** Sometimes the transaction is the other member's. */
function toOutcome(world: World, pair: (Op & { do: "outcomes" })["pairs"][number]): TestOutcome {
  const { kind, id } = (world.targets[pair.member] as TestOutcome["target"][])[pair.target] as {
    kind: string;
    id: string;
  };
  const owner = pair.transaction === 0 && pair.amount !== undefined ? 0 : pair.member;
  const transactionId = world.ids[owner * TRANSACTIONS + pair.transaction] as string;
  if (kind === "clip") return dealOf(transactionId, id, Number.MAX_SAFE_INTEGER);
  const money = pair.amount === undefined ? {} : { purchaseAmount: pair.amount, currency: "SEK" };
  return purchase(transactionId, id, money);
}

/** This does not test the lifecycle: the model takes the stored transactions. */
async function refresh({ model, members }: World): Promise<void> {
  const { organisationId } = members[0] as TestMember;
  const rows = await store<(RewardTransaction & { memberId: string | null })[]>`
    select id, external_id as ref, state, settled_order as "settledOrder", amount, currency, member_id as "memberId"
    from transactions where organisation_id = ${organisationId}`;
  for (const { memberId, ...row } of rows) model.store(row, memberId);
}

t.test(`rewards - any history is stored as the model says (FC_SEED=${SEED})`, async (t) => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.noBias(fc.array(op, { minLength: 30, maxLength: 40 })), async (history) => {
      const world = await makeWorld();
      const { organisationId } = world.members[0] as TestMember;
      for (const member of world.members) {
        const at = world.members.indexOf(member) * TRANSACTIONS;
        const own = world.ids.slice(at, at + TRANSACTIONS);
        await ingest(
          store,
          member,
          own.map((id) => ({ id, ref: `ref ${id}` })),
        );
      }
      await refresh(world);
      for (const [at, step] of history.entries()) {
        await perform(world, step, at);
        const expected = world.model.rows();
        assert.deepEqual(await RewardTables.read(store, organisationId), expected);
      }
      assert.deepEqual((await verifyRewards(store)).faults, []);
      for (const { type } of world.model.rows().events) seen.set(type, (seen.get(type) ?? 0) + 1);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  // If the generator never reached these states, the test would prove nothing.
  for (const type of [
    "cashback.created",
    "cashback.cleared",
    "cashback.reverted",
    "qualifying_purchase.created",
    "qualifying_purchase.voided",
    "qualifying_purchase.unredeemed",
  ]) {
    t.ok((seen.get(type) ?? 0) >= RUNS / 3, `${type}: ${seen.get(type)}`);
  }
});
