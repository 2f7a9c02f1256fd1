import t from "tap";
import type { Outcome } from "#contract/platform";
import { MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId, encodeId } from "#domain";
import { addNew, createJudge, emptyJudged, inPublishedOrder, type Judged } from "./matching/judge.ts";
import type { PreparedPrograms } from "./rules/explain-purchase.ts";
import type { PurchaseRecord } from "./rules/merge-record.ts";
import { Revisions } from "./rules/revisions.ts";
import { type DealRewardRule, outcomeId, prepareRules, type Rules } from "./rules/rules.ts";
import { rulesOf, unchanging } from "./rules/test-rules.ts";

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [TRANSACTION, COLLECTION, PROGRAM, CLIP, DEAL] = [1, 2, 3, 4, 5].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
];
const RULES = rulesOf();
const RECORD: PurchaseRecord = {
  transactionId: TRANSACTION,
  route: { retailerId: uuid(9), shared: false },
  state: "authorized",
  merchantId: "mid-1",
  statementDescriptor: null,
  isFirstDescriptor: true,
  authedAt: 1_000,
  identifiers: [],
  clips: new Map([[CLIP, DEAL]]),
  enrolments: new Map([[COLLECTION, PROGRAM]]),
};
const PAYMENT = { amount: 1999, currency: "SEK", paidAt: 2_000 };
const PERCENT = { type: "percent", percent: 10, maxAmount: null } as const;
const FIXED = { type: "fixed", amount: 500, currency: "EUR" } as const;

function prepared(rules: Partial<Rules>, reward: DealRewardRule = PERCENT): PreparedPrograms {
  const ready = prepareRules({ ...RULES, ...rules });
  const program = { rules: ready, revision: 3, threshold: 5, reward: { type: "refund" as const } };
  return {
    programs: unchanging([[PROGRAM, program]]),
    deals: unchanging([[DEAL, { rules: ready, reward }]]),
  };
}

const read = ({ outcomes }: Judged) => outcomes.map(({ json }) => JSON.parse(json) as Outcome);

t.test("decide - a payment earns its amount for the program, and a share of it for the deal", (t) => {
  const judgement = createJudge(prepared({ retroactive: true })).onPayment(RECORD, PAYMENT);
  t.strictSame(read(judgement), [
    {
      outcome_id: encodeId("out", outcomeId(TRANSACTION, { type: "program", programId: PROGRAM })),
      transaction_id: encodeId("tx", TRANSACTION),
      type: "qualifying_purchase",
      retroactive: true,
      stamp_collection_id: encodeId("sc", COLLECTION),
      purchase_amount: 1999,
      currency: "SEK",
      revision: 3,
      qualifying_threshold: 5,
      reward_config: { type: "refund" },
    },
    {
      outcome_id: encodeId("out", outcomeId(TRANSACTION, { type: "deal", dealId: DEAL })),
      transaction_id: encodeId("tx", TRANSACTION),
      type: "deal",
      retroactive: true,
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
    { type: "qualifying_purchase", purchase_amount: undefined, currency: "EUR" },
    { type: "deal", amount: 500, currency: "EUR" },
  ]);
  t.strictSame(judge.onPayment(RECORD, PAYMENT), { outcomes: [], disqualified: [] });
  t.end();
});

t.test("decide - a share of an unknown amount is no outcome", (t) => {
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
  t.equal(
    judge.onPayment(RECORD, PAYMENT).outcomes.length,
    2,
    "it is not consulted for an unshared merchant id",
  );
  t.end();
});

t.test("decide - links to removed records, and reverted purchases, earn nothing", (t) => {
  const nothing = { outcomes: [], disqualified: [] };
  const empty = createJudge({ programs: new Revisions([]), deals: new Revisions([]) });
  t.strictSame(empty.onPayment(RECORD, PAYMENT), nothing);
  const reverted: PurchaseRecord = { ...RECORD, state: "reverted" };
  t.strictSame(createJudge(prepared({})).onPayment(reverted, PAYMENT), nothing);
  t.strictSame(createJudge(prepared({ confirmation: "none" })).onArrival(reverted), nothing);
  t.end();
});

t.test("regression - a purchase was judged by the rules of the day on which its messages came", (t) => {
  const [strict, mild] = [prepareRules(RULES), prepareRules({ ...RULES, confirmation: "none" })];
  const program = (rules: typeof strict, revision: number) => ({
    rules,
    revision,
    threshold: revision,
    reward: { type: "fixed-reward" as const, amount: revision },
  });
  const judge = createJudge({
    programs: new Revisions([
      { id: PROGRAM, since: RECORD.authedAt - 10, value: program(strict, 1) },
      { id: PROGRAM, since: RECORD.authedAt + 1, value: program(mild, 2) },
      { id: PROGRAM, since: RECORD.authedAt + 9, value: null },
    ]),
    deals: new Revisions([]),
  });
  const at = (authedAt: number) => ({ ...RECORD, authedAt, clips: new Map() });
  t.strictSame(judge.onArrival(at(RECORD.authedAt)).outcomes, [], "it waits for its payment");
  t.match(read(judge.onPayment(at(RECORD.authedAt), PAYMENT)), [{ revision: 1, qualifying_threshold: 1 }]);
  t.match(read(judge.onArrival(at(RECORD.authedAt + 1))), [{ revision: 2, reward_config: { amount: 2 } }]);
  t.strictSame(judge.onArrival(at(RECORD.authedAt + 9)).outcomes, [], "removed by then");
  t.match(read(judge.onPayment(at(0), PAYMENT)), [{ revision: 1 }], "before the first it is the first");
  t.end();
});

t.test("regression - one purchase earned the same deal again for each new clip", (t) => {
  const judge = createJudge(prepared({}, FIXED));
  const [older, newer] = [uuid(6), uuid(7)];
  const of = (...clips: string[]) => ({
    ...RECORD,
    enrolments: new Map(),
    clips: new Map(clips.map((id) => [id, DEAL])),
  });
  const first = judge.onPayment(of(older), PAYMENT);
  const judged = emptyJudged();
  const emitted = addNew(judged, first, []);
  t.match(read(judged), [{ clip_id: encodeId("clip", older) }]);
  addNew(judged, judge.onPayment(of(older, newer), PAYMENT), emitted);
  t.equal(judged.outcomes.length, 1, "the deal was earned");
  t.match(
    read(judge.onPayment(of(older, newer), PAYMENT)),
    [{ clip_id: encodeId("clip", newer) }],
    "the newest",
  );
  // Under the ids of earlier versions.
  const former = [outcomeId(TRANSACTION, { type: "clip", clipId: older })];
  t.equal(addNew(judged, judge.onPayment(of(older, newer), PAYMENT), former), former);
  t.end();
});

t.test("regression - a cashback of 0 used a clip up", (t) => {
  const judge = createJudge(prepared({}, { type: "percent", percent: 1, maxAmount: null }));
  const judgement = judge.onPayment({ ...RECORD, enrolments: new Map() }, { ...PAYMENT, amount: 40 });
  t.strictSame(judgement, { outcomes: [], disqualified: ["no_reward"] });
  t.end();
});

t.test(
  "decide - outcomes leave with the newest purchase of a deal first, and the oldest of a program",
  (t) => {
    const judge = createJudge(prepared({}));
    const judged = emptyJudged();
    for (const authedAt of [2, 1, 3]) {
      addNew(
        judged,
        judge.onPayment({ ...RECORD, transactionId: uuid(20 + authedAt), authedAt }, PAYMENT),
        [],
      );
    }
    t.strictSame(
      inPublishedOrder(judged.outcomes).map(({ type, authedAt }) => `${type} ${authedAt}`),
      [
        "qualifying_purchase 1",
        "qualifying_purchase 2",
        "qualifying_purchase 3",
        "deal 3",
        "deal 2",
        "deal 1",
      ],
    );
    t.end();
  },
);
