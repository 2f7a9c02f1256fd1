import { randomUUID } from "node:crypto";
import t from "tap";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { testStore } from "#test-support";
import { mergeRecord, type PurchaseRecord } from "../rules/merge-record.ts";
import { findPartners, NEAREST_PER_KEY } from "./find-partners.ts";
import { pairHalves } from "./pair-halves.ts";
import { pairReleased, revertRecords } from "./revert-records.ts";
import { type NewPayment, storePayments } from "./store-payments.ts";
import { storeRecords } from "./store-records.ts";
import {
  bringPayments as bringTo,
  DAY,
  emptyHalves,
  faultsOf,
  identifierOf,
  NOON,
  OTHER_RETAILER,
  pairsOf,
  queued,
  RETAILER,
  TEST_JUDGE,
  testPayment,
  testRecord,
} from "./test-halves.ts";

let store: Store;

t.before(async () => {
  store = await testStore(8);
});
t.beforeEach(() => emptyHalves(store));

const idsOf = (records: readonly PurchaseRecord[]) => records.map(({ transactionId }) => transactionId);

async function bringRecords(...records: PurchaseRecord[]) {
  const stored = await storeRecords(store, records, TEST_JUDGE);
  const pairing = await pairHalves(store, "records", idsOf(records), TEST_JUDGE);
  const reverted = records.filter(({ state }) => state === "reverted");
  await pairReleased(
    store,
    reverted.map(({ transactionId }) => transactionId),
    TEST_JUDGE,
  );
  return { stored, pairing };
}

const bringPayments = (payments: readonly NewPayment[], retailerId = RETAILER) =>
  bringTo(store, payments, { retailerId });

t.test("pair - a record and a payment meet, whichever comes first, and are decided once", async (t) => {
  const first = testRecord();
  t.equal((await bringRecords(first)).pairing.pairs, 0);
  const late = testPayment(first.transactionId);
  t.match((await bringPayments([late])).pairing, { pairs: 1, outcomes: [{}], disqualified: ["ended"] });

  const second = testRecord();
  const early = testPayment(second.transactionId);
  t.equal((await bringPayments([early])).pairing.pairs, 0);
  t.match((await bringRecords(second)).pairing, { pairs: 1, outcomes: [{}] });

  for (let again = 0; again < 2; again++) {
    t.match(await bringRecords(first, second), { stored: { outcomes: [] }, pairing: { pairs: 0 } });
    t.match(await bringPayments([late, early]), { created: 0, pairing: { pairs: 0 } });
  }
  t.strictSame(
    await pairsOf(store),
    new Map([
      [first.transactionId, late.paymentId],
      [second.transactionId, early.paymentId],
    ]),
  );
  t.equal((await queued(store)).length, 2);
  t.strictSame(await faultsOf(store), []);
});

t.test(
  "payment - if it finds its record immediately, it never waits: it has no keys, and its pair is complete",
  async (t) => {
    const [found, other] = [testRecord(), testRecord()];
    await bringRecords(found, other);
    const payments = [testPayment(found.transactionId), testPayment("unmatched")];
    const { created, pairing } = await bringPayments(payments);
    t.equal(created, 2);
    t.match(pairing, { pairs: 1, outcomes: [{}] });
    t.strictSame(await pairsOf(store), new Map([[found.transactionId, payments[0]?.paymentId]]));
    t.equal(
      (await store`select distinct payment_id from platform.open_payments`).length,
      1,
      "the unmatched one",
    );
    t.equal(
      (await store`select distinct transaction_id from platform.open_records`).length,
      1,
      "that of the other",
    );
    t.strictSame(await faultsOf(store), []);
  },
);

t.test("payment - one that is sent again while it is paired takes no second record", async (t) => {
  const payment = testPayment("card");
  const [first, second] = [0, 1].map((days) =>
    testRecord({ authedAt: NOON + days * DAY, identifiers: [identifierOf("card")] }),
  ) as [PurchaseRecord, PurchaseRecord];
  await bringRecords(first);
  t.match(await bringPayments([payment]), { created: 1, pairing: { pairs: 1 } });
  await bringRecords(second);
  t.match(await bringPayments([payment]), { created: 0, pairing: { pairs: 0 } });
  // Another payment comes with it, nearer than the new one: that one does not take its record.
  const next = testPayment("card", { paidAt: NOON + 3 * DAY });
  t.match(await bringPayments([{ ...payment, paidAt: NOON + DAY }, next]), {
    created: 1,
    pairing: { pairs: 1 },
  });
  t.strictSame(
    await pairsOf(store),
    new Map([
      [first.transactionId, payment.paymentId],
      [second.transactionId, next.paymentId],
    ]),
  );
  t.equal((await queued(store)).length, 2);
  t.strictSame(await faultsOf(store), []);
});

t.test("pair - only within one retailer, by an equal identifier, and within 30 days", async (t) => {
  const record = testRecord({ identifiers: [identifierOf("six"), identifierOf("eight")].sort() });
  await bringRecords(record);
  await bringPayments([testPayment("six")], OTHER_RETAILER);
  await bringPayments([
    testPayment("seven"),
    testPayment("six", { paidAt: NOON + 30 * DAY + 1 }),
    testPayment("six", { paidAt: NOON - 30 * DAY - 1 }),
  ]);
  t.equal((await pairsOf(store)).size, 0);
  const exact = testPayment("eight", { paidAt: NOON + 30 * DAY });
  t.equal((await bringPayments([exact])).pairing.pairs, 1);
  t.strictSame([...(await pairsOf(store)).values()], [exact.paymentId]);
  t.strictSame(await faultsOf(store), []);
});

t.test("pair - with the nearest in time; the next half gets the next nearest", async (t) => {
  const records = [0, 1, 2].map((hours) =>
    testRecord({ authedAt: NOON + (hours * DAY) / 24, identifiers: [identifierOf("card")] }),
  );
  await bringRecords(...records);
  const payments = [2, 0].map((hours) =>
    testPayment("card", { paidAt: NOON + (hours * DAY) / 24 + 60_000_000 }),
  );
  await bringPayments(payments);
  const pairs = await pairsOf(store);
  t.equal(pairs.get(records[2]?.transactionId as string), payments[0]?.paymentId);
  t.equal(pairs.get(records[0]?.transactionId as string), payments[1]?.paymentId);
  t.strictSame(await faultsOf(store), []);
});

t.test("pair - a pair stays, however near a new half is", async (t) => {
  const record = testRecord({ authedAt: NOON, identifiers: [identifierOf("card")] });
  await bringRecords(record);
  const far = testPayment("card", { paidAt: NOON + DAY });
  await bringPayments([far]);
  t.equal((await bringPayments([testPayment("card", { paidAt: NOON })])).pairing.pairs, 0);
  await bringRecords(testRecord({ authedAt: NOON + DAY + 40 * DAY, identifiers: [identifierOf("card")] }));
  t.strictSame([...(await pairsOf(store))], [[record.transactionId, far.paymentId]]);
  t.strictSame(await faultsOf(store), []);
});

t.test("pair - every half finds another, although more seek under one key than are looked at", async (t) => {
  const count = 5 * NEAREST_PER_KEY;
  const times = Array.from({ length: count }, (_, i) => NOON + i);
  await bringRecords(
    ...times.map((authedAt) => testRecord({ authedAt, identifiers: [identifierOf("card")] })),
  );
  // All payments are on one side of all records: each sees only the nearest few.
  const payments = times.map((time) => testPayment("card", { paidAt: time + DAY }));
  t.equal((await bringPayments(payments)).pairing.pairs, count);
  t.strictSame(await faultsOf(store), []);
});

t.test("pair - of a payment twice in one request, or with a known id, the first one stands", async (t) => {
  const record = testRecord();
  const payment = testPayment(record.transactionId, { amount: 1 });
  const other = { ...payment, amount: 2, identifiers: [identifierOf("other")] };
  t.equal((await bringPayments([payment, other, payment])).created, 1);
  t.equal((await bringPayments([other])).created, 0);
  t.equal((await bringPayments([payment], OTHER_RETAILER)).created, 1, "names are each retailer's own");
  await bringRecords(record);
  t.strictSame([...(await store`select amount from platform.payments where not is_open`)], [{ amount: 1 }]);
});

t.test(
  "regression - a payment with six digits of two networks never met a record with six and eight",
  async (t) => {
    const [v6, m6, m8] = ["visa six", "mastercard six", "mastercard eight"].map(identifierOf) as [
      string,
      string,
      string,
    ];
    const record = testRecord({ identifiers: [m6, m8].sort() });
    await bringRecords(record);
    const payment = testPayment("unused", { identifiers: [v6, m6], paymentId: "untold" });
    t.equal(
      (await bringPayments([payment])).pairing.pairs,
      0,
      "they may be the six and the eight of another card",
    );
    const told = { ...payment, binDigits: "66", paymentId: "told" };
    t.equal((await bringPayments([told])).pairing.pairs, 1);
    t.strictSame(await pairsOf(store), new Map([[record.transactionId, "told"]]));
    // In the other order, and with a repeated identifier.
    const late = testRecord({ identifiers: [m6, m8].sort(), authedAt: NOON + DAY });
    const early = {
      ...told,
      identifiers: [v6, v6, m6],
      binDigits: "666",
      paymentId: "early",
      paidAt: NOON + DAY,
    };
    t.equal((await bringPayments([early])).pairing.pairs, 0);
    t.equal((await bringRecords(late)).pairing.pairs, 1);
    t.equal((await pairsOf(store)).get(late.transactionId), "early");
    t.strictSame(await faultsOf(store), []);
  },
);

t.test("record - a reverted one finds no payment, and emits nothing", async (t) => {
  const record = testRecord();
  await bringRecords(record);
  await bringRecords({ ...record, state: "reverted" });
  await bringPayments([testPayment(record.transactionId)]);
  // In the other order: the late authorization does not open the record again.
  const late = testRecord({ clips: new Map([[randomUUID(), randomUUID()]]) });
  await bringRecords({ ...late, state: "reverted" });
  await bringRecords(late);
  await bringPayments([testPayment(late.transactionId)]);
  t.equal((await pairsOf(store)).size, 0);
  t.strictSame(await queued(store), []);
  t.strictSame(await faultsOf(store), []);
});

t.test("record - one that is reverted elsewhere finds no payment", async (t) => {
  const [open, paired] = [testRecord(), testRecord()];
  await bringRecords(open, paired);
  await bringPayments([testPayment(paired.transactionId)]);
  const reverted = [...idsOf([open, paired]), randomUUID()].map((transactionId) => {
    return { transactionId, authedAt: NOON, mayBeRouted: false };
  });
  const routed = await revertRecords(store, reverted);
  t.strictSame(routed, idsOf([open, paired]).sort());
  t.strictSame(await revertRecords(store, reverted), routed, "a batch that comes again looks again");
  t.equal((await store`select from platform.records`).length, 2, "an unroutable record is not kept");
  await bringPayments([testPayment(open.transactionId)]);
  t.equal((await pairsOf(store)).size, 0, "the payment is given back");
  t.strictSame(await faultsOf(store), []);
  const again = testRecord({ identifiers: paired.identifiers });
  await bringRecords(again);
  t.strictSame([...(await pairsOf(store)).keys()], [again.transactionId]);
  t.strictSame(await faultsOf(store), []);
});

t.test(
  "regression - a reversal that routes nowhere and overtook its authorization let its record take a later payment",
  async (t) => {
    const record = testRecord({ clips: new Map([[randomUUID(), randomUUID()]]) });
    const { transactionId } = record;
    t.strictSame(await revertRecords(store, [{ transactionId, authedAt: NOON, mayBeRouted: true }]), []);
    await bringRecords(record);
    await bringPayments([testPayment(transactionId)]);
    t.equal((await pairsOf(store)).size, 0);
    t.strictSame(await queued(store), []);
    // A later record of another card gets the waiting payment.
    const second = testRecord({ identifiers: record.identifiers });
    await bringRecords(second);
    t.strictSame([...(await pairsOf(store)).keys()], [second.transactionId]);
    t.strictSame(await faultsOf(store), []);
  },
);

t.test(
  "record - links add up: one that comes with a part of them takes none away, paired or not",
  async (t) => {
    const links = Array.from({ length: 4 }, () => new Map([[randomUUID(), randomUUID()]]));
    const [first, second, third, fourth] = links as [Links, Links, Links, Links];
    const record = testRecord({ enrolments: first });
    await bringRecords(record);
    await bringRecords({ ...record, enrolments: second });
    await bringPayments([testPayment(record.transactionId)]);
    t.equal((await queued(store)).length, 2);
    await bringRecords({ ...record, enrolments: third, clips: fourth });
    await bringRecords({ ...record, enrolments: first });
    t.equal((await queued(store)).length, 4, "each of them once");
    t.strictSame(await faultsOf(store), []);
  },
);
type Links = Map<string, string>;

t.test("regression - two cards that share six digits and differ in the eighth were one", async (t) => {
  const six = identifierOf("six");
  const [mine, theirs] = [identifierOf("mine"), identifierOf("theirs")];
  const record = testRecord({ identifiers: [six, mine].sort() });
  await bringRecords(record);
  await bringPayments([testPayment("", { identifiers: [six, theirs] })]);
  t.equal((await pairsOf(store)).size, 0);
  await bringPayments([testPayment("", { identifiers: [six, mine], paidAt: NOON + DAY })]);
  t.strictSame([...(await pairsOf(store)).keys()], [record.transactionId]);
  // A till that knows only six digits pairs with any record that has them.
  const other = testRecord({ identifiers: [six, theirs].sort() });
  await bringPayments([testPayment("", { identifiers: [six] })]);
  await bringRecords(other);
  t.equal((await pairsOf(store)).size, 2);
});

t.test("record - a paired one that is reverted gives its payment back, and emits nothing new", async (t) => {
  const record = testRecord();
  await bringRecords(record);
  await bringPayments([testPayment(record.transactionId)]);
  const clips = new Map([[randomUUID(), randomUUID()]]);
  await bringRecords({
    ...record,
    state: "reverted",
    clips,
    enrolments: new Map([[randomUUID(), randomUUID()]]),
  });
  await bringPayments([testPayment(record.transactionId)]);
  t.equal((await pairsOf(store)).size, 0);
  t.equal((await queued(store)).length, 1);
  t.strictSame(await faultsOf(store), []);
});

t.test("regression - a payment stayed with an authorization that was reversed and made again", async (t) => {
  for (const order of ["before", "after"]) {
    const first = testRecord();
    const again = testRecord({ identifiers: first.identifiers, authedAt: NOON + DAY });
    await bringRecords(first);
    await bringPayments([testPayment("", { identifiers: first.identifiers })]);
    if (order === "before") await bringRecords(again);
    await bringRecords({ ...first, state: "reverted" });
    // After a crash the batch is repeated.
    await bringRecords({ ...first, state: "reverted" });
    if (order === "after") await bringRecords(again);
    t.ok((await pairsOf(store)).has(again.transactionId), `made again ${order} the reversal`);
  }
  t.equal((await pairsOf(store)).size, 2);
  t.strictSame(await faultsOf(store), []);
});

const routeOf = async ({ transactionId }: PurchaseRecord) => {
  const [row] = await store<{ id: string }[]>`
    select retailer_id as id from platform.records where transaction_id = ${transactionId}`;
  return row?.id;
};

t.test("record - moves with its first descriptor while it has no payment, and not afterwards", async (t) => {
  const described = { statementDescriptor: "BAR", route: { retailerId: OTHER_RETAILER, shared: true } };
  const record = testRecord();
  await bringRecords(record);
  await bringRecords({ ...record, ...described });
  await bringPayments([testPayment(record.transactionId)]);
  t.equal((await pairsOf(store)).size, 0);
  await bringPayments([testPayment(record.transactionId)], OTHER_RETAILER);
  t.equal((await pairsOf(store)).size, 1);

  const paired = testRecord();
  await bringRecords(paired);
  await bringPayments([testPayment(paired.transactionId)]);
  await bringRecords({ ...paired, ...described });
  t.equal(await routeOf(paired), RETAILER);
  t.strictSame(await faultsOf(store), []);
});

t.test(
  "regression - a clearing with another descriptor moved an authorized purchase to another retailer",
  async (t) => {
    const orders: Record<string, (a: PurchaseRecord, c: PurchaseRecord) => PurchaseRecord[]> = {
      "one after the other": (authorized, cleared) => [authorized, cleared],
      "in one batch": (authorized, cleared) => [mergeRecord(authorized, cleared, false)],
      "the authorization late": (authorized, cleared) => [cleared, authorized, cleared],
      "in one batch, late": (authorized, cleared) => [cleared, mergeRecord(authorized, cleared, false)],
    };
    for (const [order, records] of Object.entries(orders)) {
      const authorized = testRecord({
        statementDescriptor: "CAFE",
        route: { retailerId: RETAILER, shared: true },
      });
      const cleared: PurchaseRecord = {
        ...authorized,
        state: "cleared",
        statementDescriptor: "BAR",
        isFirstDescriptor: false,
        route: { retailerId: OTHER_RETAILER, shared: true },
      };
      for (const record of records(authorized, cleared)) await bringRecords(record);
      t.equal(await routeOf(authorized), RETAILER, order);
      await bringPayments([testPayment(authorized.transactionId)]);
      t.ok((await pairsOf(store)).has(authorized.transactionId), order);
    }
    t.strictSame(await faultsOf(store), []);
  },
);

t.test(
  "regression - a payment given back by a reversal with another descriptor was not looked for",
  async (t) => {
    const record = testRecord({ statementDescriptor: "CAFE" });
    await bringRecords(record);
    await bringPayments([testPayment(record.transactionId)]);
    const again = testRecord({ identifiers: record.identifiers });
    await bringRecords(again);
    await bringRecords({
      ...record,
      state: "reverted",
      statementDescriptor: "BAR",
      isFirstDescriptor: false,
      route: { retailerId: OTHER_RETAILER, shared: true },
    });
    t.ok((await pairsOf(store)).has(again.transactionId));
    t.strictSame(await faultsOf(store), []);
  },
);

t.test("regression - eight nearest halves of other cards hid the one that matches", async (t) => {
  const card = (name: string) => [identifierOf("six"), identifierOf(name)].sort();
  for (const first of ["payments", "records"] as const) {
    await emptyHalves(store);
    const others = Array.from({ length: 2 * NEAREST_PER_KEY }, (_, i) => `${i}`);
    const at = (i: number) => NOON + (i % 2 === 0 ? i : -i);
    // It has only six digits, so all its keys may be those of other cards.
    const [record, payment] =
      first === "payments"
        ? [testRecord({ identifiers: card("mine") }), testPayment("six", { paidAt: NOON + DAY })]
        : [
            testRecord({ identifiers: [identifierOf("six")], authedAt: NOON + DAY }),
            testPayment("", { identifiers: card("mine") }),
          ];
    const bring = {
      payments: () =>
        bringPayments([
          ...others.map((name, i) => testPayment("", { identifiers: card(name), paidAt: at(i) })),
          payment,
        ]),
      records: () =>
        bringRecords(
          ...others.map((name, i) => testRecord({ identifiers: card(name), authedAt: at(i) })),
          record,
        ),
    };
    if (first === "payments") {
      await bring.payments();
      await bringRecords(record);
    } else {
      await bring.records();
      await bringPayments([payment]);
    }
    t.strictSame([...(await pairsOf(store))], [[record.transactionId, payment.paymentId]], first);
    t.strictSame(await faultsOf(store), []);
  }
});

t.test("regression - halves of other cards hid the one that matches from a call of many", async (t) => {
  const card = (name: string) => [identifierOf("six"), identifierOf(name)].sort();
  const others = Array.from({ length: 60 }, (_, i) => `${i}`);
  const at = (i: number) => NOON + (i % 2 === 0 ? i : -i);
  const [mine, alone] = [{ identifiers: card("mine") }, { identifiers: [identifierOf("six")] }];
  const networks = { identifiers: [identifierOf("six"), identifierOf("other network")], binDigits: "66" };
  for (const first of ["payments", "records", "payments of two networks"] as const) {
    await emptyHalves(store);
    if (first === "records") {
      const noise = others.map((name, i) => testRecord({ identifiers: card(name), authedAt: at(i) }));
      const record = testRecord({ ...alone, authedAt: NOON + DAY });
      await bringRecords(...noise, record);
      const payment = testPayment("", mine);
      await bringPayments([payment, ...Array.from({ length: 999 }, (_, i) => testPayment(`unrelated ${i}`))]);
      t.strictSame([...(await pairsOf(store))], [[record.transactionId, payment.paymentId]], first);
    } else {
      const noise = others.map((name, i) => testPayment("", { identifiers: card(name), paidAt: at(i) }));
      const payment = testPayment("", { ...(first === "payments" ? alone : networks), paidAt: NOON + DAY });
      await bringPayments([...noise, payment]);
      const record = testRecord(mine);
      await bringRecords(record, ...Array.from({ length: 999 }, () => testRecord()));
      t.strictSame([...(await pairsOf(store))], [[record.transactionId, payment.paymentId]], first);
    }
    t.strictSame(await faultsOf(store), []);
  }
});

t.test(
  "regression - many purchases and payments that share six digits ran into the statement timeout",
  async (t) => {
    const card = (name: string) => [identifierOf("six"), identifierOf(name)].sort();
    const many = Array.from({ length: LIMITS.rowsPerBatch }, (_, i) => i);
    for (const half of [0, 1]) {
      const payments = many.map((i) =>
        testPayment("", { identifiers: card(`payment ${half} ${i}`), paidAt: NOON + 2 * i + half }),
      );
      await storePayments(store, RETAILER, payments, TEST_JUDGE);
    }
    const middle = NOON + LIMITS.rowsPerBatch / 2;
    const records = many.map((i) => testRecord({ identifiers: card(`record ${i}`), authedAt: middle + i }));
    await storeRecords(store, records, TEST_JUDGE);
    const found = await store.begin(async (sql) => {
      await sql.script(`set local statement_timeout = ${LIMITS.statementTimeoutMs}`);
      return findPartners(sql, "records", idsOf(records));
    });
    t.strictSame(found, { records: [], payments: [] });
  },
);

t.test("record - finds the payment by an identifier that it learned later", async (t) => {
  const record = testRecord();
  await bringRecords(record);
  await bringPayments([testPayment("eight digits")]);
  const learned = { ...record, identifiers: [...record.identifiers, identifierOf("eight digits")].sort() };
  t.equal((await bringRecords(learned)).pairing.pairs, 1);
  t.strictSame(await faultsOf(store), []);
});

t.test("record - a link that comes later earns, before the payment and after it, each once", async (t) => {
  const record = testRecord({ clips: new Map([[randomUUID(), randomUUID()]]) });
  t.equal((await bringRecords(record)).stored.outcomes.length, 1);
  const clipped = { ...record, clips: new Map([[randomUUID(), randomUUID()]]) };
  t.equal((await bringRecords(clipped)).stored.outcomes.length, 1);
  await bringPayments([testPayment(record.transactionId)]);
  const enrolled = { ...record, enrolments: new Map([[randomUUID(), randomUUID()]]) };
  t.equal((await bringRecords(enrolled)).stored.outcomes.length, 1);
  t.equal((await bringRecords(enrolled, testRecord())).stored.outcomes.length, 0);
  const outcomes = await queued(store);
  t.equal(outcomes.length, 4);
  t.equal(new Set(outcomes.map(({ id }) => id)).size, 4);
});

t.test("record - two stamp collections of one program earn once", async (t) => {
  const program = randomUUID();
  const enrolments = new Map([
    [randomUUID(), program],
    [randomUUID(), program],
  ]);
  const record = testRecord({ enrolments });
  await bringRecords(record);
  await bringPayments([testPayment(record.transactionId)]);
  t.equal((await queued(store)).length, 1);
});

t.test("record - times, texts and links are kept exactly", async (t) => {
  const record = testRecord({
    authedAt: NOON + 123_456,
    statementDescriptor: 'SHOP "€" \\ ü',
    merchantId: " m ",
    clips: new Map([
      ["ffffffff-0000-7000-8000-000000000000", randomUUID()],
      ["00000000-0000-7000-8000-000000000000", randomUUID()],
    ]),
  });
  await bringRecords(record);
  let seen: PurchaseRecord | undefined;
  const judge = {
    ...TEST_JUDGE,
    onPayment: (given: PurchaseRecord) => {
      seen = given;
      return { outcomes: [], disqualified: [] };
    },
  };
  const payment = testPayment(record.transactionId, { paidAt: NOON + 999_999, amount: 2 ** 53 - 1 });
  await bringTo(store, [payment], { judge });
  t.strictSame(
    { ...seen, clips: new Map([...(seen?.clips ?? [])].sort()) },
    {
      ...record,
      clips: new Map([...record.clips].sort()),
    },
  );
});
