import t from "tap";
import type { Store } from "#postgres";
import { testStore } from "#test-support";
import type { NewPayment } from "../matching/store-payments.ts";
import { storeRecords } from "../matching/store-records.ts";
import {
  bringPayments,
  DAY,
  emptyHalves,
  identifierOf,
  NOON,
  OTHER_RETAILER,
  RETAILER,
  TEST_JUDGE,
  testPayment,
  testRecord,
} from "../matching/test-halves.ts";
import type { PurchaseRecord } from "../rules/merge-record.ts";
import { PAIRING_WINDOW_MICROSECONDS } from "../rules/pair-by-nearest-time.ts";
import { indexRoutes } from "../rules/route-transaction.ts";
import { type GivenRecord, subjectOf } from "./explained-subject.ts";
import { readKeptPurchase } from "./kept-purchase.ts";
import { findNearMisses } from "./near-misses.ts";

let store: Store;

t.beforeEach(async () => {
  store ??= await testStore();
  await emptyHalves(store);
});

const SECOND = 1_000_000;
const [SIX, EIGHT] = [identifierOf("six"), identifierOf("eight")];

/** The near misses of this purchase, given the amount that the publisher knows. */
async function missesOf(record: PurchaseRecord, amount: number | null = 100) {
  const kept = await readKeptPurchase(store, record.transactionId);
  const given: GivenRecord = { ...record, amount, currency: amount === null ? null : "EUR", links: [] };
  const routes = indexRoutes([
    { id: RETAILER, since: 0, value: { merchantIds: [record.merchantId], statementDescriptors: [] } },
  ]);
  const subject = subjectOf(kept, given, record.transactionId, routes, new Date(NOON / 1000));
  if (subject === undefined) throw new Error("nothing to explain");
  const misses = await findNearMisses(store, subject);
  return misses.map(({ paymentId, differsIn }) => `${paymentId}: ${differsIn}`);
}

const payment = (paymentId: string, changes: Partial<NewPayment> = {}) =>
  testPayment(paymentId, { paymentId, ...changes });

t.test("near misses - each differs in one property, and the nearest in time comes first", async (t) => {
  const record = testRecord({ identifiers: [SIX, EIGHT].sort() });
  await storeRecords(store, [record], TEST_JUDGE);
  const far = NOON + PAIRING_WINDOW_MICROSECONDS + 1;
  await bringPayments(store, [
    payment("other card", { identifiers: [SIX, identifierOf("x")], amount: 7, paidAt: NOON - 2 * DAY }),
    payment("too late", { identifiers: [SIX], amount: 7, paidAt: far }),
    payment("other card, too late", { identifiers: [SIX, identifierOf("x")], paidAt: far }),
    payment("other code", { paidAt: NOON + DAY }),
    payment("other code, other amount", { amount: 101 }),
    payment("other code, other currency", { currency: "SEK" }),
    payment("other code, other day", { paidAt: NOON + DAY + 1 }),
  ]);
  await bringPayments(store, [payment("another retailer's")], { retailerId: OTHER_RETAILER });
  t.strictSame(await missesOf(record), ["other code: identifiers", "other card: card", "too late: paid_at"]);
});

t.test("near misses - if the amount is not known, the payments within a minute", async (t) => {
  const record = testRecord();
  await storeRecords(store, [record], TEST_JUDGE);
  await bringPayments(store, [
    payment("near", { amount: 7, paidAt: NOON - 60 * SECOND }),
    payment("far", { paidAt: NOON - 60 * SECOND - 1 }),
  ]);
  t.strictSame(await missesOf(record, null), ["near: identifiers"]);
});

t.test(
  "near misses - of a purchase that is not kept, too; not of one that is paid or reverted",
  async (t) => {
    await bringPayments(store, [payment("near")]);
    const record = testRecord();
    t.strictSame(await missesOf(record), ["near: identifiers"]);
    t.strictSame(await missesOf({ ...record, state: "reverted" }), []);
    await storeRecords(store, [record], TEST_JUDGE);
    await bringPayments(store, [payment(record.transactionId)]);
    t.strictSame(await missesOf(record), []);
  },
);

t.test(
  "near misses - a payment of another purchase is none, also when that one has given it back",
  async (t) => {
    const [record, paired, reverted] = [testRecord(), testRecord(), testRecord()];
    await storeRecords(store, [record, paired, reverted], TEST_JUDGE);
    await bringPayments(store, [payment(paired.transactionId), payment(reverted.transactionId)]);
    await storeRecords(store, [{ ...reverted, state: "reverted" }], TEST_JUDGE);
    t.equal((await store`select from platform.payments where is_open`).length, 1, "it is open");
    t.strictSame(await missesOf(record), []);
  },
);

t.test("near misses - a busy shop: a few are shown, and a bounded number is looked at", async (t) => {
  const record = testRecord();
  await storeRecords(store, [record], TEST_JUDGE);
  const payments = Array.from({ length: 1500 }, (_, n) => payment(`${n}`, { paidAt: NOON + n * SECOND }));
  await bringPayments(store, payments);
  t.strictSame(
    await missesOf(record),
    Array.from({ length: 10 }, (_, n) => `${n}: identifiers`),
  );
});
