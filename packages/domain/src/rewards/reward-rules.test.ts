import t from "tap";
import { nameUuid } from "../name-uuid.ts";
import { CollectionDraft } from "./collection-draft.ts";
import { applyDeal, applyPurchase, judge, settleClip, settleCollection } from "./reward-rules.ts";
import type { Clip, Program, PurchaseOutcome, RewardTransaction, StampCollection } from "./reward-state.ts";
import type { RewardStep } from "./reward-step.ts";
import { collectionFaults } from "./test-collection-faults.ts";

const AT = "2026-05-01T10:00:00.000000Z";
const CONTEXT = { at: AT, idOf: (name: string) => name };
const FIXED: Program = { threshold: 2, reward: { type: "fixed-reward", amount: 300 }, currency: "EUR" };
const REFUND: Program = { threshold: 2, reward: { type: "refund" }, currency: null };

function tx(ref: string, fields: Partial<RewardTransaction> = {}): RewardTransaction {
  return Object.freeze({
    id: ref,
    ref,
    state: "authorized",
    settledOrder: null,
    amount: 450,
    currency: "EUR",
    ...fields,
  });
}
function empty(program: Program | null): StampCollection {
  return Object.freeze({
    kind: "collection",
    id: "sc",
    loyaltyProgramId: "lp",
    program,
    stamps: [],
    redemptions: [],
    unredeemedPurchases: 0,
    nextPosition: 0,
    waitingThreshold: null,
  });
}

/** Judges a collection outside of any step. */
function judgeCollection(collection: StampCollection): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, CONTEXT);
  judge(draft, draft.program?.threshold);
  return draft.finish();
}

/** A collection that takes one step after the other, and what the last of them told. */
class Walk {
  last: RewardStep<StampCollection>;
  constructor(program: Program | null) {
    this.last = { state: empty(program), changes: [], events: [], ignored: null };
  }
  stamp(transaction: RewardTransaction, outcome: Partial<PurchaseOutcome> = {}): string[] {
    const said = {
      type: "qualifying_purchase",
      purchaseAmount: null,
      currency: null,
      ...outcome,
    } as const;
    return this.took(applyPurchase(this.last.state, transaction, said, CONTEXT));
  }
  settle(transaction: RewardTransaction): string[] {
    return this.took(settleCollection(this.last.state, transaction, CONTEXT));
  }
  configure(program: Program | null): void {
    this.last = { ...this.last, state: { ...this.last.state, program } };
  }
  took(step: RewardStep<StampCollection>): string[] {
    this.last = step;
    const faults = collectionFaults(step.state);
    return [...step.events.map(told), ...faults.map((fault) => `FAULT ${fault}`)];
  }
  get counter(): number {
    return this.last.state.unredeemedPurchases;
  }
}

/** An event on one line: `created A 1` for a stamp, `cashback.created B 300 EUR` for a cashback. */
function told(event: RewardStep<unknown>["events"][number]): string {
  return "cashbackId" in event
    ? `${event.type} ${event.transactionRef} ${event.amount} ${event.currency}`
    : `${event.type.replace("qualifying_purchase.", "")} ${event.transactionRef} ${event.unredeemedPurchases}`;
}

t.test(
  "rewards - five coffees, one refunded before the fifth, a sixth, and the free one settles",
  async (t) => {
    const walk = new Walk({ ...REFUND, threshold: 5 });
    for (const [i, ref] of ["c1", "c2", "c3", "c4"].entries()) {
      t.strictSame(walk.stamp(tx(ref)), [`created ${ref} ${i + 1}`]);
    }
    t.strictSame(walk.settle(tx("c2", { state: "reverted" })), ["voided c2 3"]);
    t.strictSame(walk.stamp(tx("c5")), ["created c5 4"]);
    t.strictSame(walk.stamp(tx("c6", { amount: 520 })), ["created c6 5", "cashback.created c6 520 EUR"]);
    t.equal(walk.counter, 0);
    const [made] = walk.last.changes.filter(({ type }) => type === "redemption_made");
    t.match(made, {
      transactionId: "c6",
      stampIds: ["c1", "c3", "c4", "c5", "c6"].map((ref) => `stamp:sc:${ref}`),
    });
    t.strictSame(walk.settle(tx("c6", { amount: 520, state: "cleared" })), ["cashback.cleared c6 520 EUR"]);
    t.strictSame(walk.stamp(tx("c7")), ["created c7 1"]);
  },
);

t.test("rewards - an outcome for a reverted transaction is ignored", async (t) => {
  const walk = new Walk(FIXED);
  t.strictSame(walk.stamp(tx("A", { state: "reverted" })), []);
  t.match(walk.last, { ignored: "transaction_reverted", changes: [], state: empty(FIXED) });
  const clip: Clip = { kind: "clip", id: "clip", dealId: "deal", redeemed: false, cashback: null };
  const deal = { type: "deal", amount: 5, currency: "EUR" } as const;
  const step = applyDeal(clip, tx("A", { state: "reverted" }), deal, CONTEXT);
  t.strictSame(step, { state: clip, changes: [], events: [], ignored: "transaction_reverted" });
});

t.test("rewards - a transaction has one stamp in a collection, however often it is told", async (t) => {
  for (const state of ["authorized", "cleared"] as const) {
    const walk = new Walk(FIXED);
    t.strictSame(walk.stamp(tx("A", { state })), ["created A 1"], state);
    t.strictSame(walk.stamp(tx("A", { state })), [], state);
    t.match(walk.last, { ignored: "already_stamped", changes: [] });
    walk.stamp(tx("B"));
    t.strictSame(walk.stamp(tx("A", { state })), [], "redeemed ones count");
  }
});

t.test("rewards - what is written is in order, with the counter once at the end", async (t) => {
  const walk = new Walk(FIXED);
  walk.stamp(tx("A"));
  walk.stamp(tx("B", { state: "cleared" }));
  t.strictSame(
    walk.last.changes.map(({ type }) => type),
    ["stamp_made", "redemption_made", "cashback_made", "cashback_cleared", "counter_set"],
  );
  t.match(walk.last.changes.at(-1), { unredeemedPurchases: 0, waitingThreshold: null });
  t.match(walk.last.changes[0], { stamp: { position: 1, createdAt: AT, redemptionId: null } });
});

t.test("rewards - an outcome after the clearing makes created and cleared, in that order", async (t) => {
  const walk = new Walk({ ...FIXED, threshold: 1 });
  t.strictSame(walk.stamp(tx("A", { state: "cleared" })), [
    "created A 1",
    "cashback.created A 300 EUR",
    "cashback.cleared A 300 EUR",
  ]);
  t.strictSame(walk.settle(tx("A", { state: "cleared" })), [], "and not a second time");
});

t.test("rewards - a lowered threshold applies at the next stamp, then several times", async (t) => {
  const walk = new Walk({ ...FIXED, threshold: 9 });
  for (const ref of ["A", "B", "C", "D"]) walk.stamp(tx(ref));
  walk.configure(FIXED);
  t.strictSame(walk.settle(tx("A", { state: "cleared" })), [], "not at a settlement");
  t.strictSame(walk.settle(tx("B", { amount: 9 })), [], "nor at an amount");
  t.strictSame(walk.settle(tx("D", { state: "reverted" })), ["voided D 3"], "nor at a void");
  t.strictSame(walk.stamp(tx("E")), [
    "created E 4",
    "cashback.created B 300 EUR",
    "cashback.created E 300 EUR",
  ]);
  t.strictSame(walk.settle(tx("E", { state: "cleared" })), ["cashback.cleared E 300 EUR"]);
});

t.test("rewards - a raised threshold leaves made redemptions and asks for more stamps", async (t) => {
  const walk = new Walk(FIXED);
  walk.stamp(tx("A"));
  walk.configure({ ...FIXED, threshold: 3 });
  t.strictSame(walk.stamp(tx("B")), ["created B 2"]);
  t.strictSame(walk.stamp(tx("C")), ["created C 3", "cashback.created C 300 EUR"]);
});

t.test("rewards - amount and currency come from the first that knows them", async (t) => {
  const euros: Program = { ...REFUND, threshold: 1, currency: "EUR" };
  const fixed: Program = { ...FIXED, threshold: 1 };
  const none = { amount: null, currency: null };
  const rows: ReadonlyArray<
    [name: string, Program, Partial<PurchaseOutcome>, Partial<RewardTransaction>, string]
  > = [
    ["refund, outcome first", euros, { purchaseAmount: 7, currency: "SEK" }, {}, "7 SEK"],
    ["refund, then transaction", euros, {}, { amount: 8, currency: "USD" }, "8 USD"],
    ["refund, currency of the program last", euros, {}, { amount: 8, currency: null }, "8 EUR"],
    ["refund, each by itself", euros, { purchaseAmount: 7 }, { amount: 8, currency: "USD" }, "7 USD"],
    ["refund of nothing is known", euros, { purchaseAmount: 0 }, {}, "0 EUR"],
    ["fixed, whatever was paid", fixed, { purchaseAmount: 7, currency: "SEK" }, {}, "300 SEK"],
    ["fixed, then transaction", fixed, {}, { amount: 8, currency: "USD" }, "300 USD"],
    ["fixed, needs no amount", fixed, {}, none, "300 EUR"],
  ];
  for (const [name, program, outcome, transaction, worth] of rows) {
    const walk = new Walk(program);
    t.strictSame(
      walk.stamp(tx("A", transaction), outcome),
      ["created A 1", `cashback.created A ${worth}`],
      name,
    );
  }
});

t.test("rewards - stamps wait until amount and currency are known", async (t) => {
  const unknown = { amount: null, currency: null };
  const walk = new Walk(REFUND);
  walk.stamp(tx("A"));
  t.strictSame(walk.stamp(tx("B", unknown)), ["created B 2"]);
  t.equal(walk.last.state.waitingThreshold, 2);
  t.strictSame(walk.stamp(tx("C")), ["created C 3"], "the older ones go first");
  t.strictSame(walk.settle(tx("B", { ...unknown, amount: 10 })), [], "a currency is still missing");
  t.strictSame(walk.settle(tx("B", { amount: 10 })), ["cashback.created B 10 EUR"]);
  t.equal(walk.counter, 1);
  t.equal(walk.last.state.waitingThreshold, null);
});

t.test("rewards - an amount that comes with the clearing makes created and cleared", async (t) => {
  const walk = new Walk({ ...REFUND, threshold: 1 });
  walk.stamp(tx("A", { amount: null }));
  t.strictSame(walk.settle(tx("A", { state: "cleared", amount: 12 })), [
    "cashback.created A 12 EUR",
    "cashback.cleared A 12 EUR",
  ]);
});

t.test("rewards - what waits is redeemed by the threshold that it had reached", async (t) => {
  const walk = new Walk({ ...REFUND, threshold: 3 });
  walk.stamp(tx("A"));
  walk.stamp(tx("B"));
  walk.stamp(tx("C", { amount: null }));
  walk.configure({ ...REFUND, threshold: 1 });
  t.strictSame(walk.settle(tx("C", { amount: 5 })), ["cashback.created C 5 EUR"]);
});

t.test("rewards - a void ends the wait, or lets the next stamps through", async (t) => {
  const few = new Walk(REFUND);
  few.stamp(tx("A"));
  few.stamp(tx("B", { amount: null }));
  t.strictSame(few.settle(tx("A", { state: "reverted" })), ["voided A 1"]);
  t.equal(few.last.state.waitingThreshold, null);
  const removed = new Walk(REFUND);
  removed.stamp(tx("A"));
  removed.stamp(tx("B", { amount: null }));
  removed.configure(null);
  t.strictSame(removed.settle(tx("A", { state: "reverted" })), ["voided A 1"]);
  t.equal(removed.last.state.waitingThreshold, null, "also without a program to judge by");
  const more = new Walk(REFUND);
  more.stamp(tx("A"));
  more.stamp(tx("B", { amount: null }));
  more.stamp(tx("C"));
  t.strictSame(more.settle(tx("B", { amount: null, state: "reverted" })), [
    "voided B 2",
    "cashback.created C 450 EUR",
  ]);
});

t.test("rewards - a reversal undoes a redemption that is not paid, whichever stamp it takes", async (t) => {
  for (const [reverted, other] of [
    ["A", "B"],
    ["B", "A"],
  ] as const) {
    const walk = new Walk(FIXED);
    walk.stamp(tx("A"));
    walk.stamp(tx("B"));
    t.strictSame(
      walk.settle(tx(reverted, { state: "reverted" })),
      [`voided ${reverted} 0`, "cashback.reverted B 300 EUR", `unredeemed ${other} 1`],
      reverted,
    );
    t.strictSame(walk.last.state.redemptions, []);
    t.strictSame(walk.settle(tx(reverted, { state: "reverted" })), [], "once");
    t.strictSame(walk.stamp(tx("C")), ["created C 2", "cashback.created C 300 EUR"]);
  }
});

t.test("rewards - after an undone redemption the counter is judged anew, under another id", async (t) => {
  const walk = new Walk({ ...FIXED, threshold: 3 });
  for (const ref of ["A", "B", "C"]) walk.stamp(tx(ref));
  const [first] = walk.last.state.redemptions;
  walk.configure(FIXED);
  t.strictSame(walk.settle(tx("A", { state: "reverted" })), [
    "voided A 0",
    "cashback.reverted C 300 EUR",
    "unredeemed B 1",
    "unredeemed C 2",
    "cashback.created C 300 EUR",
  ]);
  const [second] = walk.last.state.redemptions;
  t.not(second?.id, first?.id, "both have C as their newest stamp");
  t.not(second?.cashback.id, first?.cashback.id);
});

t.test("rewards - a redemption that is paid stands when one of its stamps is voided", async (t) => {
  const walk = new Walk(FIXED);
  walk.stamp(tx("A"));
  walk.stamp(tx("B"));
  walk.settle(tx("B", { state: "cleared" }));
  walk.stamp(tx("C"));
  t.strictSame(walk.settle(tx("A", { state: "reverted" })), ["voided A 1"], "the counter was not its");
  t.equal(walk.last.state.redemptions.length, 1);
  t.strictSame(
    walk.last.changes.map(({ type }) => type),
    ["stamp_voided"],
  );
});

t.test("rewards - an older stamp's clearing does not pay a cashback", async (t) => {
  const walk = new Walk(FIXED);
  walk.stamp(tx("A"));
  walk.stamp(tx("B"));
  t.strictSame(walk.settle(tx("A", { state: "cleared" })), []);
});

t.test("rewards - a stored reversal whose settlement is late buys nothing", async (t) => {
  const walk = new Walk(FIXED);
  walk.stamp(tx("A"));
  const [stamp] = walk.last.state.stamps;
  if (stamp === undefined) throw new Error("no stamp");
  const loaded = { ...stamp, transaction: tx("A", { state: "reverted" }) };
  walk.last = { ...walk.last, state: { ...walk.last.state, stamps: [loaded] } };
  t.strictSame(walk.stamp(tx("B")), ["voided A 0", "created B 1"]);
  t.strictSame(walk.settle(tx("A", { state: "reverted" })), []);
});

t.test("rewards - without a program stamps are kept and nothing is redeemed", async (t) => {
  const walk = new Walk(null);
  for (const ref of ["A", "B"]) walk.stamp(tx(ref));
  t.equal(walk.counter, 2);
  walk.configure(FIXED);
  t.strictSame(walk.took(judgeCollection(walk.last.state)), ["cashback.created B 300 EUR"]);
  t.throws(() => judgeCollection(empty({ ...FIXED, threshold: 0 })), RangeError);
});

t.test("rewards - a clip is redeemed at most once and its cashback settles once", async (t) => {
  const clip: Clip = { kind: "clip", id: "clip", dealId: "deal", redeemed: false, cashback: null };
  const deal = { type: "deal", amount: 5, currency: "EUR" } as const;
  const later = applyDeal(clip, tx("A", { state: "cleared" }), deal, CONTEXT);
  t.strictSame(later.events.map(told), ["cashback.created A 5 EUR", "cashback.cleared A 5 EUR"]);
  for (const [state, type] of [
    ["cleared", "cashback.cleared"],
    ["reverted", "cashback.reverted"],
  ] as const) {
    const made = applyDeal(clip, tx("A"), deal, CONTEXT);
    t.strictSame(made.events.map(told), ["cashback.created A 5 EUR"]);
    t.match(made.state.cashback?.source, { type: "clip", clipId: "clip", dealId: "deal" });
    for (const ref of ["A", "B"]) {
      t.match(applyDeal(made.state, tx(ref), deal, CONTEXT), { ignored: "already_redeemed", events: [] });
    }
    t.strictSame(settleClip(made.state, tx("A"), CONTEXT).events, [], "not settled yet");
    t.strictSame(settleClip(made.state, tx("B", { state }), CONTEXT).events, [], "not its transaction");
    const settled = settleClip(made.state, tx("A", { state }), CONTEXT);
    t.strictSame(settled.events.map(told), [`${type} A 5 EUR`]);
    t.match(settled.state, { redeemed: true, cashback: { state } });
    t.strictSame(settleClip(settled.state, tx("A", { state }), CONTEXT).changes, [], "once");
    t.match(applyDeal(settled.state, tx("B"), deal, CONTEXT), { ignored: "already_redeemed" });
  }
});

t.test("rewards - a retry makes the same ids", async (t) => {
  const context = { at: AT, idOf: nameUuid };
  const purchase = { type: "qualifying_purchase", purchaseAmount: 1, currency: "EUR" } as const;
  const run = () => applyPurchase(empty({ ...FIXED, threshold: 1 }), tx("A"), purchase, context);
  t.strictSame(run(), run());
  t.equal(new Set([...run().state.stamps, ...run().state.redemptions].map(({ id }) => id)).size, 2);
});

t.test("collection faults - each kind of damage is named", async (t) => {
  const walk = new Walk(FIXED);
  for (const ref of ["A", "B", "C"]) walk.stamp(tx(ref));
  const { state } = walk.last;
  const [a, b, c] = state.stamps as [StampCollection["stamps"][0], ...StampCollection["stamps"]];
  t.strictSame(collectionFaults(state), []);
  const damaged: ReadonlyArray<[RegExp, Partial<StampCollection>]> = [
    [/3 live stamps, 2 unredeemed and 2 held/, { unredeemedPurchases: 2 }],
    [/does not stand/, { redemptions: [] }],
    [/two live stamps/, { stamps: [a, { ...(b ?? a), transaction: a.transaction }, c ?? a] }],
    [/order of their positions/, { nextPosition: 2 }],
    [/stamps wait/, { waitingThreshold: 2 }],
    [
      /cashback is reverted/,
      {
        redemptions: state.redemptions.map((one) => ({
          ...one,
          cashback: { ...one.cashback, state: "reverted" },
        })),
      },
    ],
  ];
  for (const [fault, change] of damaged) {
    t.match(collectionFaults({ ...state, ...change }).join("; "), fault);
  }
});

t.test(
  "rewards - a program of a type that is not known pays nothing: it is not taken for a refund",
  async (t) => {
    const later = { ...REFUND, threshold: 1, reward: { type: "points" } } as unknown as Program;
    t.throws(() => new Walk(later).stamp(tx("A")), /no such reward/);
  },
);
