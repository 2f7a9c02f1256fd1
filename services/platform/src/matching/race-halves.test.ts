import { randomUUID } from "node:crypto";
import fc from "fast-check";
import t, { type Test } from "tap";
import type { Sql, Store } from "#postgres";
import { testStore, waitForLocks } from "#test-support";
import type { PurchaseRecord } from "../rules/merge-record.ts";
import { PAIRING_WINDOW_MICROSECONDS } from "../rules/pair-by-nearest-time.ts";
import { pairHalves } from "./pair-halves.ts";
import { pairReleased } from "./revert-records.ts";
import { type NewPayment, storePayments } from "./store-payments.ts";
import { storeRecords } from "./store-records.ts";
import {
  bringPayments,
  DAY,
  emptyHalves,
  faultsOf,
  identifierOf,
  NOON,
  OTHER_RETAILER,
  pairsOf,
  queued,
  RETAILER,
  storeUnmet,
  TEST_JUDGE,
  testPayment,
  testRecord,
  whileLocked,
} from "./test-halves.ts";

/**
 * Both sides of a purchase come at the same time, in every interleaving, and with crashes between the steps.
 */
let store: Store;

t.before(async () => {
  store = await testStore(8);
});
t.beforeEach(() => emptyHalves(store));

const storeAll = (records: readonly PurchaseRecord[], sql = store) => storeRecords(sql, records, TEST_JUDGE);
const pairRecords = async (records: readonly PurchaseRecord[], sql = store) => {
  const ids = records.map(({ transactionId }) => transactionId);
  const pairing = await pairHalves(sql, "records", ids, TEST_JUDGE);
  const reverted = records.filter(({ state }) => state === "reverted");
  await pairReleased(
    sql,
    reverted.map(({ transactionId }) => transactionId),
    TEST_JUDGE,
  );
  return pairing;
};

const storePaid = (payments: readonly NewPayment[], { sql = store, judge = TEST_JUDGE } = {}) =>
  storePayments(sql, RETAILER, payments, judge);

/** The store, but `meanwhile` happens once before it begins its first database transaction. */
function beforeBegin(meanwhile: () => Promise<unknown>): Store {
  let isFirst = true;
  return new Proxy(store, {
    get(target, name) {
      if (name !== "begin" || !isFirst) return Reflect.get(target, name);
      return async (...args: unknown[]) => {
        isFirst = false;
        await meanwhile();
        return Reflect.apply(target.begin, target, args);
      };
    },
  });
}

/** All orders of two lists that keep the order in each. */
function interleavings<T>(a: readonly T[], b: readonly T[]): T[][] {
  const [firstA, ...restA] = a;
  const [firstB, ...restB] = b;
  if (firstA === undefined || firstB === undefined) return [[...a, ...b]];
  return [
    ...interleavings(restA, b).map((rest) => [firstA, ...rest]),
    ...interleavings(a, restB).map((rest) => [firstB, ...rest]),
  ];
}

t.test("race - a payment and its record pair once, in every order of their steps", async (t) => {
  for (const order of interleavings(["R1", "R2"], ["P1", "P2"])) {
    const record = testRecord();
    const payment = testPayment(record.transactionId);
    let ids: readonly string[] = [];
    const steps: Record<string, () => Promise<unknown>> = {
      R1: () => storeAll([record]),
      R2: () => pairRecords([record]),
      P1: async () => {
        ({ unpaired: ids } = await storePaid([payment]));
      },
      P2: () => pairHalves(store, "payments", ids, TEST_JUDGE),
    };
    for (const step of order) await steps[step]?.();
    t.equal((await pairsOf(store)).get(record.transactionId), payment.paymentId, order.join(" "));
  }
  const outcomes = await queued(store);
  t.equal(new Set(outcomes.map(({ id }) => id)).size, outcomes.length);
  t.equal(outcomes.length, 6);
  t.strictSame(await faultsOf(store), []);
});

t.test("race - a half that finds its partner taken looks for the next one", async (t) => {
  const records = [0, 1].map((i) =>
    testRecord({ authedAt: NOON + i * DAY, identifiers: [identifierOf("card")] }),
  );
  const [first, second] = [testPayment("card"), testPayment("card")];
  const ids = await storeUnmet(store, records, [second]);
  // The call has found both, and another takes the nearer one before the call locks them.
  const late = beforeBegin(() => bringPayments(store, [first]));
  t.equal((await pairHalves(late, "payments", ids, TEST_JUDGE)).pairs, 1);
  t.equal((await pairsOf(store)).size, 2);
  t.strictSame(await faultsOf(store), []);
});

t.test(
  "race - a record that is stored after a new payment has looked for it, and before that is stored",
  async (t) => {
    const record = testRecord();
    const payment = testPayment(record.transactionId);
    // The record searches, too, and finds nothing: the payment is not stored yet.
    const meanwhile = async () => {
      await storeAll([record]);
      t.equal((await pairRecords([record])).pairs, 0);
    };
    const [stored] = await whileLocked(store, ["payments"], () => [storePaid([payment])], meanwhile);
    t.match(stored, { created: 1, pairing: { pairs: 0 }, unpaired: [/./] });
    t.equal((await pairHalves(store, "payments", stored.unpaired, TEST_JUDGE)).pairs, 1);
    t.equal((await pairsOf(store)).get(record.transactionId), payment.paymentId);
    t.strictSame(await faultsOf(store), []);
  },
);

t.test(
  "race - a payment that two calls bring at the same time takes one record, though each found one for it",
  async (t) => {
    const records = [0, 1].map((i) =>
      testRecord({ authedAt: NOON + i * DAY, identifiers: [identifierOf("card")] }),
    );
    await storeAll(records);
    const payment = testPayment("card");
    // The call has found both records; the other call then stores the payment with the nearer one. The
    // farther one is left.
    const late = beforeBegin(() => bringPayments(store, [payment]));
    t.match(await storePaid([payment], { sql: late }), { created: 0, pairing: { pairs: 0, outcomes: [] } });
    t.strictSame([...(await pairsOf(store)).keys()], [records[0]?.transactionId]);
    t.equal((await queued(store)).length, 1);
    t.strictSame(await faultsOf(store), []);
  },
);

t.test("race - many calls with the same payments, in any order, store and pair each once", async (t) => {
  const records = Array.from({ length: 40 }, () => testRecord());
  await storeAll(records);
  const payments = records.map(({ transactionId }) => testPayment(transactionId));
  const calls = Array.from({ length: 6 }, (_, i) => [...payments.slice(6 * i), ...payments.slice(0, 6 * i)]);
  const done = await Promise.all(calls.map((call) => bringPayments(store, call)));
  t.equal(
    done.reduce((sum, { created }) => sum + created, 0),
    40,
  );
  t.equal(
    done.reduce((sum, { pairing }) => sum + pairing.pairs, 0),
    40,
  );
  t.equal((await queued(store)).length, 40);
  t.strictSame(await faultsOf(store), []);
});

t.test("race - a record that is reverted or moves between the look and the lock is not paired", async (t) => {
  const changes: Partial<PurchaseRecord>[] = [
    { state: "reverted" },
    { statementDescriptor: "BAR", route: { retailerId: OTHER_RETAILER, shared: true } },
  ];
  for (const change of changes) {
    const [stored, fresh] = [testRecord(), testRecord()];
    const ids = await storeUnmet(store, [stored], [testPayment(stored.transactionId)]);
    const late = beforeBegin(() => storeAll([{ ...stored, ...change }]));
    t.equal((await pairHalves(late, "payments", ids, TEST_JUDGE)).pairs, 0);
    // The same with a new payment.
    await storeAll([fresh]);
    const sql = beforeBegin(() => storeAll([{ ...fresh, ...change }]));
    t.match(await storePaid([testPayment(fresh.transactionId)], { sql }), {
      created: 1,
      pairing: { pairs: 0 },
    });
  }
  t.strictSame(await faultsOf(store), []);
});

t.test("race - a link that comes while its record is being paired earns with the payment", async (t) => {
  const record = testRecord();
  const ids = await storeUnmet(store, [record], [testPayment(record.transactionId)]);
  const enrolled = { ...record, enrolments: new Map([[randomUUID(), randomUUID()]]) };
  let merging: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    await sql`select from platform.records where transaction_id = ${record.transactionId} for update`;
    merging = storeAll([enrolled]);
    await waitForLocks(store);
    // Within the database transaction that has the lock.
    const own = Object.assign(sql, { begin: (work: (sql: Sql) => unknown) => work(sql) }) as unknown as Store;
    await pairHalves(own, "payments", ids, TEST_JUDGE);
  });
  await merging;
  t.equal((await queued(store)).length, 2);
  t.strictSame(await faultsOf(store), []);
});

t.test("crash - between the two steps: the half that is sent again finds the other one", async (t) => {
  const [left, right] = [testRecord(), testRecord()];
  const payments = [left, right].map(({ transactionId }) => testPayment(transactionId));
  await storeUnmet(store, [left, right], payments);
  t.equal((await pairsOf(store)).size, 0);
  await storeAll([left]);
  await pairRecords([left]);
  t.match(await bringPayments(store, [payments[1] as NewPayment]), { created: 0, pairing: { pairs: 1 } });
  t.equal((await pairsOf(store)).size, 2);
  t.strictSame(await faultsOf(store), []);
});

/** Dies when it is about to pair. */
const DYING = {
  ...TEST_JUDGE,
  onPayment: () => {
    throw new Error("killed");
  },
};

t.test("crash - in the database transaction that pairs: nothing of it is stored", async (t) => {
  const record = testRecord();
  const ids = await storeUnmet(store, [record], [testPayment(record.transactionId)]);
  await t.rejects(pairHalves(store, "payments", ids, DYING), { message: "killed" });
  t.strictSame(await queued(store), []);
  t.strictSame(
    (await faultsOf(store)).map((fault) => fault.split(":")[0]),
    ["pairable but open"],
  );
  await pairRecords([record]);
  t.equal((await queued(store)).length, 1);
  t.strictSame(await faultsOf(store), []);
});

t.test(
  "crash - in the database transaction that stores a payment with its record: it is as if it never came",
  async (t) => {
    const record = testRecord();
    await storeAll([record]);
    const payments = [testPayment(record.transactionId), testPayment("unmatched")];
    await t.rejects(storePaid(payments, { judge: DYING }), { message: "killed" });
    t.strictSame([...(await store`select from platform.payments`)], []);
    t.strictSame(await queued(store), []);
    t.strictSame(await faultsOf(store), []);
    t.match(await bringPayments(store, payments), { created: 2, pairing: { pairs: 1, outcomes: [{}] } });
    t.strictSame(await faultsOf(store), []);
  },
);

/** For more runs: `FC_RUNS=200 node …`; a failure prints the seed that repeats it. */
const RUNS = Number(process.env.FC_RUNS ?? 12);

const CARDS = [identifierOf("a"), identifierOf("b"), identifierOf("c")].sort();
const half = fc.record({
  retailer: fc.constantFrom(RETAILER, OTHER_RETAILER),
  cards: fc.subarray(CARDS, { minLength: 1, maxLength: 2 }),
  hours: fc.integer({ min: 0, max: 80 * 24 }),
});
const timeOf = (hours: number) => NOON + (hours * DAY) / 24;
const scenarios = fc.record({
  records: fc.array(
    fc.record({
      half,
      states: fc.constantFrom(["authorized"], ["authorized", "cleared"], ["reverted", "authorized"]),
    }),
    { maxLength: 30 },
  ),
  payments: fc.array(half, { maxLength: 30 }),
  /** For each arrival: its place in the order, its matcher, and whether a crash keeps it from searching. */
  fates: fc.array(fc.record({ place: fc.nat(), second: fc.boolean(), crashes: fc.boolean() }), {
    minLength: 200,
    maxLength: 200,
  }),
  batch: fc.integer({ min: 1, max: 7 }),
});

type Arrival =
  | { readonly record: PurchaseRecord }
  | { readonly payment: NewPayment; readonly retailer: string };

t.test(
  "property - in any order, in any batches and concurrently, every possible pair is made, and none twice",
  async (t) => {
    await fc.assert(
      fc.asyncProperty(scenarios, async ({ records, payments, fates, batch }) => {
        await store`
        truncate platform.records, platform.payments, platform.open_records, platform.open_payments,
          platform.outcome_queue`;
        const arrivals: Arrival[] = [];
        for (const { half, states } of records) {
          const record = testRecord({
            route: { retailerId: half.retailer, shared: false },
            identifiers: half.cards,
            authedAt: timeOf(half.hours),
          });
          for (const state of states) arrivals.push({ record: { ...record, state: state as "authorized" } });
        }
        for (const half of payments) {
          const payment = testPayment("", { identifiers: half.cards, paidAt: timeOf(half.hours) });
          arrivals.push({ payment, retailer: half.retailer });
        }
        await Promise.all([false, true].map((second) => handle(pick(arrivals, fates, second), batch, fates)));
        // Everything comes again, without crashes: from the stream, and from retailers who got no answer.
        await Promise.all([false, true].map((second) => handle(pick(arrivals, fates, second), batch, [])));
        t.strictSame(await faultsOf(store), []);
        await checkPairs(t);
      }),
      { seed: 20260301, numRuns: RUNS, endOnFailure: true },
    );
  },
);

/** The share of one matcher, in its order. */
function pick(
  all: readonly Arrival[],
  fates: ReadonlyArray<{ place: number; second: boolean }>,
  second: boolean,
) {
  return all
    .map((arrival, i) => ({ arrival, fate: fates[i % fates.length] as { place: number; second: boolean } }))
    .filter(({ fate }) => fate.second === second)
    .sort((a, b) => a.fate.place - b.fate.place)
    .map(({ arrival }) => arrival);
}

async function handle(
  arrivals: readonly Arrival[],
  size: number,
  fates: ReadonlyArray<{ crashes: boolean }>,
): Promise<void> {
  for (let at = 0; at < arrivals.length; at += size) {
    const looks = fates[at % Math.max(1, fates.length)]?.crashes !== true;
    const batch = arrivals.slice(at, at + size);
    const records = new Map(
      batch.flatMap((one) => ("record" in one ? [[one.record.transactionId, one.record] as const] : [])),
    );
    if (records.size > 0) {
      await storeAll([...records.values()]);
      if (looks) await pairRecords([...records.values()]);
    }
    for (const retailer of [RETAILER, OTHER_RETAILER]) {
      const payments = batch.flatMap((one) =>
        "payment" in one && one.retailer === retailer ? [one.payment] : [],
      );
      if (payments.length === 0) continue;
      const { unpaired } = await storePayments(store, retailer, payments, TEST_JUDGE);
      if (looks) await pairHalves(store, "payments", unpaired, TEST_JUDGE);
    }
  }
}

/**
 * Every pair is legal, and has its outcome exactly once. A record without a pair has an outcome only if it
 * gave its payment back.
 */
async function checkPairs(t: Test): Promise<void> {
  const rows = await store<{ id: string; legal: boolean }[]>`
    select
      r.transaction_id as id,
      r.retailer_id = p.retailer_id
        and abs(extract(epoch from r.authed_at - p.paid_at)) * 1000000 <= ${PAIRING_WINDOW_MICROSECONDS}
        and exists (
          select from generate_series(0, octet_length(r.identifiers) / 32 - 1) as n
          where position(substring(r.identifiers from 32 * n + 1 for 32) in p.identifiers) % 32 = 1
        ) as legal
    from platform.records r join platform.payments p on p.id = r.payment_id`;
  t.strictSame(
    rows.filter(({ legal }) => !legal),
    [],
  );
  const outcomes = await queued(store);
  const reverted = await store<{ id: string }[]>`
    select transaction_id as id from platform.records where state = 'reverted' and payment_id is null`;
  const gaveBack = new Set(reverted.map(({ id }) => id));
  const told = outcomes.map(({ transactionId }) => transactionId);
  t.equal(new Set(told).size, told.length, "nothing twice");
  t.strictSame(told.filter((id) => !gaveBack.has(id)).sort(), rows.map(({ id }) => id).sort());
}
