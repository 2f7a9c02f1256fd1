import t from "tap";
import type { Outcome } from "#contract/platform";
import { MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId, encodeId } from "#domain";
import {
  outcomeId,
  type PreparedPrograms,
  type PurchaseRecord,
  prepareRules,
  type Rules,
} from "#domain/platform";
import { createJudge, type Judged } from "./halves/judge.ts";

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [TRANSACTION, COLLECTION, PROGRAM, CLIP, DEAL] = [1, 2, 3, 4, 5].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
];
const RULES: Rules = {
  merchantIds: ["MID-1"],
  statementDescriptor: null,
  minAmount: null,
  currency: null,
  paidAfter: null,
  paidBefore: null,
  confirmation: "retailer",
  startsAt: null,
  endsAt: null,
};
const RECORD: PurchaseRecord = {
  transactionId: TRANSACTION,
  route: { retailerId: uuid(9), shared: false },
  state: "authorized",
  merchantId: "mid-1",
  statementDescriptor: null,
  authedAt: 1_000,
  identifiers: [],
  clips: new Map([[CLIP, DEAL]]),
  enrolments: new Map([[COLLECTION, PROGRAM]]),
};
const PAYMENT = { amount: 1999, currency: "SEK", paidAt: 2_000 };
const PERCENT = { type: "percent", percent: 10, maxAmount: null } as const;
const FIXED = { type: "fixed", amount: 500, currency: "EUR" } as const;

function prepared(rules: Partial<Rules>, reward: typeof PERCENT | typeof FIXED = PERCENT): PreparedPrograms {
  const ready = prepareRules({ ...RULES, ...rules });
  return { programs: new Map([[PROGRAM, ready]]), deals: new Map([[DEAL, { rules: ready, reward }]]) };
}

const read = ({ outcomes }: Judged) => outcomes.map(({ json }) => JSON.parse(json) as Outcome);

t.test("decide - a payment earns its amount for the program, and a share of it for the deal", (t) => {
  const judgement = createJudge(prepared({})).onPayment(RECORD, PAYMENT);
  t.strictSame(read(judgement), [
    {
      outcome_id: encodeId("out", outcomeId(TRANSACTION, { type: "program", programId: PROGRAM })),
      transaction_id: encodeId("tx", TRANSACTION),
      type: "qualifying_purchase",
      stamp_collection_id: encodeId("sc", COLLECTION),
      purchase_amount: 1999,
      currency: "SEK",
    },
    {
      outcome_id: encodeId("out", outcomeId(TRANSACTION, { type: "clip", clipId: CLIP })),
      transaction_id: encodeId("tx", TRANSACTION),
      type: "deal",
      clip_id: encodeId("clip", CLIP),
      amount: 200,
      currency: "SEK",
    },
  ]);
  for (const outcome of read(judgement)) t.ok(MESSAGE_VALIDATORS.outcome(outcome));
  t.strictSame(
    judgement.outcomes.map(({ id }) => id),
    read(judgement).map((outcome) => decodeId("out", outcome.outcome_id)),
  );
  t.end();
});

t.test(
  "decide - a link that needs a payment earns nothing on arrival, and is not counted as refused",
  (t) => {
    t.strictSame(createJudge(prepared({})).onArrival(RECORD), { outcomes: [], disqualified: [] });
    t.end();
  },
);

t.test("decide - a link that needs no payment earns on arrival, and ignores a payment", (t) => {
  const judge = createJudge(prepared({ confirmation: "none", currency: "EUR" }, FIXED));
  t.match(read(judge.onArrival(RECORD)), [
    { type: "qualifying_purchase", purchase_amount: undefined, currency: undefined },
    { type: "deal", amount: 500, currency: "EUR" },
  ]);
  t.strictSame(judge.onPayment(RECORD, PAYMENT), { outcomes: [], disqualified: [] });
  t.end();
});

t.test("decide - a share of an amount that nobody knows is no outcome", (t) => {
  const { outcomes, disqualified } = createJudge(prepared({ confirmation: "none" })).onArrival(RECORD);
  t.equal(outcomes.length, 1);
  t.strictSame(disqualified, ["amount_unknown"]);
  t.end();
});

t.test("decide - rules that do not hold are given as reasons", (t) => {
  const cases: ReadonlyArray<[Partial<Rules>, string]> = [
    [{ merchantIds: ["MID-2"] }, "other_merchant"],
    [{ minAmount: 2000 }, "amount_too_low"],
    [{ currency: "EUR" }, "other_currency"],
    [{ paidAfter: 2_001 }, "paid_too_early"],
    [{ paidBefore: 2_000 }, "paid_too_late"],
    [{ startsAt: 2_001 }, "not_started"],
    [{ endsAt: 2_000 }, "ended"],
  ];
  for (const [rules, reason] of cases) {
    t.strictSame(createJudge(prepared(rules)).onPayment(RECORD, PAYMENT), {
      outcomes: [],
      disqualified: [reason, reason],
    });
  }
  const shared = { ...RECORD, route: { retailerId: uuid(9), shared: true }, statementDescriptor: "SHOP 1" };
  const judge = createJudge(prepared({ statementDescriptor: "other" }));
  t.strictSame(judge.onPayment(shared, PAYMENT).disqualified, ["other_descriptor", "other_descriptor"]);
  t.equal(judge.onPayment(RECORD, PAYMENT).outcomes.length, 2, "it is not consulted where nobody shares");
  t.end();
});

t.test("decide - links to what was removed, and reverted purchases, earn nothing", (t) => {
  const nothing = { outcomes: [], disqualified: [] };
  const empty = createJudge({ programs: new Map(), deals: new Map() });
  t.strictSame(empty.onPayment(RECORD, PAYMENT), nothing);
  const reverted: PurchaseRecord = { ...RECORD, state: "reverted" };
  t.strictSame(createJudge(prepared({})).onPayment(reverted, PAYMENT), nothing);
  t.strictSame(createJudge(prepared({ confirmation: "none" })).onArrival(reverted), nothing);
  t.end();
});
