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
    threshold: null,
  });
}

/** Judges a collection outside of any step. */
function judgeCollection(collection: StampCollection): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, CONTEXT);
  judge(draft);
  return draft.finish();
}

/** A collection that takes one step after the other, with the events of the last one. */
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
      threshold: null,
      reward: null,
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

t.test(
  "rewards - a transaction has one stamp in a collection, however often its outcome comes",
  async (t) => {
    for (const state of ["authorized", "cleared"] as const) {
      const walk = new Walk(FIXED);
      t.strictSame(walk.stamp(tx("A", { state })), ["created A 1"], state);
      t.strictSame(walk.stamp(tx("A", { state })), [], state);
      t.match(walk.last, { ignored: "already_stamped", changes: [] });
      walk.stamp(tx("B"));
      t.strictSame(walk.stamp(tx("A", { state })), [], "redeemed ones count");
    }
  },
);

t.test("rewards - changes are in order, with the counter once at the end", async (t) => {
  const walk = new Walk(FIXED);
  walk.stamp(tx("A"));
  walk.stamp(tx("B", { state: "cleared" }));
  t.strictSame(
    walk.last.changes.map(({ type }) => type),
    ["stamp_made", "redemption_made", "cashback_made", "cashback_cleared", "counter_set"],
  );
  t.match(walk.last.changes.at(-1), { unredeemedPurchases: 0, threshold: 2 });
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
  t.strictSame(walk.settle(tx("B", { amount: 9 })), [], "nor for an amount");
  t.strictSame(walk.settle(tx("D", { state: "reverted" })), ["voided D 3"], "nor for a void");
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
  const anywhere: Program = { ...fixed, currency: null };
  const none = { amount: null, currency: null };
  const rows: ReadonlyArray<
    [name: string, Program, Partial<PurchaseOutcome>, Partial<RewardTransaction>, string]
  > = [
    ["refund, outcome first", euros, { purchaseAmount: 7, currency: "SEK" }, {}, "7 SEK"],
    ["refund, then transaction", euros, {}, { amount: 8, currency: "USD" }, "8 USD"],
    ["refund, currency of the program last", euros, {}, { amount: 8, currency: null }, "8 EUR"],
    [
      "refund, the program's for a payment without",
      euros,
      { purchaseAmount: 7 },
      { currency: "USD" },
      "7 EUR",
    ],
    ["fixed, the program's currency first", fixed, { purchaseAmount: 7, currency: "KWD" }, {}, "300 EUR"],
    ["fixed, then outcome", anywhere, { currency: "SEK" }, { amount: 8, currency: "USD" }, "300 SEK"],
    ["fixed, then transaction", anywhere, {}, { amount: 8, currency: "USD" }, "300 USD"],
    ["as the outcome says", fixed, { reward: { type: "refund" } }, { amount: 8, currency: "USD" }, "8 USD"],
    [
      "its currency, too",
      fixed,
      { reward: { type: "fixed-reward", amount: 4 }, currency: "SEK" },
      {},
      "4 SEK",
    ],
    [
      "said, of its amount",
      euros,
      { reward: { type: "refund" }, currency: "SEK" },
      { currency: "USD" },
      "450 USD",
    ],
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

t.test(
  "rewards - a redemption is made when it is due, its cashback when amount and currency are known",
  async (t) => {
    const unknown = { amount: null, currency: null };
    const walk = new Walk(REFUND);
    walk.stamp(tx("A"));
    t.strictSame(walk.stamp(tx("B", unknown)), ["created B 2"]);
    t.equal(walk.counter, 0, "its stamps are held");
    t.match(walk.last.state.redemptions, [{ transactionId: "B", isPending: true, cashback: null }]);
    walk.stamp(tx("C"));
    t.strictSame(
      walk.stamp(tx("D")),
      ["created D 2", "cashback.created D 450 EUR"],
      "nothing waits after it",
    );
    t.strictSame(walk.settle(tx("B", { ...unknown, amount: 10 })), [], "a currency is still missing");
    t.strictSame(walk.settle(tx("B", { amount: 10 })), ["cashback.created B 10 EUR"]);
    t.strictSame(walk.settle(tx("B", { amount: 10 })), [], "once");
  },
);

t.test(
  "regression - a due redemption was lost when the threshold was raised and another stamp came first",
  async (t) => {
    const walk = new Walk(REFUND);
    walk.stamp(tx("A"));
    walk.stamp(tx("B", { amount: null }));
    walk.configure({ ...REFUND, threshold: 9 });
    walk.stamp(tx("C"));
    t.strictSame(walk.settle(tx("B", { amount: 10 })), ["cashback.created B 10 EUR"]);
    t.equal(walk.counter, 1);
  },
);

t.test("regression - a refund paid the authorized amount of a purchase that cleared for less", async (t) => {
  const walk = new Walk({ ...REFUND, threshold: 1 });
  t.strictSame(walk.stamp(tx("A", { amount: 100_000 })), ["created A 1", "cashback.created A 100000 EUR"]);
  t.strictSame(walk.settle(tx("A", { state: "cleared", amount: 1000, currency: "SEK" })), [
    "cashback.cleared A 1000 SEK",
  ]);
  const paid = new Walk({ ...REFUND, threshold: 1 });
  paid.stamp(tx("A", { amount: 900 }), { purchaseAmount: 800, currency: "EUR" });
  t.strictSame(
    paid.settle(tx("A", { state: "cleared", amount: 1000 })),
    ["cashback.cleared A 800 EUR"],
    "the retailer's stands",
  );
});

t.test(
  "rewards - the redemption of a purchase that clears without an amount stays, and is reported when the amount is known",
  async (t) => {
    const walk = new Walk(REFUND);
    walk.stamp(tx("A"));
    walk.stamp(tx("B", { amount: null }));
    t.strictSame(walk.settle(tx("B", { state: "cleared", settledOrder: 1, amount: null })), []);
    t.strictSame(
      walk.settle(tx("A", { state: "reverted", settledOrder: 2 })),
      ["voided A 0"],
      "it is not undone",
    );
    t.strictSame(walk.settle(tx("B", { state: "cleared", settledOrder: 1, amount: 7 })), [
      "cashback.created B 7 EUR",
      "cashback.cleared B 7 EUR",
    ]);
  },
);

t.test("rewards - a redemption of an amount of 0 stands without a cashback", async (t) => {
  const walk = new Walk({ ...REFUND, threshold: 1 });
  t.strictSame(walk.stamp(tx("A", { amount: 0 })), ["created A 1"]);
  t.strictSame(walk.settle(tx("A", { amount: 0, state: "cleared" })), []);
  t.equal(walk.last.state.redemptions.length, 1);
});

t.test("rewards - a card is judged by the threshold that was said for its newest stamp", async (t) => {
  const walk = new Walk({ ...FIXED, threshold: 9 });
  walk.stamp(tx("A"), { threshold: 3 });
  walk.configure({ ...FIXED, threshold: 2 });
  t.strictSame(walk.stamp(tx("B"), { threshold: 3 }), ["created B 2"], "not by the stored program's");
  t.strictSame(walk.stamp(tx("C"), { threshold: 3 }), ["created C 3", "cashback.created C 300 EUR"]);
  walk.configure(null);
  walk.stamp(tx("D"), { threshold: 2, reward: { type: "fixed-reward", amount: 9 }, currency: "EUR" });
  t.strictSame(
    walk.stamp(tx("E"), { threshold: 2, reward: { type: "fixed-reward", amount: 9 }, currency: "EUR" }),
    ["created E 2", "cashback.created E 9 EUR"],
    "also once the program is removed",
  );
});

t.test("rewards - a reversal brings no earlier threshold back", async (t) => {
  const walk = new Walk({ ...FIXED, threshold: 2 });
  walk.stamp(tx("A"));
  walk.stamp(tx("B"));
  for (const ref of ["C", "D"]) walk.stamp(tx(ref), { threshold: 3 });
  walk.stamp(tx("E"), { threshold: 9 });
  t.strictSame(walk.settle(tx("E", { state: "reverted" })), ["voided E 2"]);
  t.strictSame(
    walk.settle(tx("A", { state: "reverted" })),
    ["voided A 2", "cashback.reverted B 300 EUR", "unredeemed B 3"],
    "three count, and the threshold of the stamp that was made last is nine",
  );
  t.strictSame(walk.stamp(tx("F"), { threshold: 4 }), ["created F 4", "cashback.created F 300 EUR"]);
});

t.test("rewards - an amount that comes with the clearing makes created and cleared", async (t) => {
  const walk = new Walk({ ...REFUND, threshold: 1 });
  walk.stamp(tx("A", { amount: null }));
  t.strictSame(walk.settle(tx("A", { state: "cleared", amount: 12 })), [
    "cashback.created A 12 EUR",
    "cashback.cleared A 12 EUR",
  ]);
});

t.test("rewards - a reversal undoes a redemption without a cashback", async (t) => {
  const walk = new Walk(REFUND);
  walk.stamp(tx("A"));
  walk.stamp(tx("B", { amount: null }));
  walk.stamp(tx("C"));
  t.strictSame(walk.settle(tx("B", { amount: null, state: "reverted" })), [
    "voided B 1",
    "unredeemed A 2",
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

t.test("rewards - after an undone redemption the counter is judged again, under another id", async (t) => {
  const walk = new Walk({ ...FIXED, threshold: 3 });
  for (const ref of ["A", "B", "C"]) walk.stamp(tx(ref));
  const [first] = walk.last.state.redemptions;
  walk.configure(FIXED);
  walk.stamp(tx("D"));
  walk.settle(tx("D", { state: "reverted" }));
  t.strictSame(walk.settle(tx("A", { state: "reverted" })), [
    "voided A 0",
    "cashback.reverted C 300 EUR",
    "unredeemed B 1",
    "unredeemed C 2",
    "cashback.created C 300 EUR",
  ]);
  const [second] = walk.last.state.redemptions;
  t.not(second?.id, first?.id, "both have C as their newest stamp");
  t.not(second?.cashback?.id, first?.cashback?.id);
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
  t.strictSame(walk.took(judgeCollection(walk.last.state)), []);
  t.strictSame(walk.stamp(tx("C")), ["created C 3", "cashback.created B 300 EUR"]);
  t.throws(() => judgeCollection({ ...empty(FIXED), threshold: 0 }), RangeError);
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
  const purchase = {
    type: "qualifying_purchase",
    purchaseAmount: 1,
    currency: "EUR",
    threshold: null,
    reward: null,
  } as const;
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
    [/are not redeemed/, { threshold: 1 }],
    [
      /cashback is reverted/,
      {
        redemptions: state.redemptions.map((one) => ({
          ...one,
          cashback: one.cashback && { ...one.cashback, state: "reverted" },
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
