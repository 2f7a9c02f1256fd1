import t from "tap";
import type { Deal, Fact, Program, TransactionEvent } from "./facts.ts";
import { type Wallet, wallet } from "./wallet.ts";
import { identifier } from "./wallet-purchases.ts";

/** Written by hand from the contract: the minutes of one day, one shop, one member. */
const DAY = Date.parse("2026-03-10T00:00:00Z");
const at = (minutes: number) => new Date(DAY + minutes * 60_000).toISOString();

const NONE = { merchant_ids: ["MID-1"], confirmation: "none" } as const;
const REFUND: Program = { qualifying_threshold: 1, reward_config: { type: "refund" }, rules: NONE };
const FIVE: Deal = { reward_config: { type: "fixed", amount: 500, currency: "EUR" }, rules: NONE };
const START: Fact[] = [
  { kind: "retailer", id: "shop", at: at(0), record: { merchant_ids: ["mid-1"] } },
  { kind: "member", id: "ada", memberbase: "base" },
];

const program = (minutes: number, changes: Partial<Program> = {}): Fact => ({
  kind: "program",
  id: "coffee",
  at: at(minutes),
  record: { ...REFUND, ...changes },
});
const deal = (minutes: number, changes: Partial<Deal> = {}): Fact => ({
  kind: "deal",
  id: "shoes",
  at: at(minutes),
  record: { ...FIVE, ...changes },
});
const enrolment = (minutes: number): Fact => ({
  kind: "enrolment",
  id: "card",
  at: at(minutes),
  member: "ada",
  program: "coffee",
});
const clip = (id: string, minutes: number): Fact => ({
  kind: "clip",
  id,
  at: at(minutes),
  member: "ada",
  deal: "shoes",
});
const cardEvent = (
  ref: string,
  minutes: number,
  changes: Partial<TransactionEvent> = {},
): TransactionEvent => ({
  member_id: "ada",
  external_id: ref,
  auth_code: ref,
  network: "visa",
  bin: "411111",
  merchant_id: "MID-1",
  authed_at: at(minutes),
  amount: 1000,
  currency: "EUR",
  ...changes,
});
const event = (ref: string, minutes: number, changes: Partial<TransactionEvent> = {}): Fact => ({
  kind: "event",
  event: cardEvent(ref, minutes, changes),
});
const payment = (of: TransactionEvent, changes: { amount?: number; currency?: string } = {}): Fact => ({
  kind: "payment",
  retailer: "shop",
  payment: {
    payment_id: `pays ${of.external_id}`,
    identifiers: [identifier(of, 6) as string],
    amount: 1000,
    currency: "EUR",
    paid_at: of.authed_at,
    ...changes,
  },
});
const CLEARED = { cleared_at: at(2000) };
const REVERTED = { reverted_at: at(2000) };

const paid = ({ cashbacks }: Wallet) =>
  cashbacks.map(
    ({ purchase, source, state, amount, currency }) =>
      `${source.id} by ${purchase.ref}: ${amount} ${currency} ${state}`,
  );
const counter = ({ cards }: Wallet) => cards.get("card")?.live.length;

t.test(
  "finding 1: a deal that is saved again does not pay again for the purchase that redeemed it",
  async (t) => {
    const rules = { ...NONE, retroactive: true };
    const facts = [
      ...START,
      deal(0, { rules }),
      clip("c1", 1),
      event("p", 2),
      clip("c2", 2.5),
      clip("c3", 60),
    ];
    t.strictSame(paid(wallet(facts)), ["c1 by p: 500 EUR pending"]);
  },
);

t.test("finding 2: a refund is worth what the purchase settled for", async (t) => {
  const facts = [...START, program(0), enrolment(1), event("hotel", 2, { amount: 100_000 })];
  t.strictSame(paid(wallet(facts)), ["card by hotel: 100000 EUR pending"]);
  facts.push(event("hotel", 2, { amount: 1_000, ...CLEARED }));
  t.strictSame(paid(wallet(facts)), ["card by hotel: 1000 EUR cleared"]);
});

t.test("finding 3: a member's deletion does not save a redemption that had to be undone", async (t) => {
  const facts = [
    ...START,
    program(0, { qualifying_threshold: 2 }),
    enrolment(1),
    event("p1", 2),
    event("p2", 3),
  ];
  const undone = [event("p1", 2, REVERTED), event("p2", 3, CLEARED)];
  const deletion: Fact = { kind: "member-deletion", id: "ada" };
  t.strictSame(paid(wallet([...facts, ...undone, deletion])), []);
  t.equal(counter(wallet([...facts, ...undone, deletion])), 1);
  const stands = [event("p2", 3, CLEARED), event("p1", 2, REVERTED)];
  t.strictSame(paid(wallet([...facts, ...stands, deletion])), ["card by p2: 1000 EUR cleared"]);
});

t.test(
  "finding 4: the purchase of a deleted member settles, even if its event names another member",
  async (t) => {
    const before: Fact[] = [
      ...START,
      program(0),
      enrolment(1),
      event("p", 2),
      { kind: "member-deletion", id: "ada" },
    ];
    for (const member_id of ["ada", "a new member"]) {
      const facts = [...before, event("p", 2, { member_id, ...REVERTED })];
      t.equal(wallet(facts).fates.get(facts.length - 1), "updated");
      t.strictSame(paid(wallet(facts)), []);
    }
    const other = [...before, event("p", 2, { auth_code: "another card", ...REVERTED })];
    t.equal(wallet(other).fates.get(other.length - 1), "identity_mismatch");
    const unknown = [...before, event("q", 2)];
    t.equal(wallet(unknown).fates.get(unknown.length - 1), "not_found");
  },
);

t.test("findings 5 and 6: a purchase is judged by the rules that were in force for it", async (t) => {
  const retailer = { merchant_ids: ["MID-1"] };
  const before = [...START, program(0, { rules: retailer }), enrolment(1), event("p", 2), program(3)];
  t.strictSame(paid(wallet(before)), []);
  t.strictSame(paid(wallet([...before, payment(cardEvent("p", 2))])), ["card by p: 1000 EUR pending"]);
  const dear = program(0, { rules: { ...retailer, min_amount: 2000 } });
  const cheap = program(3, { rules: { ...retailer, min_amount: 10 } });
  const facts = [...START, dear, enrolment(1), event("p", 2), payment(cardEvent("p", 2)), cheap];
  t.strictSame(paid(wallet([...facts, event("p", 2, CLEARED)])), []);
  t.strictSame(
    paid(wallet([...START, dear, program(-1), enrolment(1), event("early", -60 * 24, CLEARED)])),
    [],
    "before the first revision, the first, and a card does not count for the day before it was made",
  );
});

t.test("finding 7: a retroactive program counts thirty days back, whenever they were ingested", async (t) => {
  const coffee = program(0, { rules: { ...NONE, retroactive: true } });
  const days = (count: number) => 1 - count * 24 * 60;
  for (const order of [0, 1]) {
    const purchases = [event("29", days(29)), event("31", days(31))];
    const facts = [
      ...START,
      coffee,
      ...(order === 0 ? [...purchases, enrolment(1)] : [enrolment(1), ...purchases]),
    ];
    t.strictSame(paid(wallet(facts)), ["card by 29: 1000 EUR pending"]);
  }
});

t.test("finding 8: a redemption is made when it is due, and its cashback waits for the amount", async (t) => {
  const two = program(0, { qualifying_threshold: 2 });
  const unknown = { amount: undefined, currency: undefined };
  const facts = [...START, two, enrolment(1), event("p1", 2), event("p2", 3, unknown)];
  const raised = [...facts, program(4, { qualifying_threshold: 5 }), event("p3", 5)];
  t.strictSame(paid(wallet(raised)), []);
  t.equal(counter(wallet(raised)), 1, "the redemption holds its stamps");
  t.strictSame(paid(wallet([...raised, event("p2", 3)])), ["card by p2: 1000 EUR pending"]);
});

t.test("finding 9: the smaller ones", async (t) => {
  const fixed = program(0, {
    reward_config: { type: "fixed-reward", amount: 500 },
    rules: { ...NONE, currency: "EUR" },
  });
  t.strictSame(paid(wallet([...START, fixed, enrolment(1), event("p", 2, { currency: "KWD" })])), [
    "card by p: 500 EUR pending",
  ]);

  const percent = deal(0, {
    reward_config: { type: "percent", percent: 1 },
    rules: { merchant_ids: ["MID-1"] },
  });
  const small = [...START, percent, clip("c", 1), event("p", 2), payment(cardEvent("p", 2), { amount: 40 })];
  t.strictSame(paid(wallet(small)), [], "a reward of 0 is no outcome");
  t.strictSame(paid(wallet([...small, event("q", 3), payment(cardEvent("q", 3))])), [
    "c by q: 10 EUR pending",
  ]);

  const again = { auth_code: "the same" };
  const paidOnce = [
    ...START,
    program(0, { rules: { merchant_ids: ["MID-1"] } }),
    enrolment(1),
    event("p", 2, again),
    payment(cardEvent("p", 2, again)),
    event("p", 2, { ...again, ...REVERTED }),
    event("q", 3, again),
  ];
  t.strictSame(paid(wallet(paidOnce)), ["card by q: 1000 EUR pending"], "a reversal gives the payment back");

  const cancelled = [...START, deal(0), clip("c", 1), event("p", 2), event("p", 2, REVERTED)];
  t.strictSame(paid(wallet([...cancelled, event("q", 3)])), [
    "c by p: 500 EUR reverted",
    "c by q: 500 EUR pending",
  ]);
  const anew = [...START, deal(0), clip("c", 1), event("p", 2), clip("d", 3), event("p", 2, REVERTED)];
  t.strictSame(paid(wallet([...anew, event("q", 4), event("r", 5)])), [
    "c by p: 500 EUR reverted",
    "d by q: 500 EUR pending",
  ]);

  const reaching = deal(0, { rules: { ...NONE, retroactive: true } });
  const past = [event("p2", 3), event("p1", 2), event("p0", 1)];
  t.strictSame(paid(wallet([...START, reaching, ...past, clip("c", 60)])), ["c by p2: 500 EUR pending"]);
});

t.test("finding 10: every stamp of an undone redemption counts again, or is held by the next", async (t) => {
  const facts = [...START, program(0, { qualifying_threshold: 3 }), enrolment(1)];
  for (let index = 1; index <= 7; index++) facts.push(event(`p${index}`, 1 + index));
  t.equal(counter(wallet(facts)), 1);
  facts.push(event("p2", 3, REVERTED));
  const { cards } = wallet(facts);
  t.strictSame(
    cards.get("card")?.standing.map(({ stamps }) => stamps.map(({ purchase }) => purchase.ref).join(" ")),
    ["p4 p5 p6", "p1 p3 p7"],
  );
  t.equal(counter(wallet(facts)), 0);
});

t.test("a lowered threshold applies at the next stamp, and several redemptions may follow", async (t) => {
  const facts = [...START, program(0, { qualifying_threshold: 5 }), enrolment(1)];
  for (let index = 1; index <= 4; index++) facts.push(event(`p${index}`, 1 + index));
  facts.push(program(10, { qualifying_threshold: 2 }));
  t.equal(counter(wallet(facts)), 4);
  facts.push(event("p5", 11));
  t.strictSame(paid(wallet(facts)), ["card by p2: 1000 EUR pending", "card by p4: 1000 EUR pending"]);
  t.equal(counter(wallet(facts)), 1);
});

t.test("a reversal brings no earlier threshold back: the stamp made last sets the threshold", async (t) => {
  const facts = [
    ...START,
    program(0, { qualifying_threshold: 2 }),
    enrolment(1),
    event("a", 2),
    event("b", 3),
  ];
  facts.push(program(4, { qualifying_threshold: 3 }), event("c", 5), event("d", 6));
  facts.push(program(7, { qualifying_threshold: 9 }), event("e", 8));
  facts.push(event("e", 8, REVERTED), event("a", 2, REVERTED));
  t.strictSame(paid(wallet(facts)), [], "b, c and d count, and the threshold in force for the last was 9");
  t.equal(counter(wallet(facts)), 3);
});

t.test(
  "a shared merchant id belongs to the retailer with the descriptor's prefix at the time of authorization",
  async (t) => {
    const shop = (id: string, minutes: number, prefix: string): Fact => ({
      kind: "retailer",
      id,
      at: at(minutes),
      record: { merchant_ids: ["MID-1"], statement_descriptors: [prefix] },
    });
    const start: Fact[] = [
      { kind: "member", id: "ada", memberbase: "base" },
      shop("shop", 0, "coffee"),
      shop("bar", 0, "beer"),
    ];
    const coffee = program(0, { rules: { ...NONE, statement_descriptor: "COFFEE" } });
    const facts = [
      ...start,
      coffee,
      enrolment(1),
      event("p", 2, { statement_descriptor: "Coffee to go" }),
      event("q", 2, { statement_descriptor: "Beer" }),
      event("r", 2),
    ];
    t.strictSame(paid(wallet(facts)), ["card by p: 1000 EUR pending"]);
    facts.push({ kind: "retailer", id: "bar", at: at(5), record: null });
    facts.push(
      event("s", 6, { statement_descriptor: "Beer" }),
      event("u", 4, { statement_descriptor: "Beer" }),
    );
    t.strictSame(paid(wallet(facts)), ["card by p: 1000 EUR pending", "card by s: 1000 EUR pending"]);
  },
);

t.test(
  "a purchase from before its merchant id had a retailer belongs to the first that gets it, ingested before or after",
  async (t) => {
    const shop = (id: string, minutes: number, prefix: string): Fact => ({
      kind: "retailer",
      id,
      at: at(minutes),
      record: { merchant_ids: ["MID-1"], statement_descriptors: [prefix] },
    });
    const start: Fact[] = [{ kind: "member", id: "ada", memberbase: "base" }, program(0), enrolment(1)];
    const early = event("p", 2, { statement_descriptor: "Beer" });
    const late = event("q", 3, { statement_descriptor: "Beer" });
    const owed = ["card by p: 1000 EUR pending", "card by q: 1000 EUR pending"];
    t.strictSame(paid(wallet([...start, early, late])), []);
    const shops = [shop("shop", 5, "coffee"), shop("bar", 6, "beer")];
    t.strictSame(paid(wallet([...start, early, ...shops, late])), owed);
    // The first retailer has p and q, whatever their descriptors. No prefix fits r, so it has no retailer.
    t.strictSame(
      wallet([...start, early, ...shops, late, event("r", 7, { statement_descriptor: "Wine" })]).stampings
        .length,
      2,
    );
  },
);

t.test(
  "the first descriptor that gives a purchase a retailer stands, and the clearing does not change it",
  async (t) => {
    const shop = (id: string, prefix: string): Fact => ({
      kind: "retailer",
      id,
      at: at(0),
      record: { merchant_ids: ["MID-1"], statement_descriptors: [prefix] },
    });
    const start: Fact[] = [
      { kind: "member", id: "ada", memberbase: "base" },
      shop("shop", "coffee"),
      shop("bar", "beer"),
      program(0, { rules: { ...NONE, statement_descriptor: "COFFEE" } }),
      enrolment(1),
    ];
    const told = (first: string | undefined, last: string) =>
      paid(
        wallet([
          ...start,
          event("p", 2, { statement_descriptor: first }),
          event("p", 2, { statement_descriptor: last, cleared_at: at(3) }),
        ]),
      );
    const owed = ["card by p: 1000 EUR cleared"];
    t.strictSame(told("Coffee 1", "Beer 1"), owed);
    t.strictSame(told("Beer 1", "Coffee 1"), []);
    t.strictSame(told(undefined, "Coffee 1"), owed);
    t.strictSame(told("Wine 1", "Coffee 1"), owed, "the first descriptor gives no retailer");
  },
);
