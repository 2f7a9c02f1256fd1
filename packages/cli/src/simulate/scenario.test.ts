import { join } from "node:path";
import t, { type Test } from "tap";
import { readScenario, scenarioOf } from "./scenario.ts";

const NONE = { set: [] };
const stepsOf = ({ steps }: ReturnType<typeof scenarioOf>) =>
  steps.map(({ step, expect }) => [step, ...expect]);

function fileOf(t: Test, scenario: unknown): string {
  const text = typeof scenario === "string" ? scenario : JSON.stringify(scenario);
  return join(t.testdir({ "s.json": text }), "s.json");
}

t.test(
  "scenario - a purchase expects its stamp, and a refund waits for the stamp before it takes it back",
  async (t) => {
    t.strictSame(stepsOf(scenarioOf("purchase", NONE, false)), [
      ["authorize"],
      ["pay", "qualifying_purchase.created"],
      ["clear"],
    ]);
    t.strictSame(stepsOf(scenarioOf("refund", NONE, false)), [
      ["authorize"],
      ["pay", "qualifying_purchase.created"],
      ["revert", "qualifying_purchase.voided"],
    ]);
    t.strictSame(stepsOf(scenarioOf("refund", NONE, true)), [["revert", "qualifying_purchase.voided"]]);
    t.strictSame(stepsOf(scenarioOf("purchase", { set: [], deal: "deal_1" }, false)), [
      ["authorize"],
      ["pay", "cashback.created"],
      ["clear", "cashback.cleared"],
    ]);
    t.strictSame(stepsOf(scenarioOf("purchase", { set: [], steps: "pay, authorize" }, false)), [
      ["pay"],
      ["authorize", "qualifying_purchase.created"],
    ]);
  },
);

t.test("scenario - events of --expect are awaited after the last step", async (t) => {
  const flags = {
    set: ["amount=5"],
    steps: "authorize,pay",
    expect: "cashback.created,cashback.cleared",
    within: 5,
  };
  const scenario = scenarioOf("purchase", flags, false);
  t.strictSame(stepsOf(scenario), [["authorize"], ["pay", "cashback.created", "cashback.cleared"]]);
  t.match(scenario, { member: "simulated", set: { amount: 5 }, steps: [{}, { withinMs: 5 }] });
  t.strictSame(stepsOf(scenarioOf("purchase", { set: [], steps: "authorize", expect: "none" }, false)), [
    ["authorize"],
  ]);
  const wrong = [
    { steps: "authorise" },
    { steps: "" },
    { expect: "cashback" },
    { set: ["amount=12.50"] },
    { set: ["amuont=1"] },
    { set: ["amount"] },
  ];
  for (const one of wrong) {
    const make = () => scenarioOf("purchase", { set: [], ...one }, false);
    t.throws(make, { name: "CommandError", message: /no step|no event|whole number|give field=value/ });
  }
});

t.test("scenario - a file has purchases by name, and the events expected of each step", async (t) => {
  const file = fileOf(t, {
    member: "ada",
    member_base: "mb_1",
    program: "lp_1",
    set: { amount: 900, currency: "EUR" },
    within: "2s",
    steps: [
      "authorize",
      { step: "authorize", purchase: "second", set: { amount: 100 } },
      {
        step: "pay",
        purchase: "second",
        expect: ["qualifying_purchase.created", "cashback.created"],
        within: "30s",
      },
      { step: "revert", expect: "qualifying_purchase.voided" },
    ],
  });
  const scenario = readScenario(file, { set: ["currency=USD"], member: "grace" });
  t.match(scenario, {
    member: "grace",
    memberBase: "mb_1",
    program: "lp_1",
    set: { amount: 900, currency: "USD" },
  });
  t.strictSame(
    scenario.steps.map(({ step, purchase, set, expect, withinMs }) => [
      step,
      purchase,
      set,
      expect.length,
      withinMs,
    ]),
    [
      ["authorize", "purchase", {}, 0, 2000],
      ["authorize", "second", { amount: 100 }, 0, 2000],
      ["pay", "second", {}, 2, 30_000],
      ["revert", "purchase", {}, 1, 2000],
    ],
  );
});

t.test("scenario - a fault of a file is named with its place", async (t) => {
  const cases: ReadonlyArray<[unknown, RegExp]> = [
    ["{", /\.json:1:1: is not JSON/],
    [[], /it must be an object/],
    [{ steps: [] }, /steps must have 1 to 1000 steps/],
    [{ steps: ["authorize"], members: "ada" }, /members is not known: there are member,/],
    [{ steps: ["authorize"], member: 7 }, /member must be text/],
    [{ steps: ["authorize"], within: "soon" }, /within must be a duration/],
    [{ steps: ["authorize", "buy"] }, /steps\[1\] must be one of "authorize"/],
    [{ steps: [{ step: "pay", expects: [] }] }, /steps\[0\]\.expects is not known/],
    [
      { steps: [{ step: "pay", expect: ["cashback"] }] },
      /steps\[0\]\.expect\[0\] must be one of "cashback\.created"/,
    ],
    [{ steps: [{ step: "pay", purchase: "a b" }] }, /steps\[0\]\.purchase must be a name/],
    [{ steps: [{ step: "pay", set: [1] }] }, /steps\[0\]\.set must be an object/],
    [{ steps: [{ step: "pay", set: { amount: -1 } }] }, /an amount is a whole number/],
  ];
  for (const [scenario, message] of cases)
    t.throws(() => readScenario(fileOf(t, scenario), NONE), { message });
  t.throws(() => readScenario("/no/such/file", NONE), { message: /cannot read .*ENOENT/ });
  t.throws(() => readScenario(fileOf(t, { steps: ["pay"] }), { set: [], steps: "pay" }), {
    message: /go without/,
  });
});
