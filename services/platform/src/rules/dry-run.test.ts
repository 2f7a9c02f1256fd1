import t from "tap";
import { type DraftOffer, dryRun, type TriedPurchase } from "./dry-run.ts";
import { indexRoutes } from "./route-transaction.ts";
import { type DealRewardRule, prepareRules, type Rules } from "./rules.ts";
import { rulesOf } from "./test-rules.ts";

const NOON = 1_772_366_400_000_000;

const RULES = rulesOf({ merchantIds: ["M-1"], minAmount: 200, currency: "EUR" });

const ROUTES = indexRoutes([
  { id: "r-1", since: 0, value: { merchantIds: [" m-1 "], statementDescriptors: [] } },
]);

const offer = (rules: Partial<Rules> = {}, reward?: DealRewardRule): DraftOffer => ({
  rules: prepareRules({ ...RULES, ...rules }),
  reward,
});

let made = 0;
function purchase(changes: Partial<TriedPurchase> = {}): TriedPurchase {
  return {
    transactionId: `tx-${++made}`,
    merchantId: "M-1",
    statementDescriptor: null,
    shared: false,
    authedAt: NOON,
    isReverted: false,
    isLinked: false,
    payment: { amount: 1000, currency: "EUR", paidAt: NOON },
    ...changes,
  };
}

t.test(
  "dry run - counts the purchases that would have earned, and why the others would not, most frequent first",
  async (t) => {
    const cheap = purchase({ payment: { amount: 199, currency: "EUR", paidAt: NOON } });
    const purchases = [
      purchase({ isLinked: true }),
      purchase(),
      cheap,
      purchase({ payment: null }),
      purchase({ payment: null }),
      purchase({ merchantId: "M-2" }),
      purchase({ isReverted: true, isLinked: true }),
      purchase({ payment: { amount: 1000, currency: "SEK", paidAt: NOON } }),
    ];
    const run = dryRun(offer(), purchases, ROUTES, 10);
    t.match(run, { earned: 2, linked: 1, rewards: [], unroutedMerchantIds: [] });
    t.strictSame(run.reasons[0], { reason: "unconfirmed", purchases: 2 });
    t.strictSame(
      new Set(run.reasons.slice(1).map(({ reason }) => reason)),
      new Set(["amount_too_low", "other_merchant", "reverted", "other_currency"]),
    );
  },
);

t.test(
  "dry run - examples are purchases that earned, then near ones, and none from other merchants",
  async (t) => {
    const elsewhere = Array.from({ length: 50 }, () => purchase({ merchantId: "M-2" }));
    const run = dryRun(
      offer(),
      [...elsewhere, purchase({ payment: null }), purchase(), purchase()],
      ROUTES,
      3,
    );
    t.strictSame(
      run.examples.map(({ result }) => result),
      ["earned", "earned", "unconfirmed"],
    );
    t.equal(dryRun(offer(), [purchase(), purchase()], ROUTES, 1).examples.length, 1);
  },
);

t.test("dry run - a deal sums its cashbacks by currency", async (t) => {
  const rules = { currency: null, minAmount: null };
  const purchases = [
    purchase(),
    purchase({ payment: { amount: 333, currency: "EUR", paidAt: NOON } }),
    purchase({ payment: { amount: 500, currency: "SEK", paidAt: NOON } }),
  ];
  const percent = offer(rules, { type: "percent", percent: 10, maxAmount: 50 });
  t.strictSame(dryRun(percent, purchases, ROUTES, 0).rewards, [
    { currency: "EUR", amount: 83, purchases: 2 },
    { currency: "SEK", amount: 50, purchases: 1 },
  ]);
  const fixed = offer(rules, { type: "fixed", amount: 7, currency: "NOK" });
  t.strictSame(dryRun(fixed, purchases, ROUTES, 0).rewards, [{ currency: "NOK", amount: 21, purchases: 3 }]);
});

t.test("dry run - without confirmation a payment counts for nothing, as in earnest", async (t) => {
  const rules = { confirmation: "none", minAmount: null, paidAfter: NOON } as const;
  const purchases = [
    purchase({ payment: null }),
    purchase({ authedAt: NOON - 1, payment: { amount: 1, currency: "EUR", paidAt: NOON } }),
  ];
  t.match(dryRun(offer(rules), purchases, ROUTES, 0), {
    earned: 1,
    reasons: [{ reason: "paid_too_early", purchases: 1 }],
  });
  const share = offer({ ...rules, paidAfter: null }, { type: "percent", percent: 10, maxAmount: null });
  t.match(dryRun(share, purchases, ROUTES, 0), { earned: 0, reasons: [{ reason: "amount_unknown" }] });
});

t.test("dry run - merchant ids that no retailer has are named, in the spelling of the draft", async (t) => {
  const run = dryRun(offer({ merchantIds: ["m-1", "M-9", " m-8"] }), [], ROUTES, 0);
  t.strictSame(run.unroutedMerchantIds, ["M-9", " m-8"]);
});
