import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { type DealRewardRule, dealReward } from "./deal-reward.ts";

const RUNS = { numRuns: Number(process.env.FC_RUNS ?? 1000), seed: Number(process.env.FC_SEED ?? 5) };
const MAX = Number.MAX_SAFE_INTEGER;

const percent = (value: number, maxAmount: number | null = null): DealRewardRule => ({
  type: "percent",
  percent: value,
  maxAmount,
});

const ROWS: ReadonlyArray<
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

for (const [claim, share, max, amount, reward] of ROWS) {
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

t.test("fixed - its amount in its currency, whatever was paid", async (t) => {
  const fixed: DealRewardRule = { type: "fixed", amount: MAX, currency: "EUR" };
  for (const purchase of [null, { amount: 0, currency: "SEK" }, { amount: MAX, currency: "EUR" }]) {
    t.strictSame(dealReward(fixed, purchase), { amount: MAX, currency: "EUR" });
  }
});

t.test("reward - what the schemas refuse is thrown out", async (t) => {
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
    RUNS,
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
      RUNS,
    );
  },
);
