import t from "tap";
import { encodeId } from "#domain";
import { readOutcomes, readSettlements } from "./read-entries.ts";
import { idOf } from "./test-decisions.ts";

const TRANSACTION = encodeId("tx", idOf("transaction"));
const PURCHASE = {
  outcome_id: "out_1",
  transaction_id: TRANSACTION,
  type: "qualifying_purchase",
  stamp_collection_id: encodeId("sc", idOf("card")),
};
const DEAL = {
  outcome_id: "out_2",
  transaction_id: TRANSACTION,
  type: "deal",
  clip_id: encodeId("clip", idOf("clip")),
  amount: 5,
  currency: "EUR",
};

const bytes = (message: unknown) => Buffer.from(JSON.stringify(message));
const packed = (...outcomes: unknown[]) => bytes({ v: 1, outcomes });

t.test("reading - ids are decoded, absent fields are null", async (t) => {
  const { faults, outcomes, unknown, invalid } = readOutcomes(
    [packed(PURCHASE, DEAL), packed({ ...PURCHASE, purchase_amount: 0, currency: "SEK", retroactive: true })],
    [7],
  );
  t.strictSame([faults, unknown, invalid], [[undefined, undefined], [], []]);
  const transactionId = idOf("transaction");
  const collection = { kind: "collection", id: idOf("card") };
  const stamp = {
    type: "qualifying_purchase",
    purchaseAmount: null,
    currency: null,
    threshold: null,
    reward: null,
  };
  t.strictSame(outcomes, [
    {
      transactionId,
      target: collection,
      finding: stamp,
      retroactive: undefined,
      moment: 7,
      message: 0,
      said: PURCHASE,
    },
    {
      transactionId,
      target: { kind: "clip", id: idOf("clip") },
      finding: { type: "deal", amount: 5, currency: "EUR" },
      retroactive: undefined,
      moment: 7,
      message: 0,
      said: DEAL,
    },
    {
      transactionId,
      target: collection,
      finding: { ...stamp, purchaseAmount: 0, currency: "SEK", threshold: null, reward: null },
      retroactive: true,
      moment: undefined,
      message: 1,
      said: { ...PURCHASE, purchase_amount: 0, currency: "SEK", retroactive: true },
    },
  ]);
});

t.test("reading - an id of another form is unknown", async (t) => {
  const { outcomes, unknown, invalid } = readOutcomes([
    packed(
      { ...PURCHASE, stamp_collection_id: DEAL.clip_id },
      { ...DEAL, clip_id: "" },
      { ...PURCHASE, transaction_id: "tx_NOT" },
      { ...DEAL, transaction_id: TRANSACTION.toUpperCase() },
    ),
  ]);
  t.strictSame([outcomes, invalid], [[], []]);
  t.strictSame(unknown, ["unknown_target", "unknown_target", "unknown_transaction", "unknown_transaction"]);
});

t.test("reading - an invalid outcome does not stop the others of its message", async (t) => {
  const wrong: ReadonlyArray<[what: string, outcome: unknown, path: string]> = [
    ["null", null, ""],
    ["a list", [PURCHASE], ""],
    ["no id", { ...PURCHASE, outcome_id: undefined }, "/outcome_id"],
    ["an amount in parts", { ...DEAL, amount: 1.5 }, "/amount"],
    ["an amount below nothing", { ...PURCHASE, purchase_amount: -1 }, "/purchase_amount"],
    ["an amount that is not exact", { ...DEAL, amount: 2 ** 53 }, "/amount"],
    ["a deal without its amount", { ...DEAL, amount: undefined }, "/amount"],
    ["an unknown currency", { ...DEAL, currency: "XYZ" }, "/currency"],
    ["an unknown type", { ...DEAL, type: "gift" }, "/type"],
    ["an unknown field", { ...PURCHASE, member_id: "m_1" }, "/member_id"],
  ];
  for (const [what, outcome, path] of wrong) {
    const read = readOutcomes([packed(PURCHASE, outcome, DEAL)]);
    t.strictSame(
      read.outcomes.map(({ said }) => said.outcome_id),
      ["out_1", "out_2"],
      what,
    );
    t.match(read.invalid, [{ message: 0 }], what);
    const paths = read.invalid.flatMap(({ issues }) => issues.map((issue) => issue.path));
    t.ok(paths.includes(path), `${what}: ${paths}`);
  }
});

t.test("reading - a message without a list of outcomes differs from one that is no JSON", async (t) => {
  const notUtf8 = Buffer.from(
    JSON.stringify({ v: 1, outcomes: [{ ...DEAL, outcome_id: "\u00ff" }] }),
    "latin1",
  );
  const unreadable = [Buffer.alloc(0), Buffer.from('{"v":1,"outcomes":['), notUtf8];
  const invalid = [
    null,
    7,
    "x",
    [],
    {},
    { v: 2, outcomes: [DEAL] },
    { v: 1, outcomes: {} },
    { v: 1, outcomes: [] },
  ];
  const { faults, outcomes } = readOutcomes([...unreadable, ...invalid.map(bytes), packed(DEAL)]);
  t.strictSame(faults, [
    ...unreadable.map(() => "unreadable_message"),
    ...invalid.map(() => "invalid_message"),
    undefined,
  ]);
  t.match(outcomes, [{ message: unreadable.length + invalid.length }]);
});

t.test("regression - a damaged settlement stopped its partition, or was lost without a word", async (t) => {
  const good = { transaction: idOf("A"), organisation: idOf("organisation"), state: "cleared" };
  const damaged = [null, 5, "x", [], {}, { ...good, transaction: 7 }, { ...good, organisation: "o" }];
  const { faults, settlements, invalid } = readSettlements([
    bytes({ v: 1, settlements: [...damaged, good] }),
    bytes({ v: 1, settlements: damaged }),
  ]);
  t.strictSame(faults, [undefined, undefined]);
  t.match(settlements, [{ transactionId: idOf("A") }]);
  t.strictSame(
    invalid,
    [0, 1].flatMap((message) => damaged.map((said) => ({ message, said }))),
  );
});

t.test("reading - settlements of one transaction are one", async (t) => {
  const settlement = (transaction: string, state: string) => ({
    transaction: idOf(transaction),
    organisation: idOf("organisation"),
    state,
  });
  const { faults, settlements } = readSettlements([
    bytes({ v: 1, settlements: [settlement("A", "authorized"), settlement("B", "cleared")] }),
    bytes({ v: 1 }),
    bytes({ v: 1, settlements: [settlement("A", "cleared")] }),
  ]);
  t.strictSame(faults, [undefined, "invalid_message", undefined]);
  t.strictSame(
    settlements.map(({ transactionId, organisationId, said }) => [transactionId, organisationId, said.state]),
    [
      [idOf("A"), idOf("organisation"), "cleared"],
      [idOf("B"), idOf("organisation"), "cleared"],
    ],
  );
});
