import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import {
  type Disqualification,
  prepareRules,
  qualifies,
  type RetailerPayment,
  type RoutedRecord,
  type Rules,
} from "./qualifies.ts";

const NOON = 1_780_000_000_000_000;

const ANY: Rules = Object.freeze({
  merchantIds: ["M-1", "M-2"],
  statementDescriptor: null,
  minAmount: null,
  currency: null,
  paidAfter: null,
  paidBefore: null,
  confirmation: "retailer",
  startsAt: null,
  endsAt: null,
});
const RECORD: RoutedRecord = Object.freeze({
  merchantId: "M-1",
  statementDescriptor: "CAFE NORTH",
  shared: false,
  // Far from the payment, so that a rule which looks at the wrong time is found out.
  authedAt: NOON - 1_000_000,
});
const PAYMENT: RetailerPayment = Object.freeze({ amount: 450, currency: "EUR", paidAt: NOON });

interface Row {
  readonly claim: string;
  readonly rules?: Partial<Rules>;
  readonly record?: Partial<RoutedRecord>;
  readonly payment?: Partial<RetailerPayment> | null;
  readonly reason?: Disqualification;
}

const NONE = { confirmation: "none" } as const;

const ROWS: readonly Row[] = [
  { claim: "merchant_ids: one of them" },
  { claim: "merchant_ids: the other one", record: { merchantId: "M-2" } },
  { claim: "merchant_ids: in another spelling", record: { merchantId: " m-2" } },
  { claim: "merchant_ids: written in another spelling", rules: { merchantIds: ["m-1 "] } },
  { claim: "merchant_ids: none of them", record: { merchantId: "M-3" }, reason: "other_merchant" },
  { claim: "merchant_ids: an empty list", rules: { merchantIds: [] }, reason: "other_merchant" },

  { claim: "descriptor: not looked at where unshared", rules: { statementDescriptor: "BAR" } },
  { claim: "descriptor: shared, no rule", record: { shared: true } },
  { claim: "descriptor: shared, prefix", rules: { statementDescriptor: "CAFE" }, record: { shared: true } },
  {
    claim: "descriptor: shared, prefix in another spelling",
    rules: { statementDescriptor: "Cafe n" },
    record: { shared: true, statementDescriptor: " cafe north" },
  },
  {
    claim: "descriptor: shared, another one",
    rules: { statementDescriptor: "NORTH" },
    record: { shared: true },
    reason: "other_descriptor",
  },
  {
    claim: "descriptor: shared, the record has none",
    rules: { statementDescriptor: "CAFE" },
    record: { shared: true, statementDescriptor: null },
    reason: "other_descriptor",
  },

  { claim: "retailer: no payment yet", payment: null, reason: "unconfirmed" },
  { claim: "none: no payment needed", rules: NONE, payment: null },
  {
    claim: "none: still of the merchant",
    rules: { ...NONE, merchantIds: ["M-3"] },
    payment: null,
    reason: "other_merchant",
  },
  {
    claim: "none: still by descriptor",
    rules: { ...NONE, statementDescriptor: "BAR" },
    record: { shared: true },
    payment: null,
    reason: "other_descriptor",
  },

  { claim: "min_amount: reached", rules: { minAmount: 450 } },
  { claim: "min_amount: missed by one", rules: { minAmount: 451 }, reason: "amount_too_low" },
  { claim: "min_amount: the largest", rules: { minAmount: 2 ** 53 - 1 }, payment: { amount: 2 ** 53 - 1 } },
  {
    claim: "min_amount: one below the largest",
    rules: { minAmount: 2 ** 53 - 1 },
    payment: { amount: 2 ** 53 - 2 },
    reason: "amount_too_low",
  },
  { claim: "min_amount 0: an amount of 0", rules: { minAmount: 0 }, payment: { amount: 0 } },
  {
    claim: "none: a min_amount cannot be checked",
    rules: { ...NONE, minAmount: 1 },
    payment: null,
    reason: "amount_unknown",
  },
  {
    claim: "none: a payment that came first makes no difference",
    rules: { ...NONE, minAmount: 1 },
    reason: "amount_unknown",
  },
  { claim: "none: a min_amount of 0 is no condition", rules: { ...NONE, minAmount: 0 }, payment: null },

  { claim: "currency: the same", rules: { currency: "EUR" } },
  { claim: "currency: another", rules: { currency: "SEK" }, reason: "other_currency" },
  { claim: "none: currency is no condition", rules: { ...NONE, currency: "SEK" }, payment: null },
  { claim: "none: not even of a payment", rules: { ...NONE, currency: "SEK" } },

  { claim: "paid_after: its instant counts", rules: { paidAfter: NOON } },
  { claim: "paid_after: just before", rules: { paidAfter: NOON + 1 }, reason: "paid_too_early" },
  { claim: "paid_before: just before", rules: { paidBefore: NOON + 1 } },
  { claim: "paid_before: its instant is over", rules: { paidBefore: NOON }, reason: "paid_too_late" },
  { claim: "starts_at: its instant counts", rules: { startsAt: NOON } },
  { claim: "starts_at: just before", rules: { startsAt: NOON + 1 }, reason: "not_started" },
  { claim: "ends_at: just before", rules: { endsAt: NOON + 1 } },
  { claim: "ends_at: its instant is over", rules: { endsAt: NOON }, reason: "ended" },

  ...(
    [
      ["paid_after", { paidAfter: RECORD.authedAt }, { paidAfter: RECORD.authedAt + 1 }, "paid_too_early"],
      ["paid_before", { paidBefore: RECORD.authedAt + 1 }, { paidBefore: RECORD.authedAt }, "paid_too_late"],
      ["starts_at", { startsAt: RECORD.authedAt }, { startsAt: RECORD.authedAt + 1 }, "not_started"],
      ["ends_at", { endsAt: RECORD.authedAt + 1 }, { endsAt: RECORD.authedAt }, "ended"],
    ] as const
  ).flatMap(([rule, inside, outside, reason]): Row[] => [
    { claim: `none: ${rule} takes authed_at, inside`, rules: { ...NONE, ...inside } },
    { claim: `none: ${rule} takes authed_at, outside`, rules: { ...NONE, ...outside }, reason },
  ]),
];

for (const { claim, rules, record, payment, reason } of ROWS) {
  t.test(`rules - ${claim}: ${reason ?? "qualifies"}`, async (t) => {
    const verdict = qualifies(
      prepareRules({ ...ANY, ...rules }),
      { ...RECORD, ...record },
      payment === null ? null : { ...PAYMENT, ...payment },
    );
    t.strictSame(verdict, reason === undefined ? { qualifies: true } : { qualifies: false, reason });
  });
}

const time = fc.integer({ min: NOON - 3, max: NOON + 3 });
const anyRules: fc.Arbitrary<Rules> = fc.record({
  merchantIds: fc.subarray(["M-1", "M-2", "M-3"]),
  statementDescriptor: fc.constantFrom(null, "CAFE", "BAR"),
  minAmount: fc.option(fc.nat({ max: 3 })),
  currency: fc.constantFrom(null, "EUR", "SEK"),
  paidAfter: fc.option(time),
  paidBefore: fc.option(time),
  confirmation: fc.constantFrom("retailer", "none"),
  startsAt: fc.option(time),
  endsAt: fc.option(time),
});
const anyRecord: fc.Arbitrary<RoutedRecord> = fc.record({
  merchantId: fc.constantFrom("M-1", "M-2"),
  statementDescriptor: fc.constantFrom(null, "CAFE NORTH", "BAR"),
  shared: fc.boolean(),
  authedAt: time,
});
const anyPayment = fc.record({
  amount: fc.nat({ max: 3 }),
  currency: fc.constantFrom("EUR", "SEK"),
  paidAt: time,
});

t.test("rules - one more rule never makes a purchase qualify that did not", async () => {
  const optional = [
    "statementDescriptor",
    "minAmount",
    "currency",
    "paidAfter",
    "paidBefore",
    "startsAt",
    "endsAt",
  ] as const;
  fc.assert(
    fc.property(
      anyRules,
      anyRecord,
      fc.option(anyPayment),
      fc.constantFrom(...optional),
      (rules, record, payment, rule) => {
        if (!qualifies(prepareRules(rules), record, payment).qualifies) return;
        const verdict = qualifies(prepareRules({ ...rules, [rule]: null }), record, payment);
        assert.deepEqual(verdict, { qualifies: true });
      },
    ),
    { numRuns: 2000, seed: Number(process.env.FC_SEED ?? 5) },
  );
});

t.test("rules - without confirmation the verdict is the same before and after a payment", async () => {
  fc.assert(
    fc.property(anyRules, anyRecord, anyPayment, (rules, record, payment) => {
      const prepared = prepareRules({ ...rules, confirmation: "none" });
      assert.deepEqual(qualifies(prepared, record, payment), qualifies(prepared, record, null));
    }),
    { numRuns: 500, seed: Number(process.env.FC_SEED ?? 5) },
  );
});
