import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { applyPurchase, settleCollection } from "./reward-rules.ts";
import type { Cashback, Program, RewardTransaction, Stamp, StampCollection } from "./reward-state.ts";
import type { RewardChange, RewardEvent, RewardStep } from "./reward-step.ts";
import { collectionFaults } from "./test-collection-faults.ts";

/**
 * Random histories of one collection: thresholds and rewards changed, transactions stored in any state,
 * outcomes before and after, settlements late, early and again. After each step the tables with the written
 * changes, and every event so far, must equal those of a model that replays the whole history. `FC_SEED`
 * repeats a run.
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = 2000;

type State = RewardTransaction["state"];
type Op =
  | { readonly do: "configure"; readonly threshold: number; readonly fixed: boolean }
  | { readonly do: "store"; readonly ref: string; readonly to: State; readonly money: Money }
  | { readonly do: "outcome"; readonly ref: string; readonly money: Money; readonly rules: Config | null }
  | { readonly do: "settle"; readonly ref: string };
interface Config {
  readonly threshold: number;
  readonly fixed: boolean;
}
interface Prize {
  readonly id: string;
  worth: string | null;
  state: "pending" | "cleared" | "reverted";
}
interface Money {
  readonly amount: number | null;
  readonly currency: string | null;
}

const REFS = ["A", "B", "C", "D", "E", "F", "G"];
const ref = fc.constantFrom(...REFS);
const money = fc.record({
  amount: fc.constantFrom(null, null, 7, 11),
  currency: fc.constantFrom(null, "EUR", "SEK"),
});
const config = fc.record({ threshold: fc.integer({ min: 1, max: 4 }), fixed: fc.boolean() });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("configure" as const),
      threshold: fc.integer({ min: 1, max: 4 }),
      fixed: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      ref,
      to: fc.constantFrom<State>("authorized", "cleared", "reverted"),
      money,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("outcome" as const), ref, money, rules: fc.option(config) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const), ref }) },
);

const FIXED_AMOUNT = 300;
const START: Config = { threshold: 3, fixed: false };

/** The lifecycle in short: final states stay, and only a settling changes a present amount. */
function stored(before: RewardTransaction, to: State, said: Money, at: number): RewardTransaction {
  if (before.state !== "authorized" && to !== "authorized" && to !== before.state) return before;
  const settles = before.state === "authorized" && to !== "authorized";
  const pick = <T>(old: T | null, given: T | null) => (settles ? (given ?? old) : (old ?? given));
  return {
    ...before,
    state: settles ? to : before.state,
    settledOrder: settles ? at : before.settledOrder,
    amount: pick(before.amount, said.amount),
    currency: pick(before.currency, said.currency),
  };
}
function authorized(id: string): RewardTransaction {
  return { id, ref: id, state: "authorized", settledOrder: null, amount: null, currency: null };
}

/** Replays a history from nothing, on a row of slots. The counter is never kept, but counted. */
function replay(history: readonly Op[]): { lines: string[]; counter: number; limit: number | null } {
  const facts = new Map(REFS.map((id) => [id, authorized(id)]));
  let now = Number.POSITIVE_INFINITY;
  /** The state at the moment. */
  const fact = (id: string): RewardTransaction => {
    const found = facts.get(id) as RewardTransaction;
    return (found.settledOrder ?? 0) <= now ? found : { ...found, state: "authorized" };
  };
  const slots: Array<{ id: string; money: Money; rules: Config; place: "free" | "gone" | number }> = [];
  /** `worth` is null until it is known. */
  const prizes: Prize[] = [];
  const lines: string[] = [];
  let config: Config = START;
  let limit: number | null = null;
  const free = () => slots.filter(({ place }) => place === "free");

  function look(): void {
    for (const slot of free().filter(({ id }) => fact(id).state === "reverted")) {
      slot.place = "gone";
      lines.push(`qualifying_purchase.voided ${slot.id} ${free().length}`);
    }
    const row = limit === null ? [] : free().slice(0, limit);
    const last = row.at(-1);
    if (last === undefined || row.length !== limit) return;
    const state = fact(last.id).state === "cleared" ? "cleared" : "pending";
    const prize: Prize = { id: last.id, worth: null, state };
    for (const slot of row) slot.place = prizes.length;
    prizes.push(prize);
    tell(prize);
    look();
  }
  function worthOf(id: string): string | null {
    const { money, rules } = must(slots.find((slot) => slot.id === id));
    const { amount, currency } = must(facts.get(id));
    // The program names no currency here.
    const { fixed } = rules;
    const isPaid = fixed || money.amount !== null;
    const worth = fixed ? FIXED_AMOUNT : (money.amount ?? amount);
    const unit = isPaid ? (money.currency ?? currency) : (currency ?? money.currency);
    return worth === null || unit === null ? null : `${worth} ${unit}`;
  }
  function tell(prize: Prize): void {
    prize.worth = worthOf(prize.id);
    if (prize.worth === null) return;
    lines.push(`cashback.created ${prize.id} ${prize.worth}`);
    if (prize.state === "cleared") lines.push(`cashback.cleared ${prize.id} ${prize.worth}`);
  }
  function pay(prize: Prize): void {
    prize.state = "cleared";
    if (prize.worth === null) {
      tell(prize);
      return;
    }
    const { money, rules } = must(slots.find((slot) => slot.id === prize.id));
    if (!rules.fixed && money.amount === null) prize.worth = worthOf(prize.id);
    lines.push(`cashback.cleared ${prize.id} ${prize.worth}`);
  }
  function refund(id: string): void {
    const slot = slots.find((one) => one.id === id && one.place !== "gone");
    if (slot === undefined) return;
    const { place } = slot;
    slot.place = "gone";
    lines.push(`qualifying_purchase.voided ${id} ${free().length}`);
    const prize = typeof place === "number" ? prizes[place] : undefined;
    if (prize?.state !== "pending") return;
    prize.state = "reverted";
    if (prize.worth !== null) lines.push(`cashback.reverted ${prize.id} ${prize.worth}`);
    for (const other of slots.filter((one) => one.place === place)) {
      other.place = "free";
      lines.push(`qualifying_purchase.unredeemed ${other.id} ${free().length}`);
    }
    look();
  }

  function stampFor(step: Op & { do: "outcome" }): void {
    if (fact(step.ref).state === "reverted" || slots.some(({ id }) => id === step.ref)) return;
    catchUp(undefined);
    slots.push({ id: step.ref, money: step.money, rules: step.rules ?? config, place: "free" });
    lines.push(`qualifying_purchase.created ${step.ref} ${free().length}`);
    limit = step.rules?.threshold ?? config.threshold;
    look();
  }
  /** One settling after the other, in the order in which they were stored. */
  function catchUp(own: string | undefined): void {
    const isOpen = ({ id, place }: (typeof slots)[number]) =>
      place === "free" || (place !== "gone" && (id === own || prizes[place]?.state === "pending"));
    const due = slots.filter((slot) => isOpen(slot) && fact(slot.id).state !== "authorized");
    const order = due.map(({ id }) => fact(id).settledOrder as number).sort((a, b) => a - b);
    for (now of order) {
      const { id, state } = [...facts.values()].find((one) => one.settledOrder === now) as RewardTransaction;
      if (state === "reverted") refund(id);
      else prizes.filter((one) => one.id === id && one.state === "pending").forEach(pay);
    }
    now = Number.POSITIVE_INFINITY;
  }
  function settle(id: string): void {
    if (!slots.some((slot) => slot.id === id && slot.place !== "gone")) return;
    catchUp(id);
    look();
    const untold = prizes.filter((one) => one.id === id && one.worth === null && one.state !== "reverted");
    for (const prize of untold) tell(prize);
  }

  for (const [at, step] of history.entries()) {
    if (step.do === "configure") config = step;
    else if (step.do === "store") facts.set(step.ref, stored(fact(step.ref), step.to, step.money, at + 1));
    else if (step.do === "outcome") stampFor(step);
    else settle(step.ref);
  }
  return { lines, counter: free().length, limit };
}

/** The tables of a store for a collection; each write checks what a key or a state would check. */
class Tables {
  readonly transactions = new Map(REFS.map((id) => [id, authorized(id)]));
  readonly lines: string[] = [];
  program: Program = programOf(START);
  counter = 0;
  threshold: number | null = null;
  readonly #pending = new Set<string>();
  readonly #stamps = new Map<string, Stamp & { voided: boolean }>();
  readonly #redemptions = new Map<string, { standing: boolean; transactionId: string; cashbackId: string }>();
  readonly #cashbacks = new Map<string, Cashback>();

  /** Loads what the rules ask for; or `everything`, for the invariant. */
  load(about: string): StampCollection {
    const redemptions = [...this.#redemptions]
      .filter(([, { standing }]) => standing)
      .map(([id, { transactionId, cashbackId }]) => ({
        id,
        transactionId,
        isPending: this.#pending.has(id),
        cashback: this.#cashbacks.get(cashbackId) ?? null,
      }));
    const live = [...this.#stamps.values()]
      .filter(({ voided }) => !voided)
      .map(({ voided: _, ...stamp }) => ({ ...stamp, transaction: this.transaction(stamp.transaction.id) }));
    const own = live.find(({ transaction }) => transaction.id === about);
    const pending = new Set(redemptions.filter(({ isPending }) => isPending).map(({ id }) => id));
    const stamps = live.filter(
      (stamp) =>
        about === "everything" ||
        stamp.redemptionId === null ||
        stamp === own ||
        pending.has(stamp.redemptionId),
    );
    return {
      kind: "collection",
      id: "sc",
      loyaltyProgramId: "lp",
      program: this.program,
      stamps,
      redemptions: redemptions.filter(
        ({ id }) => about === "everything" || stamps.some((stamp) => stamp.redemptionId === id),
      ),
      unredeemedPurchases: this.counter,
      nextPosition: this.#stamps.size,
      threshold: this.threshold,
    };
  }
  /** A collection without a live stamp of the transaction does not get its settlement. */
  isTouched(id: string): boolean {
    return [...this.#stamps.values()].some((stamp) => stamp.transaction.id === id && !stamp.voided);
  }
  transaction(id: string): RewardTransaction {
    return must(this.transactions.get(id));
  }
  take(step: RewardStep<StampCollection>): void {
    assert.deepEqual(collectionFaults(step.state), []);
    for (const change of step.changes) this.#write(change);
    assert.equal(this.counter, step.state.unredeemedPurchases);
    this.lines.push(...step.events.map(told));
  }
  #write(change: RewardChange): void {
    if (change.type === "stamp_made") {
      assert.ok(!this.#stamps.has(change.stamp.id), "a stamp id comes once");
      this.#stamps.set(change.stamp.id, { ...change.stamp, voided: false });
    } else if (change.type === "stamp_voided") {
      const stamp = must(this.#stamps.get(change.stampId));
      assert.ok(!stamp.voided);
      this.#stamps.set(stamp.id, { ...stamp, voided: true });
    } else if (change.type === "redemption_made") {
      assert.ok(!this.#redemptions.has(change.redemptionId), "a redemption id comes once");
      const { transactionId } = change;
      this.#redemptions.set(change.redemptionId, { standing: true, transactionId, cashbackId: "" });
      this.#hold(change.stampIds, change.redemptionId);
    } else if (change.type === "redemption_undone") {
      const redemption = must(this.#redemptions.get(change.redemptionId));
      this.#redemptions.set(change.redemptionId, { ...redemption, standing: false });
      this.#hold(change.unredeemedStampIds, null);
    } else if (change.type === "cashback_made") {
      assert.ok(!this.#cashbacks.has(change.cashback.id), "a cashback id comes once");
      this.#cashbacks.set(change.cashback.id, change.cashback);
      assert.ok(change.cashback.source.type === "loyalty-program-redemption");
      const { redemptionId } = change.cashback.source;
      const redemption = must(this.#redemptions.get(redemptionId));
      this.#redemptions.set(redemptionId, { ...redemption, cashbackId: change.cashback.id });
    } else if (change.type === "counter_set") {
      this.counter = change.unredeemedPurchases;
      this.threshold = change.threshold;
      for (const id of change.nowPending) this.#pending.add(id);
      for (const id of change.noLongerPending) this.#pending.delete(id);
    } else {
      assert.ok(change.type === "cashback_cleared" || change.type === "cashback_reverted");
      const cashback = must(this.#cashbacks.get(change.cashbackId));
      assert.equal(cashback.state, "pending");
      const state = change.type === "cashback_cleared" ? "cleared" : "reverted";
      const worth = change.type === "cashback_cleared" ? change.worth : null;
      this.#cashbacks.set(cashback.id, { ...cashback, ...worth, state });
    }
  }
  #hold(stampIds: readonly string[], redemptionId: string | null): void {
    for (const id of stampIds) this.#stamps.set(id, { ...must(this.#stamps.get(id)), redemptionId });
  }
}

function must<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}
function programOf({ threshold, fixed }: Config): Program {
  const reward = fixed
    ? ({ type: "fixed-reward", amount: FIXED_AMOUNT } as const)
    : ({ type: "refund" } as const);
  return { threshold, reward, currency: null };
}
function told(event: RewardEvent): string {
  return "cashbackId" in event
    ? `${event.type} ${event.transactionRef} ${event.amount} ${event.currency}`
    : `${event.type} ${event.transactionRef} ${event.unredeemedPurchases}`;
}

const CONTEXT = { at: "2026-05-01T10:00:00.000000Z", idOf: (name: string) => name };

function perform(tables: Tables, step: Op, at: number): void {
  if (step.do === "configure") tables.program = programOf(step);
  else if (step.do === "store") {
    tables.transactions.set(step.ref, stored(tables.transaction(step.ref), step.to, step.money, at + 1));
  } else if (step.do === "outcome") {
    const { amount: purchaseAmount, currency } = step.money;
    const threshold = step.rules?.threshold ?? null;
    const reward = step.rules === null ? null : programOf(step.rules).reward;
    const outcome = { type: "qualifying_purchase", purchaseAmount, currency, threshold, reward } as const;
    tables.take(applyPurchase(tables.load(step.ref), tables.transaction(step.ref), outcome, CONTEXT));
  } else if (tables.isTouched(step.ref)) {
    tables.take(settleCollection(tables.load(step.ref), tables.transaction(step.ref), CONTEXT));
  }
}

t.test(`rewards - any history ends as a replay of it says (FC_SEED=${SEED})`, async (t) => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(op, { minLength: 12, maxLength: 40, size: "max" }), (random) => {
      const nothing = { amount: null, currency: null };
      const settled = REFS.map((id): Op => ({ do: "settle", ref: id }));
      const resent = REFS.filter((id) => random.some((one) => one.do === "outcome" && one.ref === id)).map(
        (id): Op => ({ do: "outcome", ref: id, money: nothing, rules: null }),
      );
      const history = [...random, ...settled];
      const tables = new Tables();
      for (const [i, step] of history.entries()) {
        perform(tables, step, i);
        const model = replay(history.slice(0, i + 1));
        assert.equal(tables.lines.join("\n"), model.lines.join("\n"));
        assert.equal(tables.counter, model.counter);
        assert.equal(tables.threshold, model.limit);
        assert.deepEqual(collectionFaults(tables.load("everything")), []);
      }
      const before = tables.lines.length;
      for (const step of [...resent, ...settled]) perform(tables, step, history.length);
      assert.equal(tables.lines.length, before, "a repetition changes nothing");
      for (const line of tables.lines) {
        const [type = ""] = line.split(" ");
        seen.set(type, (seen.get(type) ?? 0) + 1);
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
  // If the generator never reached these states, the test would prove nothing.
  for (const type of [
    "cashback.created",
    "cashback.cleared",
    "cashback.reverted",
    "qualifying_purchase.created",
    "qualifying_purchase.voided",
    "qualifying_purchase.unredeemed",
  ]) {
    t.ok((seen.get(type) ?? 0) >= 100, `${type}: ${seen.get(type)}`);
  }
});
