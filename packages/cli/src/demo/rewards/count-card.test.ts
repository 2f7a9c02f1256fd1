import { createHash } from "node:crypto";
import t from "tap";
import { SeededRandom } from "#domain";
import { dealReward } from "#domain/platform";
import {
  applyDeal,
  applyPurchase,
  type Cashback,
  type Clip,
  type RewardStep,
  type RewardTransaction,
  type StampCollection,
  settleClip,
  settleCollection,
} from "#domain/rewards";
import { type CardCount, countCard, type PaidPurchase, type PlannedCard, worthOf } from "./plan-rewards.ts";
import { CURRENCY } from "./retailers.ts";
import { planSample } from "./test-plan.ts";

const { plan } = planSample();
const cards = plan.wallets.flatMap((wallet) => wallet.cards);
/** Orders tried for each card. */
const ORDERS = 40;

/** A card as the reward engine has it, and every cashback that there ever was. */
class Engine {
  readonly #card: PlannedCard;
  readonly #rows = new Map<string, RewardTransaction>();
  #settlings = 0;
  readonly #cashbacks = new Map<string, Cashback>();
  #collection: StampCollection;
  #clip: Clip = { kind: "clip", id: "clip", dealId: "deal", redeemed: false, cashback: null };

  constructor(card: PlannedCard) {
    this.#card = card;
    const { threshold, reward } = card.retailer.program;
    this.#collection = {
      kind: "collection",
      id: "collection",
      loyaltyProgramId: "program",
      program: { threshold, reward, currency: CURRENCY },
      stamps: [],
      redemptions: [],
      unredeemedPurchases: 0,
      nextPosition: 1,
      threshold: null,
    };
  }

  store({ externalId: id }: PaidPurchase, state: RewardTransaction["state"]): void {
    // What is final when it is first stored has no place among those that settled.
    const settledOrder = state === "authorized" || !this.#rows.has(id) ? null : ++this.#settlings;
    this.#rows.set(id, { id, ref: id, state, settledOrder, amount: 1, currency: CURRENCY });
  }

  outcome(purchase: PaidPurchase): void {
    const row = this.#refresh(purchase);
    const { amount, currency } = purchase.payment;
    const money = { purchaseAmount: amount, currency, threshold: null, reward: null };
    this.#collection = this.#keep(
      applyPurchase(this.#collection, row, { type: "qualifying_purchase", ...money }, CONTEXT),
    );
    const { deal } = this.#card.retailer;
    if (!this.#card.clipped || amount < deal.minAmount) return;
    const rule =
      deal.reward.type === "fixed"
        ? deal.reward
        : { type: deal.reward.type, percent: deal.reward.percent, maxAmount: deal.reward.max_amount ?? null };
    const reward = dealReward(rule, { amount, currency });
    if (reward === undefined) return;
    this.#clip = this.#keep(applyDeal(this.#clip, row, { type: "deal", ...reward }, CONTEXT));
  }

  settle(purchase: PaidPurchase): void {
    const row = this.#refresh(purchase);
    this.#collection = this.#keep(settleCollection(this.#collection, row, CONTEXT));
    // Nobody saves the deal anew.
    this.#clip = this.#keep(settleClip({ ...this.#clip, reopens: true }, row, CONTEXT));
  }

  get count(): CardCount {
    const inState = (state: Cashback["state"]) =>
      [...this.#cashbacks.values()].filter((cashback) => cashback.state === state).length;
    return {
      unredeemed: this.#collection.unredeemedPurchases,
      redemptions: this.#collection.redemptions.length,
      pending: inState("pending"),
      cleared: inState("cleared"),
      reverted: inState("reverted"),
      clipsRedeemed: this.#clip.redeemed ? 1 : 0,
    };
  }

  get cashbacks(): Cashback[] {
    return [...this.#cashbacks.values()];
  }

  /** Stamps show their transactions as stored now. */
  #refresh({ externalId }: PaidPurchase): RewardTransaction {
    const stamps = this.#collection.stamps.map((stamp) => ({
      ...stamp,
      transaction: this.#rows.get(stamp.transaction.id) as RewardTransaction,
    }));
    this.#collection = { ...this.#collection, stamps };
    return this.#rows.get(externalId) as RewardTransaction;
  }

  #keep<S>({ state, changes }: RewardStep<S & (StampCollection | Clip)>): S {
    for (const change of changes) {
      if (change.type === "cashback_made") this.#cashbacks.set(change.cashback.id, change.cashback);
      if (change.type === "cashback_cleared") this.#move(change.cashbackId, "cleared");
      if (change.type === "cashback_reverted") this.#move(change.cashbackId, "reverted");
    }
    return state;
  }

  #move(id: string, state: Cashback["state"]): void {
    this.#cashbacks.set(id, { ...(this.#cashbacks.get(id) as Cashback), state });
  }
}

const CONTEXT = {
  at: "2026-01-05T06:00:00.000000Z",
  idOf: (name: string) => createHash("sha256").update(name).digest("hex"),
};

/** One series of steps for each thing that works by itself; their steps keep their order, the series may mix in any way. */
function mix(random: SeededRandom, series: ReadonlyArray<ReadonlyArray<() => void>>): void {
  const queues = series.map((steps) => [...steps]);
  for (;;) {
    const open = queues.filter(({ length }) => length > 0);
    if (open.length === 0) return;
    random.pick(open).shift()?.();
  }
}

function runCard(card: PlannedCard, random: SeededRandom): { before: CardCount; engine: Engine } {
  const engine = new Engine(card);
  const late: Array<ReadonlyArray<() => void>> = [];
  const first = card.purchases.flatMap((purchase) => {
    const ends = endOf(card, purchase);
    // New as what it is in the end now and then: there is no settlement of that.
    const isNewSo = ends !== "authorized" && card.ending !== "reverted_late" && random.chance(0.2);
    engine.store(purchase, isNewSo ? ends : "authorized");
    const outcomes = new Array(countOutcomes(card, purchase, random)).fill(() => engine.outcome(purchase));
    if (ends === "authorized" || isNewSo) return [outcomes];
    const settling = [() => engine.store(purchase, ends), () => engine.settle(purchase)];
    if (card.ending !== "reverted_late") return [outcomes, settling];
    late.push(settling);
    return [outcomes];
  });
  mix(random, first);
  const before = engine.count;
  mix(random, late);
  return { before, engine };
}

function endOf({ ending }: PlannedCard, { reverted }: PaidPurchase): RewardTransaction["state"] {
  if (reverted) return "reverted";
  return ending === "cleared" ? "cleared" : "authorized";
}

/** How many: a payment that comes after the reversal meets nothing, and an outcome may come twice. */
function countOutcomes({ ending }: PlannedCard, { reverted }: PaidPurchase, random: SeededRandom): number {
  if (reverted && ending === "reverted_early" && random.chance(0.3)) return 0;
  return random.chance(0.2) ? 2 : 1;
}

t.test("count - is what the reward rules come to, in whichever order things happen", async (t) => {
  const random = new SeededRandom(5);
  for (const card of cards) {
    for (let i = 0; i < ORDERS; i++) {
      const { before, engine } = runCard(card, random);
      const told = { before, after: engine.count };
      const wanted = { before: countCard(card, true), after: countCard(card, false) };
      if (JSON.stringify(told) !== JSON.stringify(wanted)) {
        t.strictSame(told, wanted, JSON.stringify(card));
        return;
      }
      const wrong = engine.cashbacks.filter(({ transactionRef, amount, source }) => {
        const purchase = card.purchases.find(
          ({ externalId }) => externalId === transactionRef,
        ) as PaidPurchase;
        return amount !== worthOf(card, source.type === "clip" ? "deal" : "program", purchase);
      });
      if (wrong.length > 0) t.strictSame(wrong, [], JSON.stringify(card));
    }
  }
  t.ok(cards.length > 500);
});
