import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { TransactionEvent } from "#contract";
import { encodeId, SeededRandom } from "#domain";
import type { Book } from "./book.ts";
import type { Caller } from "./caller.ts";
import { LaneShoppers } from "./lane-shoppers.ts";
import { makePurchase, type Purchase } from "./purchase.ts";
import { type Sending, send } from "./send.ts";
import type { Shopping } from "./shopping.ts";

export interface LaneOptions {
  readonly number: number;
  readonly seed: number;
  readonly pace: Pace;
  readonly caller: Caller;
  readonly book: Book;
  /** Members without cards. */
  readonly members: readonly string[];
  /** Undefined: nobody shops, and all purchases are of these members. */
  readonly shopping: Shopping | undefined;
  /** Events of one request, at most. */
  readonly eventsMax: number | undefined;
  /** Whether faults can have made NATS forget messages that it has delivered. */
  readonly touchesNats: (from: number, until: number) => boolean;
  readonly isOver: () => boolean;
}

/** How often a deal is saved again; most attempts are refused, since the clip is open. */
const SAVING_SHARE = 0.25;
const OPEN_LEAST = 10;
const OPEN_MAX = 120;
/** The share of requests that ask for 202; the audit asks for the outcome of each later. */
const ASYNC = 0.5;
/** The share of the others that ask for the result of each event. */
const DETAILED = 0.5;
const PAY_WITHIN_MS = 3_000;
const PAUSE_MS = 3_000;
/** Sizes of requests: the share, and the least and the largest number of events. */
const SIZES = [
  [0.6, 1, 1],
  [0.29, 2, 10],
  [0.1, 11, 60],
  [0.008, 61, 400],
  // More events than one message of the stream holds.
  [0.002, 1_050, 1_400],
] as const;

/** The pace of all lanes together. */
export class Pace {
  readonly #rate: number;
  #dueAt = Date.now();

  /** @param rate events a second */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Resolves when the next request may be sent after one of this many events. */
  async after(events: number): Promise<void> {
    const now = Date.now();
    // The lanes do not catch up after an outage, and a long request does not stop all lanes for long.
    this.#dueAt = Math.min(
      Math.max(this.#dueAt, now - 1_000) + (events / this.#rate) * 1_000,
      now + PAUSE_MS,
    );
    if (this.#dueAt > now) await delay(this.#dueAt - now);
  }
}

/** One integrator: one request after the other, each repeated until it is answered. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #random: SeededRandom;
  /** Purchases that have events left to send. */
  readonly #open: Purchase[] = [];
  /** Purchases of the last request: immediate successors show whether order is kept. */
  #recent: Purchase[] = [];
  readonly #shoppers: LaneShoppers | undefined;
  #made = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { seed, number, shopping, caller, book } = options;
    this.#random = new SeededRandom(seed * 1_000 + number);
    if (shopping !== undefined) {
      const name = `shopper ${seed}-${number}`;
      this.#shoppers = new LaneShoppers({ shopping, caller, book, random: this.#random, name });
    }
  }

  /** Resolves when the time is over and every request is answered. Rejects when abandoned. */
  async run(): Promise<void> {
    const { isOver, pace } = this.#options;
    await this.#shoppers?.refresh();
    while (!isOver()) {
      await this.#shoppers?.refresh();
      await pace.after(await this.#step());
    }
  }

  /** @returns how many events were sent */
  async #step(): Promise<number> {
    const random = this.#random;
    const draw = random.next();
    const size = this.#pickSize();
    if (draw < 0.01) return this.#malformed(size);
    if (draw < 0.04) return this.#tentative(size);
    if (random.chance(SAVING_SHARE)) await this.#shoppers?.saveAgain();
    return this.#usual(size);
  }

  async #usual(size: number): Promise<number> {
    const random = this.#random;
    // However short the run, some rejections must be told by webhooks.
    const isFirst = this.#recent.length === 0;
    const taken = this.#take(size);
    const events: TransactionEvent[] = [];
    // The second event of a purchase comes behind all others: in a long request, in another message.
    const seconds: TransactionEvent[] = [];
    for (const purchase of taken) {
      events.push(purchase.events.shift() as TransactionEvent);
      const second = random.chance(0.12) ? purchase.events.shift() : undefined;
      if (second !== undefined) seconds.push(second);
    }
    if (isFirst || random.chance(0.02)) events.push(this.#makeUnknownMember());
    const all = [...events, ...seconds];
    await this.#send(all, isFirst || random.chance(ASYNC), "until answered");
    this.#recent = [...taken].slice(-20);
    for (const purchase of taken) this.#follow(purchase);
    return all.length;
  }

  /** The purchases of the next request. */
  #take(size: number): Set<Purchase> {
    const random = this.#random;
    const taken = new Set<Purchase>();
    const follow = random.chance(0.35) ? this.#recent.filter(({ events }) => events.length > 0) : [];
    for (const purchase of follow.slice(0, size)) taken.add(purchase);
    while (taken.size < size) {
      const isFull = this.#open.length >= Math.max(OPEN_MAX, size);
      const isNew = this.#open.length < OPEN_LEAST || (!isFull && random.chance(0.45));
      const purchase = isNew ? this.#makePurchase() : random.pick(this.#open);
      if (!isNew && taken.has(purchase) && taken.size >= this.#open.length) break;
      if (isNew) this.#begin(purchase);
      taken.add(purchase);
    }
    return taken;
  }

  #begin(purchase: Purchase): void {
    this.#open.push(purchase);
    const { shopping } = this.#options;
    if (purchase.shopper !== undefined) shopping?.purchases.push(purchase);
    if (purchase.payment?.when === "before") shopping?.till.pay(purchase, this.#random.between(0, 300));
  }

  /** Does what the answer allows: reports the payment, and drops a purchase without events left. */
  #follow(purchase: Purchase): void {
    const { payment, events } = purchase;
    const isFirst = payment !== undefined && payment.firstSentAt === undefined;
    const pays = payment?.when === "after" || (payment?.when === "late" && events.length === 0);
    if (isFirst && pays) {
      payment.firstSentAt = Number.POSITIVE_INFINITY; // set again when the payment is sent
      this.#options.shopping?.till.pay(purchase, this.#random.between(0, PAY_WITHIN_MS));
    }
    if (events.length === 0) this.#open.splice(this.#open.indexOf(purchase), 1);
  }

  /** New purchases; the lane gives up if the first answer is a refusal. */
  async #tentative(size: number): Promise<number> {
    const purchases = Array.from({ length: Math.min(size, 60) }, () => this.#makePurchase({ isBare: true }));
    const events = purchases.map((purchase) => purchase.events[0] as TransactionEvent);
    await this.#send(events, this.#random.chance(ASYNC), "unless refused");
    return events.length;
  }

  /** One of the events is wrong, so that all are refused. */
  async #malformed(size: number): Promise<number> {
    const events = Array.from({ length: Math.min(size, 60) }, () => {
      return this.#makePurchase({ isBare: true }).events[0] as TransactionEvent;
    });
    const at = this.#random.between(0, events.length - 1);
    events[at] = { ...(events[at] as TransactionEvent), amount: -1 };
    await this.#send(events, false, "malformed");
    return events.length;
  }

  #makePurchase({ isBare = false } = {}): Purchase {
    const random = this.#random;
    const { seed, number: lane, members } = this.#options;
    const number = this.#made++;
    // Sorted by time, as integrators should do, except for a few.
    const order = random.chance(0.03) ? random.text("0123456789", 7) : String(number).padStart(7, "0");
    const externalId = `s${seed}-${order}-${lane}-${number}`;
    const memberId = random.pick(members);
    const shopper = !isBare && random.chance(0.3) ? this.#shoppers?.next() : undefined;
    return makePurchase(random, {
      externalId,
      number: lane * 10_000_000 + number,
      memberId: shopper?.memberId ?? memberId,
      shopper,
      otherMemberId: members.find((id) => id !== memberId) as string,
    });
  }

  #makeUnknownMember(): TransactionEvent {
    const { events } = this.#makePurchase({ isBare: true });
    // Dated 1970: a replay would take a recent id for a member that the restored database lacks.
    const memberId = randomUUID().replace(/^.{8}-.{4}/, "00000000-0000");
    return { ...(events[0] as TransactionEvent), member_id: encodeId("m", memberId) };
  }

  #send(events: readonly TransactionEvent[], isAsync: boolean, how: Sending["how"]): Promise<void> {
    const { caller, book, touchesNats } = this.#options;
    const isDetailed = !isAsync && this.#random.chance(DETAILED);
    const prefer = isAsync ? "respond-async" : isDetailed ? "return=representation" : undefined;
    return send({ caller, book, events, prefer, how, touchesNats });
  }

  #pickSize(): number {
    let draw = this.#random.next();
    const most = this.#options.eventsMax ?? Number.POSITIVE_INFINITY;
    for (const [share, least, largest] of SIZES) {
      if (draw < share) return Math.min(this.#random.between(least, largest), most);
      draw -= share;
    }
    return 1;
  }
}
