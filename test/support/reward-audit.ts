import type { WebhookEvent } from "#contract";

export type Fate = "authorized" | "cleared" | "reverted";

export type CashbackEvent = Extract<WebhookEvent, { readonly cashback_id: string }>;
export type RewardEvent = CashbackEvent | Extract<WebhookEvent, { readonly qualifying_purchase_id: string }>;

/** The state of a cashback. */
interface Prize {
  readonly ref: string;
  amount: number;
  state: "pending" | "cleared" | "reverted";
}

interface Stamp {
  readonly ref: string;
  /** Otherwise the id of the redemption that holds it. */
  place: "free" | "void" | string;
}

export interface CardTerms {
  readonly threshold: number;
  /**
   * The reward of a full card; it may depend on the purchase that completes it. If there are several, any of
   * them may come.
   */
  readonly amount: number | ((ref: string) => number | readonly number[] | undefined);
  /** The reward once that purchase has cleared, if the amount may then differ. */
  readonly settled?: ((ref: string) => number | undefined) | undefined;
}

/**
 * Follows the events of one stamp collection whose threshold never changes, and checks for each whether it
 * may come at its place (contract, section 9). It shares no code with the rules of the domain.
 */
export class CardAudit {
  readonly problems: string[] = [];
  readonly #terms: CardTerms;
  readonly #stamps: Stamp[] = [];
  readonly #prizes = new Map<string, Prize>();
  /** The events that must come next, since one change makes several. */
  #due: string[] = [];

  constructor(terms: CardTerms) {
    this.#terms = terms;
  }

  /** @param fates the final state of each transaction, by its ref */
  take(event: RewardEvent, fates: ReadonlyMap<string, Fate>): void {
    const { transaction_ref: ref, type } = event;
    const about = "source" in event ? redemptionOf(event) : ref;
    const due = this.#due.shift();
    if (due !== undefined && due !== `${type} ${about}`) this.#fault(event, `${due} was due`);
    switch (type) {
      case "qualifying_purchase.created":
        if (this.#free.length >= this.#terms.threshold) this.#fault(event, "a redemption was due");
        if (this.#find(ref) !== undefined) this.#fault(event, "it has its stamp");
        this.#stamps.push({ ref, place: "free" });
        break;
      case "qualifying_purchase.voided":
        if (fates.get(ref) !== "reverted") this.#fault(event, "it is not reverted");
        this.#void(event);
        break;
      case "qualifying_purchase.unredeemed":
        this.#put(event, "free");
        break;
      case "cashback.created":
        this.#redeem(event);
        break;
      case "cashback.cleared":
        if (fates.get(ref) !== "cleared") this.#fault(event, "it is not cleared");
        this.#settle(event, "cleared");
        break;
      case "cashback.reverted":
        if (due === undefined) this.#fault(event, "none of its stamps was voided");
        this.#settle(event, "reverted");
        this.#due = this.#stamps
          .filter(({ place }) => place === about)
          .map((stamp) => `qualifying_purchase.unredeemed ${stamp.ref}`);
    }
    if ("unredeemed_purchases" in event && event.unredeemed_purchases !== this.#free.length) {
      this.#fault(event, `the counter is ${this.#free.length}`);
    }
  }

  /** Call it when everything has arrived. */
  finish(sent: Iterable<string>, fates: ReadonlyMap<string, Fate>): void {
    if (this.#due.length > 0) this.problems.push(`${this.#due[0]} never came`);
    if (this.#free.length >= this.#terms.threshold) this.problems.push("a redemption never came");
    for (const ref of sent) {
      const place = this.#find(ref)?.place;
      const isReverted = fates.get(ref) === "reverted";
      if (isReverted && place !== undefined && place !== "void") this.problems.push(`${ref} is not voided`);
      if (!isReverted && (place === undefined || place === "void")) this.problems.push(`${ref} has no stamp`);
    }
    for (const { ref, state } of this.#prizes.values()) {
      const isOver = fates.get(ref) === "authorized" ? state === "cleared" : state === "pending";
      if (isOver) this.problems.push(`the cashback of ${ref} is ${state}`);
    }
  }

  /** The rows that the database must have, a line each, in no order. */
  show(): string[] {
    const stamps = this.#stamps.map(({ ref, place }) => `${ref} ${place}`);
    const prizes = [...this.#prizes].map(([id, prize]) => `${id} ${showPrize(prize)}`);
    return [`counter ${this.#free.length}`, ...stamps, ...prizes];
  }

  get #free(): Stamp[] {
    return this.#stamps.filter(({ place }) => place === "free");
  }

  #find(ref: string): Stamp | undefined {
    return this.#stamps.find((stamp) => stamp.ref === ref);
  }

  #void(event: RewardEvent): void {
    const place = this.#put(event, "void");
    if (place === undefined || place === "free") return;
    if (place === "void") this.#fault(event, "it was void");
    else if (this.#prizes.get(place)?.state === "pending") this.#due = [`cashback.reverted ${place}`];
  }

  #put(event: RewardEvent, place: Stamp["place"]): Stamp["place"] | undefined {
    const stamp = this.#find(event.transaction_ref);
    if (stamp === undefined) {
      this.#fault(event, "it has no stamp");
      return undefined;
    }
    const before = stamp.place;
    stamp.place = place;
    return before;
  }

  #redeem(event: CashbackEvent): void {
    const { threshold, amount } = this.#terms;
    const oldest = this.#free.slice(0, threshold);
    const id = redemptionOf(event);
    if (oldest.length < threshold) this.#fault(event, `there are ${oldest.length} stamps`);
    if (oldest.at(-1)?.ref !== event.transaction_ref) this.#fault(event, "it is not the newest of them");
    const due = [typeof amount === "number" ? amount : amount(event.transaction_ref)].flat();
    if (!due.includes(event.amount) || this.#prizes.has(id)) {
      this.#fault(event, `${due.join(" or ")} once is due`);
    }
    for (const stamp of oldest) stamp.place = id;
    this.#prizes.set(id, { ref: event.transaction_ref, amount: event.amount, state: "pending" });
  }

  #settle(event: CashbackEvent, state: "cleared" | "reverted"): void {
    const prize = this.#prizes.get(redemptionOf(event));
    if (prize?.state !== "pending") {
      this.#fault(event, `it was ${prize?.state}`);
      return;
    }
    prize.state = state;
    const due = state === "cleared" ? this.#terms.settled?.(event.transaction_ref) : prize.amount;
    if (event.amount !== (due ?? prize.amount)) this.#fault(event, `${due ?? prize.amount} was due`);
    prize.amount = event.amount;
  }

  #fault(event: RewardEvent, why: string): void {
    this.problems.push(`${event.type} of ${event.transaction_ref} as ${event.event_id}: ${why}`);
  }
}

/**
 * The same for a clip: one purchase at a time redeems it, none twice, and it opens again if that one is
 * reverted.
 */
export class ClipAudit {
  readonly problems: string[] = [];
  /** The purchases in the order in which they redeemed it. Each redeems it at most once. */
  readonly #prizes = new Map<string, Prize>();

  /** @param offered the amount for which each transaction would redeem it */
  take(event: CashbackEvent, offered: ReadonlyMap<string, number>, fates: ReadonlyMap<string, Fate>): void {
    const { transaction_ref: ref, type, amount } = event;
    const prize = this.#newest;
    const wrong = (why: string) => this.problems.push(`${type} of ${ref}: ${why}`);
    if (amount !== offered.get(ref)) wrong(`${offered.get(ref)} was offered`);
    if (type === "cashback.created") {
      if (prize !== undefined && prize.state !== "reverted") wrong(`it was redeemed by ${prize.ref}`);
      if (this.#prizes.has(ref)) wrong("it had redeemed it before");
      this.#prizes.set(ref, { ref, amount, state: "pending" });
      return;
    }
    const state = type === "cashback.cleared" ? "cleared" : "reverted";
    if (prize?.ref !== ref || prize.state !== "pending") wrong("it does not wait for that");
    else prize.state = state;
    if (fates.get(ref) !== state) wrong(`it is ${fates.get(ref)}`);
  }

  finish(offered: ReadonlyMap<string, number>, fates: ReadonlyMap<string, Fate>): void {
    const prize = this.#newest;
    if (prize === undefined || prize.state === "reverted") {
      const buyer = [...offered.keys()].find((ref) => fates.get(ref) !== "reverted");
      if (buyer !== undefined) this.problems.push(`${buyer} did not redeem it`);
    }
    if (prize === undefined) return;
    if (prize.state !== (fates.get(prize.ref) === "authorized" ? "pending" : fates.get(prize.ref))) {
      this.problems.push(`the cashback of ${prize.ref} is ${prize.state}`);
    }
  }

  show(): string[] {
    return [...this.#prizes.values()].map(showPrize);
  }

  get #newest(): Prize | undefined {
    return [...this.#prizes.values()].at(-1);
  }
}

const showPrize = ({ ref, amount, state }: Prize) => `${ref} ${amount} ${state}`;

function redemptionOf({ source }: CashbackEvent): string {
  return source.type === "clip" ? source.clip_id : source.redemption_id;
}
