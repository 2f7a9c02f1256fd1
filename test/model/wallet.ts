/**
 * The wallet as a specification: from all facts to every member's wallet. Written from interface.md and
 * contract.md alone. `OPEN n` marks a question on which they are silent and which this file decides;
 * README.md beside it lists them.
 */
import type { ClipFact, Deal, EnrolmentFact, Fact, PaymentFact, Program, Rules } from "./facts.ts";
import { type Card, type CardStep, playCard, type Redemption } from "./wallet-card.ts";
import {
  type EventFate,
  hasPrefix,
  inForce,
  type Money,
  normal,
  type Paid,
  type Purchase,
  paymentOf,
  purchasesOf,
  type Revision,
  type Route,
  revisionsOf,
  routeOf,
} from "./wallet-purchases.ts";

const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 24 * 60 * MINUTE_MS;

/** A purchase that counts for a card from the fact of that number on. */
export interface Stamping {
  readonly card: EnrolmentFact;
  readonly purchase: Purchase;
  readonly program: Program;
  readonly paid: Paid | undefined;
  readonly since: number;
}

/** A purchase that counts for a clip, and its worth. */
export interface Clipping {
  readonly clip: ClipFact;
  readonly purchase: Purchase;
  readonly amount: number;
  readonly currency: string;
  readonly since: number;
}

export interface Cashback {
  readonly purchase: Purchase;
  /** The clip, or the card of the redemption. */
  readonly source: ClipFact | EnrolmentFact;
  readonly state: "pending" | "cleared" | "reverted";
  readonly amount: number;
  readonly currency: string;
}

export interface Wallet {
  readonly purchases: ReadonlyMap<string, Purchase>;
  readonly fates: ReadonlyMap<number, EventFate>;
  /** All purchases that count, reverted ones too: timing decides whether those ever earned anything. */
  readonly stampings: readonly Stamping[];
  readonly clippings: readonly Clipping[];
  readonly cards: ReadonlyMap<string, Card>;
  /** Without those of undone redemptions: timing decides how many there were. */
  readonly cashbacks: readonly Cashback[];
}

/** The order of the events: stamps made and voided, by `external_id` and stamp collection. */
export type Told = { readonly kind: "stamp" | "void"; readonly ref: string; readonly card: string };

/**
 * @param told the order in which a run made and voided its stamps. Contract and interface do not say in which
 *   order the outcomes of different purchases arrive; everything else follows from the facts. Without it, the
 *   facts give the order.
 */
export function wallet(facts: readonly Fact[], told?: readonly Told[]): Wallet {
  const { purchases, fates } = purchasesOf(facts);
  const { stampings, clippings } = qualifying(facts, [...purchases.values()]);
  const cards = new Map<string, Card>();
  const cashbacks = clipCashbacks(facts, clippings, purchases);
  for (const fact of facts) {
    if (fact.kind !== "enrolment") continue;
    const own = stampings.filter(({ card }) => card.id === fact.id);
    const card = playCard(told === undefined ? stepsByFacts(own) : stepsAsTold(own, told));
    cards.set(fact.id, card);
    cashbacks.push(...card.standing.flatMap((redemption) => redemptionCashback(redemption, fact, own)));
  }
  return { purchases, fates, stampings, clippings, cards, cashbacks };
}

/** Which purchases count for which cards and clips: routing, pairing, links and rules (section 8). */
function qualifying(facts: readonly Fact[], purchases: readonly Purchase[]) {
  const programs = revisionsOf(facts, "program");
  const deals = revisionsOf(facts, "deal");
  const retailers = revisionsOf(facts, "retailer");
  const payments = paymentsOf(facts);
  const stampings: Stamping[] = [];
  const clippings: Clipping[] = [];
  for (const purchase of purchases) {
    const route = routeOf(purchase, retailers);
    if (route === undefined) continue;
    const ways = { purchase, route, payment: paymentOf(purchase, route, payments, purchases) };
    const revisionFor = <R>(revisions: readonly Revision<R>[] = []) => inForce(revisions, purchase.authedAt);
    facts.forEach((fact, number) => {
      if (fact.kind === "enrolment") {
        stampings.push(...stampingOf(fact, number, revisionFor(programs.get(fact.program)), ways));
      } else if (fact.kind === "clip") {
        clippings.push(...clippingOf(fact, number, revisionFor(deals.get(fact.deal)), ways));
      }
    });
  }
  return { stampings, clippings };
}

function stampingOf(card: EnrolmentFact, number: number, program: Program | null, ways: Ways): Stamping[] {
  const counts = program && countsFor(program.rules, card, number, ways);
  return program && counts ? [{ card, purchase: ways.purchase, program, ...counts }] : [];
}

function clippingOf(clip: ClipFact, number: number, deal: Deal | null, ways: Ways): Clipping[] {
  const counts = deal && countsFor(deal.rules, clip, number, ways);
  const worth = deal && counts && clipWorth(deal, ways.purchase, counts.paid);
  return counts && worth ? [{ clip, purchase: ways.purchase, ...worth, since: counts.since }] : [];
}

interface Ways {
  readonly purchase: Purchase;
  readonly route: Route;
  readonly payment: Paid | undefined;
}

/** Whether a purchase counts for an enrolment or a clip; if so, from which fact on, and with which payment. */
function countsFor(rules: Rules, link: EnrolmentFact | ClipFact, number: number, ways: Ways) {
  const { purchase, route } = ways;
  // OPEN 8: `retroactive` too comes from the revision in force when the purchase was authorized.
  if (link.member !== purchase.member || !isLinked(link.at, purchase, rules)) return undefined;
  const paid = needsPayment(rules) ? ways.payment : undefined;
  if (!follows(rules, { purchase, route, paid })) return undefined;
  return { paid, since: Math.max(number, purchase.since, route.since, paid?.since ?? 0) };
}

/** Section 8: `payment_id` is the deduplication key within its retailer: the first payment stands. */
function paymentsOf(facts: readonly Fact[]): { number: number; fact: PaymentFact }[] {
  const first = new Map<string, { number: number; fact: PaymentFact }>();
  facts.forEach((fact, number) => {
    if (fact.kind !== "payment") return;
    const key = JSON.stringify([fact.retailer, fact.payment.payment_id]);
    if (!first.has(key)) first.set(key, { number, fact });
  });
  return [...first.values()];
}

const needsPayment = ({ confirmation }: Rules): boolean => (confirmation ?? "retailer") === "retailer";

/** Section 9: the link was made at most 60 s after the authorization, or, if retroactive, 30 days. */
function isLinked(madeAt: string, { authedAt }: Purchase, { retroactive }: Rules): boolean {
  return Date.parse(madeAt) - authedAt <= (retroactive === true ? MONTH_MS : MINUTE_MS);
}

/**
 * Section 8. Amount, currency and time are the payment's. With `confirmation: none` "routing alone
 * qualifies": amount and currency do not matter, and the time is that of the authorization (OPEN 9: the API
 * reference says so).
 */
function follows(
  rules: Rules,
  { purchase, route, paid }: Omit<Ways, "payment"> & { readonly paid: Paid | undefined },
): boolean {
  if (!rules.merchant_ids.some((id) => normal(id) === purchase.merchantId)) return false;
  const prefix = rules.statement_descriptor;
  if (route.shared && prefix !== undefined && !hasPrefix(route.descriptor, prefix)) return false;
  if (!isWithin(paid?.paidAt ?? purchase.authedAt, rules.paid_after, rules.paid_before)) return false;
  if (!needsPayment(rules)) return true;
  if (paid === undefined || paid.amount < (rules.min_amount ?? 0)) return false;
  return rules.currency === undefined || paid.currency === rules.currency;
}

/** API reference: every period includes its start and excludes its end. */
function isWithin(at: number, from: string | undefined, until: string | undefined): boolean {
  return (from === undefined || at >= Date.parse(from)) && (until === undefined || at < Date.parse(until));
}

/** What a deal is worth. A reward of 0 is no outcome. OPEN 10: half of a minor unit is rounded up (API reference).
 * OPEN 11: the period bounds the payment, as that of the rules does; without one, the authorization. */
function clipWorth(deal: Deal, { authedAt }: Purchase, paid: Paid | undefined) {
  if (!isWithin(paid?.paidAt ?? authedAt, deal.starts_at, deal.ends_at)) return undefined;
  const reward = deal.reward_config;
  // Without a payment the platform knows no amount to take a share of.
  if (reward.type === "percent" && paid === undefined) return undefined;
  const amount = reward.type === "fixed" ? reward.amount : share(paid?.amount ?? 0, reward);
  const currency = reward.type === "fixed" ? reward.currency : (paid?.currency ?? "");
  return amount === 0 ? undefined : { amount, currency };
}

function share(
  amount: number,
  { percent, max_amount }: { percent: number; max_amount?: number | undefined },
): number {
  // Percentages of histories have at most two decimals.
  const rounded = Math.floor((amount * Math.round(percent * 100) + 5_000) / 10_000);
  return Math.min(rounded, max_amount ?? rounded);
}

/** Section 9: an outcome for a reverted transaction is ignored; a stamp that exists is voided. */
function stepsByFacts(stampings: readonly Stamping[]): CardStep[] {
  const steps: { at: number; authedAt: number; step: CardStep }[] = [];
  for (const { purchase, program, since } of stampings) {
    const { authedAt, state, settledBy = Number.POSITIVE_INFINITY } = purchase;
    if (state === "reverted" && since >= settledBy) continue;
    steps.push({ at: since, authedAt, step: { kind: "stamp", stamp: { purchase, program } } });
    if (state === "reverted") steps.push({ at: settledBy, authedAt, step: { kind: "void", purchase } });
  }
  // OPEN 12: stamps that one fact makes count at once are ordered by authorization.
  return steps.sort((a, b) => a.at - b.at || a.authedAt - b.authedAt).map(({ step }) => step);
}

function stepsAsTold(stampings: readonly Stamping[], told: readonly Told[]): CardStep[] {
  return told.flatMap(({ kind, ref, card }): CardStep[] => {
    const own = stampings.find(({ purchase, card: { id } }) => id === card && purchase.ref === ref);
    if (own === undefined) return [];
    return [kind === "stamp" ? { kind, stamp: own } : { kind, purchase: own.purchase }];
  });
}

/** Section 9, "redemption amount". No event comes while amount or currency is unknown. */
function redemptionCashback(
  { stamps }: Redemption,
  source: EnrolmentFact,
  stampings: readonly Stamping[],
): Cashback[] {
  const last = stamps.at(-1) as Redemption["stamps"][number];
  const { purchase, paid } = stampings.find(({ purchase }) => purchase === last.purchase) as Stamping;
  const { reward_config, rules } = last.program;
  const { amount, currency } = worthOf(purchase, paid, rules, reward_config);
  // OPEN 13: a redemption of amount 0 stands and has no cashback; histories have none.
  if (amount === undefined || currency === undefined || amount === 0) return [];
  const state = purchase.state === "cleared" ? "cleared" : "pending";
  return [{ purchase, source, state, amount, currency }];
}

function worthOf(
  { worth }: Purchase,
  paid: Paid | undefined,
  rules: Rules,
  reward: Program["reward_config"],
): Money {
  const own = worth.at(-1) as Money;
  if (reward.type === "fixed-reward") {
    return { amount: reward.amount, currency: rules.currency ?? paid?.currency ?? own.currency };
  }
  // OPEN 14: the settled amount is the retailer's, even if the clearing has another.
  if (paid !== undefined) return paid;
  return { amount: own.amount, currency: own.currency ?? rules.currency };
}

/**
 * Section 9. A clip is open until a purchase redeems it, and again once that purchase is reverted, unless the
 * deal was saved again. The newest purchase that qualifies and has not redeemed the deal uses an open clip.
 * OPEN 15: if a purchase qualified meanwhile, it uses a clip that is open again at once.
 */
function clipCashbacks(
  facts: readonly Fact[],
  clippings: readonly Clipping[],
  purchases: ReadonlyMap<string, Purchase>,
): Cashback[] {
  const used: Clipping[] = [];
  const isReverted = ({ state, settledBy }: Purchase, at: number) =>
    state === "reverted" && (settledBy as number) <= at;
  const clips: ClipFact[] = [];
  facts.forEach((fact, now) => {
    if (fact.kind === "clip") clips.push(fact);
    for (const clip of clips) {
      const isSavedAnew = clips.slice(clips.indexOf(clip) + 1).some((later) => isSameDeal(later, clip));
      const before = used.filter((one) => one.clip === clip);
      if (before.some(({ purchase }) => !isReverted(purchase, now))) continue;
      if (before.length > 0 && isSavedAnew) continue;
      const [next] = clippings
        .filter((one) => one.clip === clip && one.since <= now && !isReverted(one.purchase, now))
        .filter(
          ({ purchase }) => !used.some((one) => one.purchase === purchase && isSameDeal(one.clip, clip)),
        )
        .sort((a, b) => b.purchase.authedAt - a.purchase.authedAt);
      if (next !== undefined) used.push(next);
    }
  });
  return used.map(({ clip, purchase, amount, currency }) => {
    const { state } = purchases.get(purchase.ref) as Purchase;
    return { purchase, source: clip, state: state === "authorized" ? "pending" : state, amount, currency };
  });
}

const isSameDeal = (a: ClipFact, b: ClipFact): boolean => a.deal === b.deal && a.member === b.member;
