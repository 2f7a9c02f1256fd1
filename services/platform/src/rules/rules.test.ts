import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import type { Disqualification } from "#domain";
import {
  type DealRewardRule,
  dealReward,
  type OutcomeTarget,
  outcomeId,
  prepareRules,
  qualifies,
  type RetailerPayment,
  type RoutedRecord,
  type Rules,
} from "./rules.ts";
import { rulesOf } from "./test-rules.ts";

const NOON = 1_780_000_000_000_000;

const ANY = Object.freeze(rulesOf({ merchantIds: ["M-1", "M-2"] }));
const RECORD: RoutedRecord = Object.freeze({
  merchantId: "M-1",
  statementDescriptor: "CAFE NORTH",
  shared: false,
  // Far from the payment, so that a rule that reads the wrong time is detected.
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
  retroactive: fc.boolean(),
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

const REWARD_RUNS = {
  numRuns: Number(process.env.FC_REWARD_RUNS ?? 1000),
  seed: Number(process.env.FC_SEED ?? 5),
};
const MAX = Number.MAX_SAFE_INTEGER;

const percent = (value: number, maxAmount: number | null = null): DealRewardRule => ({
  type: "percent",
  percent: value,
  maxAmount,
});

const REWARDS: ReadonlyArray<
  readonly [claim: string, percent: number, max: number | null, amount: number, reward: number]
> = [
  ["a whole result", 10, null, 1000, 100],
  ["half a minor unit is rounded up", 10, null, 5, 1],
  ["less than half is rounded down", 10, null, 4, 0],
  ["more than half is rounded up", 10, null, 6, 1],
  ["half above one as well, not to even", 10, null, 25, 3],
  ["decimals: exactly half", 1.005, null, 50_000, 503],
  ["decimals: 1.15 % of 1000, which doubles make 11.499…", 1.15, null, 1000, 12],
  ["decimals: just below half", 0.0049, null, 10_000, 0],
  ["an exponent: as small as a number gets", 5e-324, null, MAX, 0],
  ["an exponent: exactly half", 5e-7, null, 100_000_000, 1],
  ["an exponent with decimals", 1.5e-7, null, 1_000_000_000, 2],
  ["all of it", 100, null, MAX, MAX],
  ["half of the largest amount, an odd one", 50, null, MAX, 2 ** 52],
  ["seventeen digits", 99.99999999999999, null, MAX, 9_007_199_254_740_990],
  ["nothing of nothing", 100, null, 0, 0],
  ["max_amount: above", 50, 100, 1000, 100],
  ["max_amount: equal", 10, 100, 1000, 100],
  ["max_amount: below", 5, 100, 1000, 50],
  ["max_amount: of 0", 5, 0, 1000, 0],
];

for (const [claim, share, max, amount, reward] of REWARDS) {
  t.test(`percent - ${claim}: ${share} % of ${amount} is ${reward}`, async (t) => {
    t.strictSame(dealReward(percent(share, max), { amount, currency: "SEK" }), {
      amount: reward,
      currency: "SEK",
    });
  });
}

t.test("percent - of an unknown amount there is no reward", async (t) => {
  t.equal(dealReward(percent(10, 100), null), undefined);
});

t.test("fixed - its amount in its currency, for any payment", async (t) => {
  const fixed: DealRewardRule = { type: "fixed", amount: MAX, currency: "EUR" };
  for (const purchase of [null, { amount: 0, currency: "SEK" }, { amount: MAX, currency: "EUR" }]) {
    t.strictSame(dealReward(fixed, purchase), { amount: MAX, currency: "EUR" });
  }
});

t.test("reward - values that the schemas refuse throw", async (t) => {
  for (const share of [0, -1, 100.00000000000001, 1e21, Number.NaN, Number.POSITIVE_INFINITY]) {
    t.throws(() => dealReward(percent(share), { amount: 1, currency: "EUR" }), RangeError, `${share} %`);
  }
  for (const amount of [-1, 0.5, MAX + 1, Number.NaN]) {
    t.throws(() => dealReward(percent(1), { amount, currency: "EUR" }), RangeError, `of ${amount}`);
    t.throws(() => dealReward(percent(1, amount), { amount: 1, currency: "EUR" }), RangeError);
    t.throws(() => dealReward({ type: "fixed", amount, currency: "EUR" }, null), RangeError);
  }
});

t.test("percent - up to 2^53-1 the reward is the nearest whole number, half upwards", async () => {
  const amounts = fc.oneof(fc.maxSafeNat(), fc.nat({ max: 1000 }), fc.constant(MAX));
  const tenThousandths = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(amounts, tenThousandths, (amount, parts) => {
      const reward = dealReward(percent(parts / 10_000), { amount, currency: "EUR" })?.amount as number;
      assert.ok(Number.isSafeInteger(reward) && reward >= 0 && reward <= amount);
      // exact - 1/2 < reward <= exact + 1/2, times two million.
      const doubled = 2n * BigInt(amount) * BigInt(parts);
      const difference = 2_000_000n * BigInt(reward) - doubled;
      assert.ok(difference > -1_000_000n && difference <= 1_000_000n, `${amount}, ${parts}: ${reward}`);
    }),
    REWARD_RUNS,
  );
});

t.test(
  "percent - a larger purchase or percentage never earns less, and none more than max_amount",
  async () => {
    const share = fc.double({ min: 0, max: 100, minExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), share, share, fc.maxSafeNat(), (a, b, p, q, max) => {
        const reward = (amount: number, value: number) =>
          dealReward(percent(value, max), { amount, currency: "EUR" })?.amount as number;
        const least = reward(Math.min(a, b), Math.min(p, q));
        const most = reward(Math.max(a, b), Math.max(p, q));
        assert.ok(least <= most && most <= max, `${least}, ${most}, ${max}`);
      }),
      REWARD_RUNS,
    );
  },
);

const TRANSACTION = "tx_1";

t.test(
  "outcome id - fixed outcomes keep their ids: a resent one would count twice under another",
  async (t) => {
    t.equal(
      outcomeId(TRANSACTION, { type: "program", programId: "lp_1" }),
      "a4d7d120-1b4c-8a3c-930d-55f8837d976d",
    );
    t.equal(
      outcomeId(TRANSACTION, { type: "clip", clipId: "clip_1" }),
      "82833d93-44b4-8518-a9b9-8717515dcd65",
    );
  },
);

t.test("outcome id - another transaction, kind or target is another outcome", async (t) => {
  const targets: OutcomeTarget[] = [
    { type: "program", programId: "a" },
    { type: "program", programId: "b" },
    { type: "clip", clipId: "a" },
    { type: "clip", clipId: "b" },
  ];
  const ids = ["tx_1", "tx_2"].flatMap((transaction) => targets.map((one) => outcomeId(transaction, one)));
  t.equal(new Set(ids).size, 8);
});

t.test(
  "deal reward - a type that is not known gives nothing: it is not taken for a percentage",
  async (t) => {
    const later = { type: "points", percent: 100, maxAmount: null } as unknown as Parameters<
      typeof dealReward
    >[0];
    t.throws(() => dealReward(later, { amount: 1000, currency: "EUR" }), RangeError);
  },
);
