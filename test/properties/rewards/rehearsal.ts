import { SeededRandom } from "#domain";
import {
  applyPurchase,
  type RewardChange,
  type RewardContext,
  type RewardStep,
  type StampCollection,
  settleCollection,
} from "#domain/rewards";
import { Diary } from "./diary.ts";
import type { Observed } from "./explain.ts";
import { type Known, type Money, store, type Terms } from "./history.ts";
import type { Command, Script } from "./script.ts";

type Message = { readonly about: "outcome" | "settlement"; readonly ref: string; readonly money: Money };

const CONTEXT: RewardContext = { at: "2026-05-01T10:00:00.000000Z", idOf: (name) => name };
const refOf = (purchase: number) => String.fromCharCode(65 + purchase);
const settlement = (ref: string): Message => ({
  about: "settlement",
  ref,
  money: { amount: null, currency: null },
});

/**
 * A script on one stamp card as the rules of the domain keep it, in memory, with a post that is neither quick nor
 * orderly and delivers some messages twice.
 */
export class Rehearsal {
  readonly diary = new Diary();
  readonly observed: Observed[] = [];
  readonly #random: SeededRandom;
  readonly #stored = new Map<string, Known>();
  /** Purchases in the order in which they settled. */
  readonly #settled: string[] = [];
  readonly #rows = new Map<string, string>();
  readonly #numbers = new Map<string, string>();
  #post: Message[] = [];
  #terms: (Terms | null)[] = [];
  #collection: StampCollection = {
    kind: "collection",
    id: "sc",
    loyaltyProgramId: "lp",
    program: null,
    stamps: [],
    redemptions: [],
    unredeemedPurchases: 0,
    nextPosition: 0,
    threshold: null,
  };

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  play({ terms, phases }: Script): { diary: Diary; observed: Observed[] } {
    this.#configure(terms[0] as Terms);
    this.#configureNow();
    for (const commands of phases) {
      for (const command of commands) {
        this.#perform(command);
        while (this.#random.chance(0.4)) this.#something();
      }
      while (this.#post.length > 0) this.#deliver();
      this.#configureNow();
      this.#rest();
    }
    return { diary: this.diary, observed: this.observed };
  }

  #perform(command: Command): void {
    if (command.do === "configure" && command.card === 0 && !this.diary.isRemoved("card")) {
      this.#configure(command.terms);
    }
    if (command.do === "enter") this.#enter(refOf(command.purchase), command.event);
    if (command.do === "stamp" && command.card === 0) {
      const ref = refOf(command.purchase);
      if (!this.diary.has(ref)) this.#enter(ref, { state: "authorized", amount: null, currency: null });
      this.#post.push({ about: "outcome", ref, money: this.diary.sends("card", ref, command.money) });
    }
    if (command.do === "resend" && this.diary.hasSettlement(refOf(command.purchase))) {
      this.#post.push(settlement(refOf(command.purchase)));
    }
  }

  #enter(ref: string, event: Known): void {
    const before = this.#stored.get(ref);
    const after = store(before, event);
    this.diary.entered(ref, event);
    if (after === undefined || after === before) return;
    this.#stored.set(ref, after);
    if (before?.state === "authorized" && after.state !== "authorized") this.#settled.push(ref);
    if (before !== undefined) this.#post.push(settlement(ref));
  }

  #configure(terms: Terms | null): void {
    this.diary.configured("card", terms);
    this.#terms.push(terms);
  }
  #configureNow(): void {
    const terms = this.#terms.at(-1);
    if (terms === undefined) return;
    this.#terms = [];
    const program = terms && {
      threshold: terms.threshold,
      reward:
        terms.fixed === null
          ? ({ type: "refund" } as const)
          : ({ type: "fixed-reward", amount: terms.fixed } as const),
      currency: terms.currency,
    };
    this.#collection = { ...this.#collection, program };
  }

  #something(): void {
    if (this.#random.chance(0.1)) this.#configureNow();
    else if (this.#post.length > 0) this.#deliver();
  }

  #deliver(): void {
    const at = this.#random.between(0, this.#post.length - 1);
    const message = this.#post[at] as Message;
    if (this.#random.chance(0.8)) this.#post.splice(at, 1);
    const { ref, money } = message;
    const stamps = this.#collection.stamps.map((one) => ({
      ...one,
      transaction: this.#fact(one.transaction.id),
    }));
    const loaded = { ...this.#collection, stamps };
    if (message.about === "outcome") {
      const outcome = {
        type: "qualifying_purchase",
        purchaseAmount: money.amount,
        currency: money.currency,
        threshold: null,
        reward: null,
      } as const;
      this.#take(applyPurchase(loaded, this.#fact(ref), outcome, CONTEXT));
      return;
    }
    const isTouched =
      loaded.stamps.some(({ transaction }) => transaction.id === ref) ||
      loaded.redemptions.some(({ isPending, transactionId }) => isPending && transactionId === ref);
    if (isTouched) this.#take(settleCollection(loaded, this.#fact(ref), CONTEXT));
  }

  #fact(ref: string) {
    const place = this.#settled.indexOf(ref);
    const settledOrder = place < 0 ? null : place + 1;
    return { id: ref, ref, ...(this.#stored.get(ref) as Known), settledOrder };
  }

  #take(step: RewardStep<StampCollection>): void {
    this.#collection = step.state;
    for (const change of step.changes) this.#write(change);
    for (const event of step.events) {
      const [kind, id, last] =
        "cashbackId" in event
          ? ["c", event.cashbackId, `${event.amount} ${event.currency}`]
          : ["s", event.qualifyingPurchaseId, event.unredeemedPurchases];
      this.observed.push({
        kind: "event",
        line: `${event.type} ${this.#number(kind as string, id as string)} ${event.transactionRef} ${last}`,
      });
    }
  }

  #write(change: RewardChange): void {
    if (change.type === "stamp_made") {
      const { id, transaction } = change.stamp;
      this.#rows.set(this.#number("s", id), `${transaction.ref} free`);
    } else if (change.type === "stamp_voided") this.#place(change.stampId, "void");
    else if (change.type === "redemption_made") {
      for (const id of change.stampIds) this.#place(id, `held:cashback:${change.redemptionId}`);
    } else if (change.type === "redemption_undone") {
      for (const id of change.unredeemedStampIds) this.#place(id, "free");
    } else if (change.type === "cashback_made") {
      const { id, transactionRef, amount, currency } = change.cashback;
      this.#rows.set(this.#number("c", id), `${transactionRef} ${amount} ${currency} pending`);
    } else if (change.type === "cashback_cleared") {
      const number = this.#number("c", change.cashbackId);
      const [ref, ...before] = (this.#rows.get(number) as string).split(" ");
      const { worth } = change;
      const [amount, currency] = worth === null ? before : [worth.amount, worth.currency];
      this.#rows.set(number, `${ref} ${amount} ${currency} cleared`);
    } else if (change.type === "cashback_reverted") this.#place(change.cashbackId, "reverted");
  }
  #place(id: string, place: string): void {
    const number = this.#number(id.startsWith("cashback:") ? "c" : "s", id);
    this.#rows.set(number, (this.#rows.get(number) as string).replace(/\S+$/, place));
  }

  #rest(): void {
    const numbered = [...this.#rows].sort(([a], [b]) => {
      return a[0] === b[0] ? Number(a.slice(1)) - Number(b.slice(1)) : a < b ? 1 : -1;
    });
    // A redemption whose cashback has no event yet has no number.
    const heldBy = (id: string) => this.#numbers.get(id) ?? "c?";
    const rows = numbered.map(([number, row]) => {
      return `${number} ${row.replace(/held:(\S+)/, (_, id: string) => heldBy(id))}`;
    });
    const counter = `counter ${this.#collection.unredeemedPurchases}`;
    this.observed.push({ kind: "rest", rows: [counter, ...rows].join("; ") });
    this.diary.phase += 1;
  }

  #number(kind: string, id: string): string {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const count = [...this.#numbers.values()].filter((one) => one.startsWith(kind)).length;
    this.#numbers.set(id, `${kind}${count + 1}`);
    return `${kind}${count + 1}`;
  }
}
