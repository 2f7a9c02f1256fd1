import type { Payment } from "#contract/platform";
import { SeededRandom, type Transaction } from "#domain";
import type { Modelled } from "../model.ts";
import { CURRENCY, type DemoRetailer, type Shops } from "./retailers.ts";

/** A purchase that the retailer submits a payment for. */
export interface PaidPurchase {
  readonly externalId: string;
  readonly payment: Payment;
  /** It is reverted in the end. */
  readonly reverted: boolean;
}

/**
 * How the purchases of one card end. All of a card end alike, reversals aside, because the platform and the reward engine
 * work on many things at once: which stamp comes last, and lends its transaction to the redemption, is not known
 * beforehand. Where the order could tell, a card is of a kind in which it cannot:
 *
 * - `open`: every transaction stays authorized, so every redemption waits.
 * - `cleared`: every transaction clears, before its payment or after it; every redemption clears with it.
 * - `reverted_early`: one is reverted somewhere on its way, with a stamp before or never. All together they are too few
 *   for a redemption, so only the stamps of the others are left either way.
 * - `reverted_late`: the others stay authorized, and the one is reverted once everything has come to rest. Then either
 *   all stamps are in redemptions or there is none, so it is known whether the reversal undoes one.
 */
export type Ending = "open" | "cleared" | "reverted_early" | "reverted_late";

/** What one member has of one retailer: an enrolment in its program and perhaps a clip of its deal. */
export interface PlannedCard {
  readonly retailer: DemoRetailer;
  readonly ending: Ending;
  readonly purchases: readonly PaidPurchase[];
  /**
   * Only with at most one purchase, since the first one that counts redeems it; and not on its way to a reversal, which
   * may leave a reverted cashback or none.
   */
  readonly clipped: boolean;
}

export interface PlannedWallet {
  readonly memberId: string;
  readonly ref: string;
  readonly cards: readonly PlannedCard[];
}

export interface RewardPlan {
  readonly wallets: readonly PlannedWallet[];
  /** What each retailer was paid: the purchases of the cards, and some of members who are enrolled nowhere. */
  readonly payments: ReadonlyMap<DemoRetailer, readonly Payment[]>;
  /** Transactions whose reversal, and what follows it, is sent last. */
  readonly heldIds: ReadonlySet<string>;
}

const SEED = 11;
/** Shares of the members. */
const ENROLLED = 0.4;
/** Buy at the retailers as well, and are enrolled nowhere: their payments must come to nothing. */
const STRANGERS = 0.1;
const CLIPPED = 0.5;
/** What a retailer was paid for a purchase whose amount the publisher does not know. */
const UNKNOWN_AMOUNT = 990;
const PAID_WITHIN_SECONDS = 90;

/**
 * Chooses who is enrolled, who has a clip, and which purchases the retailers submit payments for, so that what it all
 * comes to does not depend on what comes first (see `Ending`). The same for the same run.
 */
export function planRewards(
  tag: string,
  memberIds: ReadonlyMap<string, string>,
  modelled: Modelled,
  shops: Shops,
): RewardPlan {
  const random = new SeededRandom(SEED);
  const bought = purchasesByMember(modelled, shops);
  const cashDesk = new CashDesk(tag, random);
  const wallets: PlannedWallet[] = [];
  for (const [ref, memberId] of memberIds) {
    const lot = random.next();
    if (lot >= ENROLLED + STRANGERS) continue;
    const atRetailers = [...shops.keys()].map((retailer) => {
      return { retailer, purchases: bought.get(memberId)?.get(retailer) ?? [] };
    });
    if (lot >= ENROLLED) {
      for (const { retailer, purchases } of atRetailers) cashDesk.pay(retailer, purchases);
      wallets.push({ memberId, ref, cards: [] });
      continue;
    }
    const cards = atRetailers.map(({ retailer, purchases }): PlannedCard => {
      const { ending, picked } = pickPurchases(purchases, retailer.program.threshold, random);
      const mayClip = picked.length <= 1 && ending !== "reverted_early";
      const clipped = mayClip && random.chance(CLIPPED);
      return { retailer, ending, clipped, purchases: cashDesk.pay(retailer, picked) };
    });
    wallets.push({ memberId, ref, cards });
  }
  const late = wallets.flatMap(({ cards }) => cards.filter(({ ending }) => ending === "reverted_late"));
  const reverted = late.flatMap(({ purchases }) => purchases.filter((purchase) => purchase.reverted));
  const heldIds = new Set(reverted.map(({ externalId }) => externalId));
  return { wallets, payments: cashDesk.payments, heldIds };
}

/** In the order in which they were made. */
function purchasesByMember({ outcomes, transactions }: Modelled, shops: Shops) {
  const retailerOf = new Map([...shops].flatMap(([retailer, ids]) => ids.map((id) => [id, retailer])));
  const members = new Map<string, Map<DemoRetailer, Purchase[]>>();
  for (const [event, outcome] of outcomes) {
    const retailer = retailerOf.get(event.merchant_id);
    const transaction = transactions.get(event.external_id);
    if (outcome !== "created" || retailer === undefined || transaction === undefined) continue;
    const member = members.get(event.member_id) ?? new Map<DemoRetailer, Purchase[]>();
    const purchases = member.get(retailer) ?? [];
    const authorizedFirst = event.cleared_at === undefined && event.reverted_at === undefined;
    purchases.push({ externalId: event.external_id, transaction, authorizedFirst });
    members.set(event.member_id, member.set(retailer, purchases));
  }
  return members;
}

/** Writes what the retailers were paid. They know the identifiers by the same hash (contract, section 7), no card data. */
class CashDesk {
  readonly payments = new Map<DemoRetailer, Payment[]>();
  readonly #tag: string;
  readonly #random: SeededRandom;

  constructor(tag: string, random: SeededRandom) {
    this.#tag = tag;
    this.#random = random;
  }

  pay(retailer: DemoRetailer, purchases: readonly Purchase[]): PaidPurchase[] {
    const paid = this.payments.get(retailer) ?? [];
    this.payments.set(retailer, paid);
    return purchases.map(({ externalId, transaction }) => {
      const { identifier6, identifier8, amount, authedAt, state } = transaction;
      const afterMs = 1000 * this.#random.between(0, PAID_WITHIN_SECONDS);
      const payment: Payment = {
        payment_id: `${this.#tag}-${paid.length + 1}`,
        identifiers: [identifier6, ...(identifier8 === null ? [] : [identifier8])],
        amount: amount ?? UNKNOWN_AMOUNT,
        currency: CURRENCY,
        paid_at: new Date(Date.parse(authedAt) + afterMs).toISOString(),
      };
      paid.push(payment);
      return { externalId, payment, reverted: state === "reverted" };
    });
  }
}

/** A transaction of a member at a retailer, as it is in the end. */
interface Purchase {
  readonly externalId: string;
  readonly transaction: Transaction;
  /** It was new as an authorization, neither cleared nor reverted yet. */
  readonly authorizedFirst: boolean;
}

/** Of the cards that can end so: purchases that are reverted are few. */
const REVERTED_LATE = 0.8;

interface Choice {
  readonly ending: Ending;
  readonly picked: readonly Purchase[];
}

/** Of a member's purchases at a retailer those that are paid for; the rest has no payment and must not count. */
function pickPurchases(purchases: readonly Purchase[], threshold: number, random: SeededRandom): Choice {
  const of = (state: Transaction["state"]) =>
    purchases.filter(({ transaction }) => transaction.state === state);
  const [open, cleared, reverted] = [of("authorized"), of("cleared"), of("reverted")];
  const revertedLate = reverted.find(({ authorizedFirst }) => authorizedFirst);
  if (revertedLate !== undefined && random.chance(REVERTED_LATE)) {
    const others = open.slice(0, besideOneReverted(open.length, threshold));
    return { ending: "reverted_late", picked: [...others, revertedLate] };
  }
  const choices: Choice[] = [{ ending: "open", picked: open }];
  if (cleared.length > 0) choices.push({ ending: "cleared", picked: cleared });
  if (reverted.length > 0) {
    const others = open.slice(0, Math.max(0, threshold - 2));
    choices.push({ ending: "reverted_early", picked: [...others, ...reverted.slice(0, 1)] });
  }
  return random.pick(choices);
}

/** As many as make full cards with one more, or, where that takes more than there are, too few for one. */
function besideOneReverted(available: number, threshold: number): number {
  const all = available + 1;
  return all < threshold ? available : all - (all % threshold) - 1;
}

/** What a card and its clip have come to: what the model says, or what was read. */
export interface CardCount {
  /** Live stamps that no redemption holds. */
  readonly unredeemed: number;
  /** Those that stand. */
  readonly redemptions: number;
  /** Cashbacks in each state. */
  readonly pending: number;
  readonly cleared: number;
  readonly reverted: number;
  readonly clipsRedeemed: number;
}

/**
 * The demo's own count of a card, by arithmetic alone: no stamp is made and none is put in line. That it is right in
 * whichever order things happen is what the kinds of cards are chosen for (see `Ending`).
 * @param beforeReversals as it is before the reversals that are sent last
 */
export function countCard(
  { retailer, ending, purchases, clipped }: PlannedCard,
  beforeReversals: boolean,
): CardCount {
  const { threshold } = retailer.program;
  const isUndone = ending === "reverted_late" && !beforeReversals;
  const standing = ending === "reverted_late" && beforeReversals ? purchases : purchases.filter(isKept);
  const redemptions = Math.floor(standing.length / threshold);
  const undone = isUndone ? Math.floor(purchases.length / threshold) - redemptions : 0;
  const clipUsed = clipped
    ? purchases.filter(({ payment }) => payment.amount >= retailer.deal.minAmount).length
    : 0;
  // A clip whose purchase is reverted is open again.
  const clipReverted = isUndone ? clipUsed : 0;
  const clipsRedeemed = clipUsed - clipReverted;
  const waiting = redemptions + clipsRedeemed;
  return {
    unredeemed: standing.length % threshold,
    redemptions,
    pending: ending === "cleared" ? 0 : waiting,
    cleared: ending === "cleared" ? waiting : 0,
    reverted: undone + clipReverted,
    clipsRedeemed,
  };
}

/** What a cashback for this purchase has to be: of the card's program, or of its deal. */
export function worthOf(card: PlannedCard, source: "program" | "deal", { payment }: PaidPurchase): number {
  const { program, deal } = card.retailer;
  if (source === "program") return program.reward.type === "refund" ? payment.amount : program.reward.amount;
  if (deal.reward.type === "fixed") return deal.reward.amount;
  // Percentages of the demo are whole, so half a minor unit is 50 hundredths of one.
  const share = Math.floor((payment.amount * deal.reward.percent + 50) / 100);
  return Math.min(share, deal.reward.max_amount ?? share);
}

const isKept = ({ reverted }: PaidPurchase): boolean => !reverted;
