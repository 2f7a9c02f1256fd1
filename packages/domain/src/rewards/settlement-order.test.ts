import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { applyPurchase, settleCollection } from "./reward-rules.ts";
import type { Program, RewardTransaction, StampCollection } from "./reward-state.ts";
import type { RewardChange, RewardStep } from "./reward-step.ts";

/**
 * One history has one result. Outcomes and settlings happen in one order; their settlements are handled
 * immediately, or in any other order, grouped, late, twice. All earnings, reversals, payments and events must
 * be the same. `FC_SEED` repeats a run.
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 3000);

const REFS = ["A", "B", "C", "D", "E", "F", "G", "H"];
const CONTEXT = { at: "2026-05-01T10:00:00.000000Z", idOf: (name: string) => name };
const OUTCOME = {
  type: "qualifying_purchase",
  purchaseAmount: null,
  currency: null,
  threshold: null,
  reward: null,
} as const;

type Fact =
  | { readonly do: "outcome"; readonly ref: string }
  | { readonly do: "settle"; readonly ref: string; readonly to: "cleared" | "reverted" };
interface Tried {
  readonly program: Program;
  readonly facts: readonly Fact[];
  /** Final from the start: it has no settlement. */
  readonly born: readonly string[];
}

const ref = fc.constantFrom(...REFS);
const histories: fc.Arbitrary<Tried> = fc.record({
  program: fc.record({
    threshold: fc.integer({ min: 1, max: 4 }),
    reward: fc.constantFrom<Program["reward"]>({ type: "refund" }, { type: "fixed-reward", amount: 300 }),
    currency: fc.constant("EUR"),
  }),
  facts: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant("outcome" as const), ref }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant("settle" as const),
          ref,
          to: fc.constantFrom("cleared" as const, "reverted" as const),
        }),
      },
    ),
    { minLength: 6, maxLength: 24, size: "max" },
  ),
  born: fc.uniqueArray(ref, { maxLength: 2 }),
});

/** Numbers of the log are above all drawn numbers. */
const LOG = 1_000;

/** Whether to handle settlements now, and which of those that are due. */
type Choose = (due: readonly string[]) => readonly string[];
const AT_ONCE: Choose = (due) => due;

/** A collection that gets outcomes as they happen, and settlements when `choose` says so. */
class Told {
  readonly events: string[] = [];
  readonly cashbacks = new Map<string, string>();
  readonly voided: string[] = [];
  readonly #rows = new Map<string, RewardTransaction>();
  #settlings = 0;
  #state: StampCollection;

  constructor({ program, born }: Tried) {
    for (const [i, id] of REFS.entries()) {
      const state = born.includes(id) ? "cleared" : "authorized";
      this.#rows.set(id, { id, ref: id, state, settledOrder: null, amount: i + 1, currency: "EUR" });
    }
    this.#state = {
      kind: "collection",
      id: "sc",
      loyaltyProgramId: "lp",
      program,
      stamps: [],
      redemptions: [],
      unredeemedPurchases: 0,
      nextPosition: 1,
      threshold: null,
    };
  }

  /** @param isOver whether everything due is handled in the end */
  play(facts: readonly Fact[], choose: Choose, isOver = true): this {
    let due: string[] = [];
    for (const fact of facts) {
      if (fact.do === "outcome") this.#outcome(fact.ref);
      else if (this.#settles(fact.ref, fact.to)) due.push(fact.ref);
      const now = choose(due);
      for (const id of now) this.#settlement(id);
      due = due.filter((id) => !now.includes(id));
    }
    if (!isOver) return this;
    for (const id of due.reverse()) this.#settlement(id);
    return this.finish();
  }

  finish(): this {
    for (const id of REFS) this.#settlement(id);
    return this;
  }

  /**
   * Continues like a restored database: the transactions have their final state, numbered by the log, before
   * the outcomes come again; first those since the place that lags, each as of its time. A process may be
   * killed at `killed`, and its successor begins there again. Settlements of before come last, in any order.
   * @param from where `facts` continue after those that were played
   */
  again(facts: readonly Fact[], from: number, { place, killed }: { place: number; killed: number }): this {
    for (const [i, fact] of facts.entries()) {
      if (i >= from && fact.do === "settle") this.#settles(fact.ref, fact.to, LOG + i);
    }
    const decide = (first: number, end: number) => {
      for (const [i, fact] of facts.slice(0, end).entries()) {
        if (i >= first && fact.do === "outcome") this.#outcome(fact.ref, LOG + i);
      }
    };
    decide(place, killed);
    decide(place, facts.length);
    this.#settlings = 2 * LOG;
    return this;
  }

  /**
   * The reported events. The counter of the moment is no fact: if a void did not change it, it may be
   * reported later.
   */
  get facts(): string[] {
    return this.events.map((line) => (line.startsWith("qual") ? line.replace(/ \d+$/, "") : line)).sort();
  }

  get end() {
    const { stamps, redemptions, unredeemedPurchases, threshold } = this.#state;
    return {
      stamps: stamps.map(({ id, redemptionId }) => `${id} ${redemptionId}`),
      voided: this.voided.toSorted(),
      redemptions: redemptions
        .map(({ id, cashback }) => `${id} ${cashback?.state} ${cashback?.amount}`)
        .sort(),
      cashbacks: [...this.cashbacks].map((pair) => pair.join(" ")).sort(),
      unredeemedPurchases,
      threshold,
    };
  }

  #settles(id: string, to: "cleared" | "reverted", settledOrder = this.#settlings + 1): boolean {
    const row = this.#rows.get(id) as RewardTransaction;
    if (row.state !== "authorized") return false;
    this.#settlings++;
    this.#rows.set(id, { ...row, state: to, settledOrder });
    return true;
  }

  #outcome(id: string, moment?: number): void {
    const context = { ...CONTEXT, moment };
    this.#take(applyPurchase(this.#loaded(), this.#rows.get(id) as RewardTransaction, OUTCOME, context));
  }

  #settlement(id: string): void {
    const loaded = this.#loaded();
    if (!loaded.stamps.some(({ transaction }) => transaction.id === id)) return;
    this.#take(settleCollection(loaded, this.#rows.get(id) as RewardTransaction, CONTEXT));
  }

  #loaded(): StampCollection {
    const stamps = this.#state.stamps.map((stamp) => ({
      ...stamp,
      transaction: this.#rows.get(stamp.transaction.id) as RewardTransaction,
    }));
    // Like a database, which keeps voided stamps.
    const voided = new Set(this.voided.map((id) => id.split(":").at(-1) as string));
    return { ...this.#state, stamps, voided };
  }

  #take(step: RewardStep<StampCollection>): void {
    this.#state = step.state;
    for (const change of step.changes) this.#write(change);
    for (const event of step.events) {
      const what = "cashbackId" in event ? event.cashbackId : event.unredeemedPurchases;
      this.events.push(`${event.type} ${event.transactionRef} ${what}`);
    }
  }

  #write(change: RewardChange): void {
    if (change.type === "stamp_voided") this.voided.push(change.stampId);
    if (change.type === "cashback_made") this.cashbacks.set(change.cashback.id, "pending");
    if (change.type === "cashback_cleared") this.cashbacks.set(change.cashbackId, "cleared");
    if (change.type === "cashback_reverted") this.cashbacks.set(change.cashbackId, "reverted");
  }
}

t.test(
  `rewards - the order in which settlements are handled changes no earnings (FC_SEED=${SEED})`,
  async (t) => {
    const seen = { undone: 0, stands: 0 };
    fc.assert(
      fc.property(histories, fc.infiniteStream(fc.nat({ max: 99 })), (history, chances) => {
        const prompt = new Told(history).play(history.facts, AT_ONCE);
        const orders: readonly Choose[] = [
          () => [],
          (due) => due.toReversed(),
          (due) => due.filter(() => (chances.next().value as number) < 30),
          (due) => [...due, ...due].filter(() => (chances.next().value as number) < 20).reverse(),
        ];
        for (const choose of orders) {
          const other = new Told(history).play(history.facts, choose);
          assert.deepEqual(other.end, prompt.end);
        }
        if (prompt.end.cashbacks.some((line) => line.endsWith("reverted"))) seen.undone++;
        const paid = prompt.end.redemptions.filter((line) => line.includes("cleared"));
        if (paid.some((line) => prompt.voided.some((id) => line.includes(id)))) seen.stands++;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // If the generator never reached these states, the test would prove nothing.
    t.ok(seen.undone > RUNS / 20, `redemptions undone: ${seen.undone}`);
    t.ok(seen.stands > RUNS / 20, `redemptions that stand without one of their purchases: ${seen.stands}`);
  },
);

t.test(
  `rewards - the events after a restore equal those before, wherever the history was cut (FC_SEED=${SEED})`,
  async (t) => {
    const seen = { undone: 0, stands: 0, voided: 0 };
    fc.assert(
      fc.property(
        histories,
        fc.array(fc.nat({ max: 24 }), { minLength: 4, maxLength: 4 }),
        fc.infiniteStream(fc.nat({ max: 99 })),
        ({ facts, ...history }, cuts, chances) => {
          const [place = 0, from = 0, killed = 0, live = 0] = cuts
            .map((cut) => Math.min(cut, facts.length))
            .sort((a, b) => a - b);
          const at = (end: number) =>
            new Told({ ...history, facts }).play(facts.slice(0, end), AT_ONCE, false);
          const prompt = at(facts.length).finish();
          // Settlements of before the restore may wait as well.
          const late: Choose = (due) => due.filter(() => (chances.next().value as number) < 50);
          const restored = new Told({ ...history, facts })
            .play(facts.slice(0, from), late, false)
            .again(facts.slice(0, live), from, { place, killed: Math.max(killed, place) })
            .play(facts.slice(live), late, false)
            .finish();
          assert.deepEqual(restored.end, prompt.end);
          assert.deepEqual(restored.facts, prompt.facts);
          if (prompt.end.cashbacks.some((line) => line.endsWith("reverted"))) seen.undone++;
          if (prompt.voided.length > 0) seen.voided++;
          const paid = prompt.end.redemptions.filter((line) => line.includes("cleared"));
          if (paid.some((line) => prompt.voided.some((id) => line.includes(id)))) seen.stands++;
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    t.ok(seen.undone > RUNS / 20, `redemptions undone: ${seen.undone}`);
    t.ok(seen.stands > RUNS / 20, `redemptions that stand without one of their purchases: ${seen.stands}`);
    t.ok(seen.voided > RUNS / 20, `stamps voided: ${seen.voided}`);
  },
);

t.test(
  "regression - of a clearing and a later reversal, the reversal that was handled first took a paid cashback back",
  async (t) => {
    const program: Program = {
      threshold: 2,
      reward: { type: "fixed-reward", amount: 300 },
      currency: "EUR",
    };
    const facts: readonly Fact[] = [
      { do: "outcome", ref: "A" },
      { do: "outcome", ref: "B" },
      { do: "settle", ref: "B", to: "cleared" },
      { do: "settle", ref: "A", to: "reverted" },
    ];
    const tried = { program, facts, born: [] };
    const prompt = new Told(tried).play(facts, AT_ONCE);
    // Both are due when the reversal, which came second, is handled first.
    const turned = new Told(tried).play(facts, (due) => (due.length === 2 ? due.toReversed() : []));
    t.strictSame(turned.end, prompt.end);
    t.match(turned.end.redemptions, [/cleared 300$/]);
    const other = facts.with(2, facts[3] as Fact).with(3, facts[2] as Fact);
    const undone = new Told(tried).play(other, AT_ONCE);
    const turnedToo = new Told(tried).play(other, (due) => (due.length === 2 ? due.toReversed() : []));
    t.strictSame(turnedToo.end, undone.end);
    t.strictSame(turnedToo.end.redemptions, []);
    t.match(turnedToo.end.cashbacks, [/reverted$/]);
  },
);
