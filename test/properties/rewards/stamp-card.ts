import type { Money } from "./history.ts";
import { cashbackLine, type RewardModel, type Step, type View } from "./reward-model.ts";

/** A stamp is free, void, or held by the redemption of this number. */
interface Stamp {
  readonly ref: string;
  readonly money: Money;
  place: "free" | "void" | number;
}

/** A redemption with its cashback. */
interface Prize {
  readonly ref: string;
  readonly worth: string;
  state: "pending" | "cleared" | "reverted";
}

/** A stamp collection. The counter is never kept, it is counted. */
export interface Card {
  readonly stamps: readonly Stamp[];
  readonly prizes: readonly Prize[];
  /** The threshold that was reached while the prize's worth was unknown, and by which terms that was last found out. */
  readonly waiting: { readonly threshold: number; readonly termsIndex: number } | null;
}

/** Stamps, redemptions and cashbacks of one collection as section 9 of the contract has them, written plainly. */
export const STAMP_CARD: RewardModel<Card> = {
  start: { stamps: [], prizes: [], waiting: null },
  outcome(card, view, { ref, money }) {
    if (view.known(ref).state === "reverted" || card.stamps.some((one) => one.ref === ref)) return undefined;
    const desk = new Desk(card, view);
    desk.stamp(ref, money);
    desk.redeem(desk.threshold);
    return desk.done();
  },
  settlement(card, view, ref) {
    const desk = new Desk(card, view);
    if (!desk.concerns(ref)) return { after: card, lines: [] };
    const { state } = view.known(ref);
    if (state === "cleared") desk.pay(ref);
    if (state === "reverted") desk.takeBack(ref);
    desk.tryWaiting();
    return desk.done();
  },
  owed(card, view, due) {
    for (const { ref } of due) {
      const { state } = view.known(ref);
      const stamp = card.stamps.find((one) => one.ref === ref);
      if (state !== "reverted" && stamp === undefined) return `a stamp for ${ref}`;
      if (state === "reverted" && stamp !== undefined && stamp.place !== "void") return `a void of ${ref}`;
      const isPending = card.prizes.some((prize) => prize.ref === ref && prize.state === "pending");
      if (state !== "authorized" && isPending) return `the cashback of ${ref} settled`;
    }
    return owedToWaiting(card, view);
  },
  show(card) {
    const stamps = card.stamps.map(({ ref, place }, i) => {
      return `s${i + 1} ${ref} ${typeof place === "number" ? `c${place}` : place}`;
    });
    const prizes = card.prizes.map(({ ref, worth, state }, i) => `c${i + 1} ${ref} ${worth} ${state}`);
    return [`counter ${freeOf(card.stamps).length}`, ...stamps, ...prizes].join("; ");
  },
};

const freeOf = (stamps: readonly Stamp[]) => stamps.filter(({ place }) => place === "free");

/**
 * A change of the program alone redeems nothing, so a waiting card is owed its prize only if the terms that it was last
 * tried by, and all since, would have let the event that supplied the amount redeem it.
 */
function owedToWaiting({ stamps, waiting }: Card, view: View): string | undefined {
  if (waiting === null) return undefined;
  const newest = freeOf(stamps)[waiting.threshold - 1] as Stamp;
  for (let index = waiting.termsIndex; index <= view.termsIndex; index++) {
    if (worthOf(newest, view, index) === undefined) return undefined;
  }
  return `the cashback that waited for ${newest.ref}`;
}

function worthOf(newest: Stamp, view: View, termsIndex: number): string | undefined {
  const terms = view.termsAt(termsIndex);
  if (!terms) return undefined;
  const known = view.known(newest.ref);
  const amount = terms.fixed ?? newest.money.amount ?? known.amount;
  const currency = newest.money.currency ?? known.currency ?? terms.currency;
  return amount === null || currency === null ? undefined : `${amount} ${currency}`;
}

/** A card in somebody's hands. */
class Desk {
  readonly #view: View;
  readonly #stamps: Stamp[];
  readonly #prizes: Prize[];
  readonly #lines: string[] = [];
  #waiting: Card["waiting"];

  constructor(card: Card, view: View) {
    this.#view = view;
    this.#stamps = card.stamps.map(({ ref, money, place }) => ({ ref, money, place }));
    this.#prizes = card.prizes.map(({ ref, worth, state }) => ({ ref, worth, state }));
    this.#waiting = card.waiting;
  }

  get threshold(): number | undefined {
    return this.#view.termsAt(this.#view.termsIndex)?.threshold;
  }

  /** Whether the card has a live stamp or a pending cashback of the transaction. */
  concerns(ref: string): boolean {
    return (
      this.#stamps.some((one) => one.ref === ref && one.place !== "void") ||
      this.#prizes.some((one) => one.ref === ref && one.state === "pending")
    );
  }

  stamp(ref: string, money: Money): void {
    this.#stamps.push({ ref, money, place: "free" });
    this.#tell("created", this.#stamps.length - 1);
  }

  pay(ref: string): void {
    for (const [i, prize] of this.#prizes.entries()) {
      if (prize.ref === ref && prize.state === "pending") this.#settle(i, "cleared");
    }
  }

  takeBack(ref: string): void {
    const at = this.#stamps.findIndex((one) => one.ref === ref && one.place !== "void");
    const place = this.#stamps[at]?.place;
    if (place === undefined) return;
    this.#void(at);
    if (typeof place !== "number" || this.#prizes[place - 1]?.state !== "pending") return;
    this.#settle(place - 1, "reverted");
    for (const [i, stamp] of this.#stamps.entries()) {
      if (stamp.place !== place) continue;
      stamp.place = "free";
      this.#tell("unredeemed", i);
    }
    this.redeem(this.threshold);
  }

  tryWaiting(): void {
    if (this.#waiting !== null) this.redeem(this.#waiting.threshold);
  }

  redeem(threshold: number | undefined): void {
    // The purchase of a free stamp may have been refunded already, with the news of it still under way.
    for (const [i, { ref, place }] of this.#stamps.entries()) {
      if (place === "free" && this.#view.known(ref).state === "reverted") this.#void(i);
    }
    if (threshold === undefined || this.threshold === undefined) return;
    this.#waiting = null;
    for (;;) {
      const row = freeOf(this.#stamps).slice(0, threshold);
      const newest = row[threshold - 1];
      if (newest === undefined) return;
      const worth = worthOf(newest, this.#view, this.#view.termsIndex);
      if (worth === undefined) {
        this.#waiting = { threshold, termsIndex: this.#view.termsIndex };
        return;
      }
      this.#prizes.push({ ref: newest.ref, worth, state: "pending" });
      const number = this.#prizes.length;
      for (const stamp of row) stamp.place = number;
      this.#lines.push(cashbackLine("created", number, newest.ref, worth));
      if (this.#view.known(newest.ref).state === "cleared") this.#settle(number - 1, "cleared");
    }
  }

  done(): Step<Card> {
    const waits = this.#waiting !== null && freeOf(this.#stamps).length >= this.#waiting.threshold;
    const after = { stamps: this.#stamps, prizes: this.#prizes, waiting: waits ? this.#waiting : null };
    return { after, lines: this.#lines };
  }

  #void(at: number): void {
    (this.#stamps[at] as Stamp).place = "void";
    this.#tell("voided", at);
  }

  #settle(at: number, state: "cleared" | "reverted"): void {
    const prize = this.#prizes[at] as Prize;
    prize.state = state;
    this.#lines.push(cashbackLine(state, at + 1, prize.ref, prize.worth));
  }

  #tell(what: string, at: number): void {
    const counter = freeOf(this.#stamps).length;
    this.#lines.push(`qualifying_purchase.${what} s${at + 1} ${this.#stamps[at]?.ref} ${counter}`);
  }
}
