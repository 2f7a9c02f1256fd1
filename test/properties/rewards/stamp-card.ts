import type { Money, Terms } from "./history.ts";
import { cashbackLine, type RewardModel, type Step, type View } from "./reward-model.ts";

/** A stamp is free, void, or held by the redemption of this number. */
interface Stamp {
  readonly ref: string;
  readonly money: Money;
  /**
   * The program's reward when the stamp was made: `fixed`, or the purchase back; null if there was no
   * program.
   */
  readonly terms: Pick<Terms, "fixed" | "currency"> | null;
  place: "free" | "void" | number;
}

/** A redemption with its cashback. */
interface Prize {
  readonly ref: string;
  /** Null: unknown yet, or zero; then there is no event. */
  worth: string | null;
  /** The number of its cashback, in the order of the cashbacks' events. */
  number: number | null;
  state: "pending" | "cleared" | "reverted";
}

/** A stamp collection. The counter is never stored, always counted. */
export interface Card {
  readonly stamps: readonly Stamp[];
  readonly prizes: readonly Prize[];
  /** The threshold for the newest stamp. */
  readonly threshold: number | null;
}

/** Stamps, redemptions and cashbacks of one collection by section 9 of the contract, written plainly. */
export const STAMP_CARD: RewardModel<Card> = {
  start: { stamps: [], prizes: [], threshold: null },
  outcome(card, view, { ref, money, carried }) {
    if (view.known(ref).state === "reverted" || card.stamps.some((one) => one.ref === ref)) return undefined;
    const desk = new Desk(card, view);
    desk.stamp(ref, money, carried);
    desk.redeem();
    return desk.done();
  },
  settlement(card, view, ref) {
    const desk = new Desk(card, view);
    if (!desk.concerns(ref)) return { after: card, lines: [] };
    const { state } = view.known(ref);
    if (state === "cleared") desk.pay(ref);
    if (state === "reverted") desk.takeBack(ref);
    desk.redeem();
    desk.tellLate(ref);
    return desk.done();
  },
  owed(card, view, due) {
    for (const { ref } of due) {
      const { state } = view.known(ref);
      const stamp = card.stamps.find((one) => one.ref === ref);
      if (state !== "reverted" && stamp === undefined) return `a stamp for ${ref}`;
      if (state === "reverted" && stamp !== undefined && stamp.place !== "void") return `a void of ${ref}`;
      for (const prize of card.prizes.filter((one) => one.ref === ref && one.state !== "reverted")) {
        const isLate = prize.number !== null && prize.state === "pending";
        if (state !== "authorized" && isLate) return `the cashback of ${ref} settled`;
        if (prize.number === null && isPaid(worthOf(stamp as Stamp, view))) return `the cashback of ${ref}`;
      }
    }
    return undefined;
  },
  show(card) {
    const stamps = card.stamps.map(({ ref, place }, i) => {
      const shown = typeof place === "number" ? `c${card.prizes[place - 1]?.number ?? "?"}` : place;
      return `s${i + 1} ${ref} ${shown}`;
    });
    const prizes = card.prizes
      .filter(({ number }) => number !== null)
      .sort((a, b) => (a.number as number) - (b.number as number))
      .map(({ ref, worth, number, state }) => `c${number} ${ref} ${worth} ${state}`);
    return [`counter ${freeOf(card.stamps).length}`, ...stamps, ...prizes].join("; ");
  },
};

const freeOf = (stamps: readonly Stamp[]) => stamps.filter(({ place }) => place === "free");

const isRefundOfPurchase = ({ terms, money }: Stamp) => terms?.fixed === null && money.amount === null;

/** Undefined while the worth is unknown. */
function worthOf({ ref, money, terms }: Stamp, view: View): string | undefined {
  if (terms === null) return undefined;
  const known = view.known(ref);
  const [amount, currency] =
    terms.fixed !== null
      ? [terms.fixed, terms.currency ?? money.currency ?? known.currency]
      : money.amount !== null
        ? [money.amount, money.currency ?? terms.currency ?? known.currency]
        : [known.amount, known.currency ?? money.currency ?? terms.currency];
  return amount === null || currency === null ? undefined : `${amount} ${currency}`;
}

const isPaid = (worth: string | undefined): worth is string => worth !== undefined && !worth.startsWith("0 ");

/** The card of one member. */
class Desk {
  readonly #view: View;
  readonly #stamps: Stamp[];
  readonly #prizes: Prize[];
  readonly #lines: string[] = [];
  #threshold: number | null;

  constructor(card: Card, view: View) {
    this.#view = view;
    this.#stamps = card.stamps.map((stamp) => ({ ...stamp }));
    this.#prizes = card.prizes.map((prize) => ({ ...prize }));
    this.#threshold = card.threshold;
  }

  get #terms(): Terms | null {
    return this.#view.termsAt(this.#view.termsIndex) ?? null;
  }

  /** Whether the card has a live stamp or a pending redemption of the transaction. */
  concerns(ref: string): boolean {
    return (
      this.#stamps.some((one) => one.ref === ref && one.place !== "void") ||
      this.#prizes.some((one) => one.ref === ref && one.state === "pending")
    );
  }

  stamp(ref: string, money: Money, carried: Terms | undefined): void {
    const terms = carried ?? this.#terms;
    this.#stamps.push({
      ref,
      money,
      terms: terms && { fixed: terms.fixed, currency: terms.currency },
      place: "free",
    });
    this.#threshold = terms?.threshold ?? null;
    this.#tell("created", this.#stamps.length - 1);
  }

  pay(ref: string): void {
    for (const prize of this.#prizes) {
      if (prize.ref !== ref || prize.state !== "pending") continue;
      const stamp = this.#stampOf(ref);
      if (prize.number !== null && stamp !== undefined && isRefundOfPurchase(stamp)) {
        prize.worth = worthOf(stamp, this.#view) ?? prize.worth;
      }
      this.#settle(prize, "cleared");
      this.#tellCashback(prize);
    }
  }

  takeBack(ref: string): void {
    const at = this.#stamps.findIndex((one) => one.ref === ref && one.place !== "void");
    const place = this.#stamps[at]?.place;
    if (place === undefined) return;
    this.#void(at);
    const prize = typeof place === "number" ? this.#prizes[place - 1] : undefined;
    if (prize === undefined || !this.#isPending(prize)) return;
    this.#settle(prize, "reverted");
    for (const [i, stamp] of this.#stamps.entries()) {
      if (stamp.place !== place) continue;
      stamp.place = "free";
      this.#tell("unredeemed", i);
    }
    this.redeem();
  }

  /** Reports the cashback of a redemption that was made when its worth was unknown. */
  tellLate(ref: string): void {
    for (const prize of this.#prizes) {
      if (prize.ref === ref && prize.state !== "reverted") this.#tellCashback(prize);
    }
  }

  redeem(): void {
    // The purchase of a free stamp may have been refunded already, while the message about it is still under
    // way.
    for (const [i, { ref, place }] of this.#stamps.entries()) {
      if (place === "free" && this.#view.known(ref).state === "reverted") this.#void(i);
    }
    const threshold = this.#threshold;
    if (threshold === null) return;
    for (;;) {
      const row = freeOf(this.#stamps).slice(0, threshold);
      const newest = row[threshold - 1];
      if (newest === undefined || newest.terms === null) return;
      const prize: Prize = { ref: newest.ref, worth: null, number: null, state: "pending" };
      this.#prizes.push(prize);
      for (const stamp of row) stamp.place = this.#prizes.length;
      if (this.#view.known(newest.ref).state === "cleared") prize.state = "cleared";
      this.#tellCashback(prize);
    }
  }

  done(): Step<Card> {
    return {
      after: { stamps: this.#stamps, prizes: this.#prizes, threshold: this.#threshold },
      lines: this.#lines,
    };
  }

  /**
   * A redemption clears without an event if no event announced its cashback; then its purchase tells the
   * state.
   */
  #isPending({ ref, number, state }: Prize): boolean {
    return state === "pending" && (number !== null || this.#view.known(ref).state !== "cleared");
  }

  #stampOf(ref: string): Stamp | undefined {
    return this.#stamps.find((one) => one.ref === ref && one.place !== "void");
  }

  #tellCashback(prize: Prize): void {
    const stamp = this.#stampOf(prize.ref);
    if (prize.number !== null || stamp === undefined) return;
    const worth = worthOf(stamp, this.#view);
    if (!isPaid(worth)) return;
    if (!this.#isPending(prize)) prize.state = "cleared";
    prize.worth = worth;
    prize.number = this.#prizes.filter(({ number }) => number !== null).length + 1;
    this.#lines.push(cashbackLine("created", prize.number, prize.ref, worth));
    if (prize.state === "cleared") this.#lines.push(cashbackLine("cleared", prize.number, prize.ref, worth));
  }

  #void(at: number): void {
    (this.#stamps[at] as Stamp).place = "void";
    this.#tell("voided", at);
  }

  #settle(prize: Prize, state: "cleared" | "reverted"): void {
    prize.state = state;
    const { number, ref, worth } = prize;
    if (number !== null) this.#lines.push(cashbackLine(state, number, ref, worth as string));
  }

  #tell(what: string, at: number): void {
    const counter = freeOf(this.#stamps).length;
    this.#lines.push(`qualifying_purchase.${what} s${at + 1} ${this.#stamps[at]?.ref} ${counter}`);
  }
}
