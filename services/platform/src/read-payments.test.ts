import { randomBytes, randomUUID } from "node:crypto";
import t from "tap";
import { encodeId, microsecondsOf } from "#domain";
import { CursorKey } from "#http";
import type { Sql, Store } from "#postgres";
import { explaining, testStore } from "#test-support";
import { createJudge } from "./matching/judge.ts";
import { releasePayments } from "./matching/revert-records.ts";
import { storePayments } from "./matching/store-payments.ts";
import { storeRecords } from "./matching/store-records.ts";
import { emptyHalves, identifierOf, testPayment, testRecord } from "./matching/test-halves.ts";
import { listPayments, readPaymentEndpoints } from "./read-payments.ts";
import { createRetailer } from "./retailers/retailer-rows.ts";

let store: Store;
let ask: (route: string, body: object) => Promise<{ data: Shown[]; page: { cursor: string | null } } & Shown>;

interface Shown {
  readonly payment_id: string;
  readonly state: string;
}

const NOTHING = createJudge({
  programs: { inForce: () => undefined },
  deals: { inForce: () => undefined },
} as never);
const FIRST = microsecondsOf("2026-03-01T10:00:00.000001Z");
const NO_SPAN = { since: undefined, until: undefined };

t.beforeEach(async () => {
  store ??= await testStore();
  await emptyHalves(store);
  const endpoints = readPaymentEndpoints(store, new CursorKey(randomBytes(32)));
  ask = async (route, body) => {
    const endpoint = endpoints.find((one) => one.route === route);
    const answer = await endpoint?.run({ body } as never);
    return JSON.parse(String(answer?.body));
  };
});

async function newRetailer(): Promise<string> {
  const id = randomUUID();
  const fields = { id, name: "Shop", merchantIds: [randomUUID()], statementDescriptors: [] };
  await createRetailer(store, { ...fields, tokenHash: randomBytes(32) });
  return id;
}

/** Each was paid a microsecond after the one before. */
const bring = (retailerId: string, ...names: string[]) =>
  storePayments(
    store,
    retailerId,
    names.map((paymentId, n) => testPayment(paymentId, { paymentId, paidAt: FIRST + n })),
    NOTHING,
  );

t.test("payment/get - the payment of a retailer, and the purchase that it is paired with", async (t) => {
  const retailerId = await newRetailer();
  const retailer_id = encodeId("ret", retailerId);
  const identifiers = [identifierOf("six"), identifierOf("eight")];
  const payment = testPayment("six", { paymentId: "till-1", identifiers, binDigits: "68", paidAt: FIRST });
  await storePayments(store, retailerId, [payment], NOTHING);
  const shown = await ask("payment/get", { retailer_id, payment_id: "till-1" });
  const { received_at: _, ...said } = shown as unknown as Record<string, unknown>;
  t.strictSame(said, {
    retailer_id,
    payment_id: "till-1",
    state: "open",
    identifiers,
    bin_digits: [6, 8],
    amount: 100,
    currency: "EUR",
    paid_at: "2026-03-01T10:00:00.000Z",
  });
  const record = testRecord({
    route: { retailerId, shared: false },
    identifiers: [identifierOf("other")],
    authedAt: FIRST,
  });
  await storeRecords(store, [record], NOTHING);
  await storePayments(
    store,
    retailerId,
    [testPayment("other", { paymentId: "till-2", paidAt: FIRST })],
    NOTHING,
  );
  t.match(await ask("payment/get", { retailer_id, payment_id: "till-2" }), {
    state: "paired",
    transaction_id: encodeId("tx", record.transactionId),
  });
  const { transactionId } = record;
  const [{ id: paymentId }] = await store<[{ id: string }]>`
    select id from platform.payments where transaction_id = ${transactionId}`;
  await releasePayments(store, [{ transactionId, paymentId }]);
  t.match(await ask("payment/get", { retailer_id, payment_id: "till-2" }), {
    state: "open",
    transaction_id: undefined,
    released_from: encodeId("tx", transactionId),
  });
  const others = [
    { retailer_id, payment_id: "till-3" },
    { retailer_id: encodeId("ret", await newRetailer()), payment_id: "till-1" },
    { retailer_id: "shop", payment_id: "till-1" },
  ];
  for (const body of others) {
    await t.rejects(ask("payment/get", body), { code: "not_found", data: { resource: "payment" } });
  }
});

t.test("payment/list - the newest first, of all or of one retailer, within a time", async (t) => {
  const [one, other] = [await newRetailer(), await newRetailer()];
  await bring(one, "1", "2", "3");
  await bring(other, "a", "b", "c");
  const names = async (body: object) => (await ask("payment/list", body)).data.map((each) => each.payment_id);
  const retailer_id = encodeId("ret", one);
  t.strictSame(await names({ retailer_id }), ["3", "2", "1"]);
  t.strictSame((await names({})).sort(), ["1", "2", "3", "a", "b", "c"]);
  const since = "2026-03-01T10:00:00.000002Z";
  t.strictSame(await names({ retailer_id, since }), ["3", "2"]);
  t.strictSame(await names({ retailer_id, since, until: "2026-03-01T11:00:00.000003+01:00" }), ["2"]);
  await t.rejects(names({ since, until: since }), { code: "bad_request" });
  const nobody = [encodeId("ret", randomUUID()), "shop"];
  for (const unknown of nobody) {
    await t.rejects(names({ retailer_id: unknown }), { code: "not_found", data: { resource: "retailer" } });
  }
  await store`delete from platform.retailers where id = ${one}`;
  t.strictSame(await names({ retailer_id }), ["3", "2", "1"], "payments of a deleted retailer");
  t.strictSame(await names({ retailer_id: encodeId("ret", await newRetailer()) }), []);
});

t.test(
  "payment/list - a walk meets each payment that exists throughout once, with changes meanwhile",
  async (t) => {
    const retailerId = await newRetailer();
    const names = Array.from({ length: 25 }, (_, n) => `${n}`);
    // All were paid at the same moment.
    const payments = names.map((paymentId) => testPayment(paymentId, { paymentId, paidAt: FIRST }));
    await storePayments(store, retailerId, payments, NOTHING);
    const retailer_id = encodeId("ret", retailerId);
    const met: string[] = [];
    let cursor: string | null = null;
    do {
      const { data, page } = await ask("payment/list", { retailer_id, pagination: { limit: 4, cursor } });
      met.push(...data.map(({ payment_id }) => payment_id));
      cursor = page.cursor;
      // The payment at the cursor is deleted, and another one comes at the front.
      await store`delete from platform.payments where payment_id = ${met.at(-1) as string}`;
      await bring(retailerId, randomUUID());
    } while (cursor !== null);
    t.strictSame(met.filter((name) => names.includes(name)).sort(), names.sort());
    const filtered = { retailer_id, since: "2026-01-01T00:00:00Z" };
    const page = await ask("payment/list", { retailer_id, pagination: { limit: 1 } });
    await t.rejects(ask("payment/list", { ...filtered, pagination: { cursor: page.page.cursor } }), {
      code: "bad_request",
    });
  },
);

t.test("plan - payments are read from an index, in its order", async (t) => {
  const retailerId = randomUUID();
  await store`
    insert into platform.payments (paid_at, amount, id, retailer_id, currency, payment_id, identifiers)
    select timestamptz '2026-03-01' + n * interval '1 second', 1, gen_random_uuid(),
           case when n % 2 = 0 then ${retailerId}::uuid else gen_random_uuid() end, 'EUR', n::text, sha256(n::text::bytea)
    from generate_series(1, 20_000) as n`;
  await store.script("vacuum analyze platform.payments");
  const planOf = async (read: (sql: Sql) => Promise<unknown>) => {
    const plans: string[] = [];
    await read(explaining(store, plans, "planned"));
    return plans.join("\n");
  };
  const [last] = await listPayments(store, { retailerId, paid: NO_SPAN }, { limit: 1 });
  const after = `${last?.id} ${last?.paidAtExact}`;
  const span = { since: "2026-03-01T00:00:00.000000Z", until: "2026-03-02T00:00:00.000000Z" };
  for (const paid of [NO_SPAN, span]) {
    for (const page of [{ limit: 100 }, { limit: 100, after }]) {
      const own = await planOf((sql) => listPayments(sql, { retailerId, paid }, page));
      t.match(own, /payments_retailer_paid_idx/);
      const all = await planOf((sql) => listPayments(sql, { retailerId: undefined, paid }, page));
      t.match(all, /payments_paid_idx/);
      for (const plan of [own, all]) t.notMatch(plan, /Sort|Seq Scan/);
    }
  }
});
