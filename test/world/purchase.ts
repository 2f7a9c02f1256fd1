import type { TransactionEvent } from "#contract";
import type { SeededRandom } from "#domain";
import { identifier } from "./lifecycle.ts";
import { CURRENCY, MERCHANTS, PROGRAMS, type Shopper } from "./offers.ts";

/** The payment, as the retailer's till knows it. */
export interface Payment {
  /** before: reported while the authorization is on its way; late: after all events of the purchase. */
  readonly when: "before" | "after" | "late" | "never";
  readonly amount: number;
  readonly paidAt: string;
  readonly identifiers: readonly string[];
  /** Whether the till reports it twice, under two ids. */
  readonly isDoubled: boolean;
  /** By `Date.now`, of the first attempt; undefined until then. */
  firstSentAt: number | undefined;
}

/** A purchase and all its events, each in a later request than the one before it, or in the same. */
export interface Purchase {
  readonly externalId: string;
  readonly merchant: string;
  /** By `Date.now`. */
  readonly authedAt: number;
  /** Undefined: its merchant has no retailer, or it has no member. */
  readonly shopper: Shopper | undefined;
  readonly payment: Payment | undefined;
  readonly events: TransactionEvent[];
}

export interface PurchaseOptions {
  readonly externalId: string;
  readonly number: number;
  readonly memberId: string;
  readonly shopper: Shopper | undefined;
  /** A member to whom some events of this purchase wrongly belong. */
  readonly otherMemberId: string;
}

/** Merchants at which the settled amount of a purchase is refunded. */
const SETTLING: ReadonlySet<string> = new Set(
  PROGRAMS.filter(({ reward, confirmation }) => reward === "refund" && confirmation === "none").flatMap(
    ({ merchants }) => merchants,
  ),
);
const NETWORKS = ["visa", "mastercard", "amex", "other"] as const;

/** Amounts differ from event to event, so that the stored one shows which event was taken. */
export function makePurchase(random: SeededRandom, options: PurchaseOptions): Purchase {
  const { externalId, number, memberId, shopper } = options;
  const now = Date.now();
  const merchant = shopper === undefined ? `MID-${random.between(1, 50)}` : random.pick(MERCHANTS);
  const first: TransactionEvent = {
    member_id: memberId,
    external_id: externalId,
    auth_code: `A${number}`,
    network: random.pick(NETWORKS),
    bin: random.pick(["411111", "54545454"]),
    merchant_id: merchant,
    ...(random.chance(0.4) && { statement_descriptor: `SHOP ${number}` }),
    // A refund of an unknown amount has no event: nothing would show that the card is full.
    ...((random.chance(0.9) || SETTLING.has(merchant)) && money(random)),
    authed_at: new Date(now).toISOString(),
  };
  const events: TransactionEvent[] = [];
  if (!random.chance(0.1)) {
    events.push(first);
    if (random.chance(0.12)) events.push(random.chance(0.5) ? { ...first, ...money(random) } : first);
    // Behind the first event, which decides whose purchase it is.
    if (random.chance(0.02)) events.push({ ...first, auth_code: `X${number}` });
    if (random.chance(0.02)) events.push({ ...first, member_id: options.otherMemberId });
  }
  events.push(...endingOf(random, first, now));
  if (events.length === 0) events.push(first);
  const payment = shopper === undefined ? undefined : makePayment(random, first, now);
  return { externalId, merchant, authedAt: now, shopper, payment, events };
}

/**
 * The end of a purchase, if it has one: settled once, repeated, and sometimes settled in the other way, too
 * late.
 */
function endingOf(random: SeededRandom, first: TransactionEvent, now: number): TransactionEvent[] {
  // Each event has its own date, which also shows which of several clearings was taken.
  const at = (i: number) => new Date(now + 1_000 * i).toISOString();
  const clear = (i: number) => ({ ...first, ...money(random), cleared_at: at(i) });
  const revert = (i: number) => ({ ...first, ...money(random), reverted_at: at(i) });
  const fate = random.next();
  if (fate >= 0.75) return [];
  const isCleared = fate < 0.45;
  const [settle, contradict] = isCleared ? [clear, revert] : [revert, clear];
  const events: TransactionEvent[] = [settle(1)];
  for (let i = 2; random.chance(0.4) && i < 5; i++) events.push(settle(i));
  if (random.chance(0.12)) events.push(contradict(9));
  if (random.chance(0.08)) events.push({ ...first, ...money(random) });
  return events;
}

const money = (random: SeededRandom) => ({ amount: random.between(100, 100_000), currency: CURRENCY });

function makePayment(random: SeededRandom, first: TransactionEvent, now: number): Payment {
  const isLong = first.bin.length === 8 && random.chance(0.5);
  const draw = random.next();
  return {
    when: draw < 0.4 ? "before" : draw < 0.85 ? "after" : draw < 0.95 ? "late" : "never",
    // Some amounts are below the roastery's minimum.
    amount: random.chance(0.07) ? random.between(1, 299) : random.between(300, 20_000),
    paidAt: new Date(now + random.between(-60_000, 60_000)).toISOString(),
    identifiers: [identifier(first, 6), ...(isLong ? [identifier(first, 8)] : [])],
    isDoubled: random.chance(0.05),
    firstSentAt: undefined,
  };
}
