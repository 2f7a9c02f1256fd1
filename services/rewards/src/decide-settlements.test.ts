import t from "tap";
import { applyDeal, applyPurchase, type RewardTransaction } from "#domain/rewards";
import { decideSettlements } from "./decide-rewards.ts";
import type { LoadedTarget } from "./store/collections.ts";
import {
  CONTEXT,
  DEAL,
  emptyCollection,
  FIXED,
  idOf,
  loadedWith,
  openClip,
  STAMP,
  told,
  transactionNamed,
} from "./test-decisions.ts";

/** The target after an outcome for each of these transactions, in its state at that time. */
function after(target: LoadedTarget, ...transactions: RewardTransaction[]): LoadedTarget {
  let { state } = target;
  for (const transaction of transactions) {
    const step =
      state.kind === "clip"
        ? applyDeal(state, transaction, DEAL, CONTEXT)
        : applyPurchase(state, transaction, STAMP, CONTEXT);
    state = step.state;
  }
  return { ...target, state };
}

const authorized = (ref: string) => transactionNamed(ref);
const cleared = (ref: string) => transactionNamed(ref, { state: "cleared" });
const reverted = (ref: string) => transactionNamed(ref, { state: "reverted" });

t.test("settlements - a clearing pays the rewards that wait for it, and no others", async (t) => {
  const card = after(emptyCollection("card"), authorized("A"), authorized("B"));
  const clip = after(openClip("clip"), authorized("B"));
  const transactions = [cleared("A"), cleared("B"), cleared("earned nothing")];
  const loaded = loadedWith([card, clip], transactions, { A: [card], B: [card, clip] });
  const ids = transactions.map(({ id }) => id);
  const { results, writes } = decideSettlements(loaded, ids, CONTEXT);
  t.strictSame(results, ["unchanged", "changed", "unchanged"]);
  t.strictSame(writes.events.map(told), ["cashback.cleared B 300 EUR", "cashback.cleared B 120 SEK"]);
});

t.test(
  "settlements - a reversal undoes the redemption, and the next one sees the remaining stamps",
  async (t) => {
    const card = after(emptyCollection("card"), ...["A", "B", "C"].map(authorized));
    const transactions = [reverted("A"), cleared("C")];
    const loaded = loadedWith([card], transactions, { A: [card], C: [card] });
    const ids = transactions.map(({ id }) => id);
    const { results, writes } = decideSettlements(loaded, ids, CONTEXT);
    t.strictSame(results, ["changed", "changed"]);
    t.strictSame(writes.events.map(told), [
      "qualifying_purchase.voided A 1",
      "cashback.reverted B 300 EUR",
      "qualifying_purchase.unredeemed B 2",
      "cashback.created C 300 EUR",
      "cashback.cleared C 300 EUR",
    ]);
  },
);

t.test("settlements - every stamp of one redemption reverted in one batch", async (t) => {
  const card = after(emptyCollection("card"), authorized("A"), authorized("B"));
  const transactions = [reverted("B"), reverted("A")];
  const loaded = loadedWith([card], transactions, { A: [card], B: [card] });
  const { writes } = decideSettlements(loaded, [idOf("B"), idOf("A")], CONTEXT);
  t.strictSame(writes.events.map(told), [
    "qualifying_purchase.voided B 0",
    "cashback.reverted B 300 EUR",
    "qualifying_purchase.unredeemed A 1",
    "qualifying_purchase.voided A 0",
  ]);
});

t.test("settlements - an amount that became known redeems the stamps that waited for it", async (t) => {
  const refund = { ...FIXED, threshold: 1, reward: { type: "refund" } } as const;
  const unpriced = transactionNamed("A", { amount: null });
  const card = after(emptyCollection("card", "ada", refund), unpriced);
  const unchanged = decideSettlements(loadedWith([card], [unpriced], { A: [card] }), [idOf("A")], CONTEXT);
  t.strictSame(unchanged, { results: ["unchanged"], writes: { changes: [], events: [] } });
  const loaded = loadedWith([card], [authorized("A")], { A: [card] });
  const { results, writes } = decideSettlements(loaded, [idOf("A")], CONTEXT);
  t.strictSame(results, ["changed"]);
  t.strictSame(writes.events.map(told), ["cashback.created A 450 EUR"]);
});

t.test("settlements - a repeated settlement changes nothing", async (t) => {
  const paid = after(emptyCollection("card"), authorized("A"), cleared("B"));
  const clip = after(openClip("clip"), cleared("B"));
  const loaded = loadedWith([paid, clip], [cleared("B")], { B: [paid, clip] });
  const decided = decideSettlements(loaded, [idOf("B")], CONTEXT);
  t.strictSame(decided, { results: ["unchanged"], writes: { changes: [], events: [] } });
});

t.test("settlements - the cashback of a deleted member is loaded as a clip, and still settles", async (t) => {
  const clip = { ...after(openClip("clip"), authorized("A")), memberId: null };
  const loaded = loadedWith([clip], [reverted("A")], { A: [clip] });
  const { writes } = decideSettlements(loaded, [idOf("A")], CONTEXT);
  t.match(writes.changes, [{ memberId: null, change: { type: "cashback_reverted" } }]);
  t.strictSame(writes.events.map(told), ["cashback.reverted A 120 SEK"]);
});

t.test(
  "settlements - those of transactions that are not there, or earned nothing, write nothing",
  async (t) => {
    const loaded = loadedWith([], [cleared("A")]);
    const { results, writes } = decideSettlements(loaded, [idOf("A"), idOf("never")], CONTEXT);
    t.strictSame(results, ["unchanged", "unchanged"]);
    t.strictSame(writes, { changes: [], events: [] });
  },
);
