import { CardAudit, type CashbackEvent, ClipAudit, type Fate, type RewardEvent } from "#test-support";
import type { Book } from "./book.ts";
import type { Caller } from "./caller.ts";
import { inParallel } from "./in-parallel.ts";
import { CURRENCY, DEALS, type DealTerms, PROGRAMS, type ProgramTerms, type Shopper } from "./offers.ts";
import type { Problem } from "./problem.ts";
import type { Purchase } from "./purchase.ts";
import type { Reviser } from "./reviser.ts";
import { type KnownPurchase, settlementFaults } from "./settlement-order.ts";

const UNCONFIRMED: ReadonlySet<string> = new Set(
  PROGRAMS.filter(({ confirmation }) => confirmation === "none").flatMap(({ merchants }) => merchants),
);

/** A clip counts for purchases authorized at most this long before it was made (contract, section 9). */
const GRACE_MS = 60_000;

export interface RewardLedgerOptions {
  readonly book: Book;
  readonly reviser: Reviser;
  readonly shoppers: readonly Shopper[];
  readonly purchases: readonly Purchase[];
  /** All reward events, in the order of their numbers. */
  readonly events: readonly RewardEvent[];
}

/** A card or a clip with all its purchases and all its events. */
interface Account {
  readonly id: string;
  readonly name: string;
  readonly shopper: Shopper;
  readonly purchases: readonly Purchase[];
  readonly events: RewardEvent[];
}

/**
 * Sections 8 and 9 of the contract: derives from the payments and the answers which stamps, redemptions and
 * cashbacks must exist, and compares them with their events and with the wallet.
 */
export class RewardLedger {
  readonly #options: RewardLedgerOptions;
  readonly #known = new Map<string, KnownPurchase>();
  readonly #fates = new Map<string, Fate>();
  /** By member, the cashbacks that the wallet must show; and by card, the counters. */
  readonly #cashbacks = new Map<string, string[]>();
  readonly #counters = new Map<string, number>();
  readonly #problems: Problem[] = [];

  constructor(options: RewardLedgerOptions) {
    this.#options = options;
    for (const { externalId, merchant, payment } of options.purchases) {
      const entry = options.book.entries.get(externalId);
      if (entry?.expected === undefined) continue;
      const fate = entry.expected.state;
      const sentAt = entry.requests[0]?.attempts[0]?.from ?? 0;
      // If no payment is required, the purchase alone earns.
      const isConfirmed = !UNCONFIRMED.has(merchant);
      const paidAt = isConfirmed ? (payment?.firstSentAt ?? 0) : 0;
      this.#fates.set(externalId, fate);
      this.#known.set(externalId, { fate, settled: entry.settled, earliestStamp: Math.max(sentAt, paidAt) });
    }
  }

  judge(): Problem[] {
    const accounts = this.#makeAccounts();
    for (const event of this.#options.events) {
      const about = "source" in event ? event.source : event;
      const id = "clip_id" in about ? about.clip_id : about.stamp_collection_id;
      const account = accounts.get(id);
      if (account === undefined)
        this.#fault("reward", `${event.type} of ${id}, which belongs to no shopper`, []);
      else account.events.push(event);
    }
    for (const account of accounts.values()) {
      const i = account.shopper.cards.indexOf(account.id);
      if (i >= 0) this.#judgeCard(account, i);
    }
    for (const { clips } of this.#options.shoppers) {
      for (const [i, saved] of clips.entries()) this.#judgeDeal(saved, accounts, DEALS[i] as DealTerms);
    }
    return this.#problems;
  }

  /** Compares the wallet with the same result. Call it after `judge`. */
  async compareWallets(caller: Caller): Promise<Problem[]> {
    const problems: Problem[] = [];
    const there = this.#options.shoppers.filter(({ isGone }) => !isGone);
    await inParallel(there, 8, async ({ memberId }) => {
      const list = async (route: string) => {
        const answer = await caller.until("publisher", route, { member_id: memberId });
        return answer.body.data as Record<string, string | number>[];
      };
      for (const { id, unredeemed_purchases } of await list("wallet.stamp-collection/list")) {
        const counter = this.#counters.get(`${id}`);
        if (unredeemed_purchases === counter) continue;
        problems.push({
          kind: "wallet",
          text: `${id} shows ${unredeemed_purchases}, not ${counter}`,
          refs: [],
        });
      }
      const shown = (await list("wallet.cashback/list")).map(
        ({ transaction_ref, amount, currency, state }) => {
          return `${transaction_ref} ${amount} ${currency} ${state}`;
        },
      );
      const expected = this.#cashbacks.get(memberId) ?? [];
      if (shown.sort().join("\n") === expected.sort().join("\n")) return;
      const text = `cashbacks of ${memberId} are\n    ${shown.join("\n    ")}\n  not\n    ${expected.join("\n    ")}`;
      problems.push({ kind: "wallet", text, refs: [] });
    });
    return problems;
  }

  #makeAccounts(): Map<string, Account> {
    const accounts = new Map<string, Account>();
    const bought = new Map<Shopper, Purchase[]>();
    for (const purchase of this.#options.purchases) {
      const shopper = purchase.shopper as Shopper;
      bought.set(shopper, [...(bought.get(shopper) ?? []), purchase]);
    }
    for (const shopper of this.#options.shoppers) {
      const all = bought.get(shopper) ?? [];
      const add = (id: string | undefined, { name, merchants }: ProgramTerms | DealTerms) => {
        const purchases = all.filter(({ merchant }) => merchants.includes(merchant));
        accounts.set(id as string, { id: id as string, name, shopper, purchases, events: [] });
      };
      for (const [i, terms] of PROGRAMS.entries()) add(shopper.cards[i], terms);
      for (const [i, terms] of DEALS.entries()) for (const { id } of shopper.clips[i] ?? []) add(id, terms);
    }
    return accounts;
  }

  #judgeCard({ id, name, shopper, purchases, events }: Account, program: number): void {
    const { threshold, reward, minAmount, confirmation } = PROGRAMS[program] as ProgramTerms;
    const earning = purchases.filter((purchase) => {
      return this.#fates.has(purchase.externalId) && (confirmation === "none" || isPaid(purchase, minAmount));
    });
    const earned = new Map(earning.map((purchase) => [purchase.externalId, purchase]));
    const isSettled = reward === "refund" && confirmation === "none";
    const amount = (ref: string) => {
      if (reward !== "refund") {
        return this.#options.reviser.rewardsAt(program, earned.get(ref)?.authedAt ?? 0);
      }
      return isSettled ? this.#amountsSaid(ref) : earned.get(ref)?.payment?.amount;
    };
    const settled = isSettled ? (ref: string) => this.#amountOf(ref) : undefined;
    const audit = new CardAudit({ threshold, amount, settled });
    const refs = [...new Set([...events.map((event) => event.transaction_ref), ...earned.keys()])];
    for (const event of events) {
      audit.take(event, this.#fates);
      if (!earned.has(event.transaction_ref)) {
        this.#fault(
          "card",
          `${id} (${name}): ${event.type} of ${event.transaction_ref}, which earns nothing`,
          refs,
        );
      }
      this.#checkEvent(event);
    }
    audit.finish(earned.keys(), this.#fates);
    const faults = [...audit.problems, ...settlementFaults(events, threshold, this.#known)];
    for (const ref of earlyReversals(events, this.#known))
      faults.push(`${ref} got a stamp after its reversal`);
    if (faults.length > 0) {
      const told = events.map(({ type, transaction_ref }) => `    ${type} ${transaction_ref}`);
      this.#fault("card", `${id} (${name}): ${faults.join("; ")}\n  its events\n${told.join("\n")}`, refs);
    }
    for (const line of audit.show()) {
      const words = line.split(" ");
      if (words[0] === "counter") this.#counters.set(id, Number(words[1]));
      else if (words.length === 4) this.#keepCashback(shopper, words.slice(1));
    }
  }

  /** The stored amount of a purchase; once it has settled, it stays. */
  #amountOf(ref: string): number | undefined {
    return this.#options.book.entries.get(ref)?.expected?.amount ?? undefined;
  }

  /** The amounts of its events: a cashback has the amount that was stored when it was made. */
  #amountsSaid(ref: string): number[] {
    const requests = this.#options.book.entries.get(ref)?.requests ?? [];
    const events = requests.flatMap((request) => request.events.filter((one) => one.external_id === ref));
    return events.flatMap(({ amount }) => amount ?? []);
  }

  /** A deal, and the clips by which it was saved, one after the other. No purchase redeems it twice. */
  #judgeDeal(
    saved: readonly { readonly id: string; readonly madeAt: number }[],
    accounts: ReadonlyMap<string, Account>,
    terms: DealTerms,
  ): void {
    const redeemedBy = new Map<string, string>();
    for (const { id } of saved) {
      for (const { type, transaction_ref: ref } of accounts.get(id)?.events ?? []) {
        if (type !== "cashback.created") continue;
        const other = redeemedBy.get(ref);
        if (other !== undefined) this.#fault("clip", `${ref} redeemed ${other} and ${id}`, [ref]);
        redeemedBy.set(ref, id);
      }
    }
    for (const [i, { id, madeAt }] of saved.entries()) {
      const isFree = (ref: string) => (redeemedBy.get(ref) ?? id) === id;
      const isLast = i === saved.length - 1;
      this.#judgeClip(accounts.get(id) as Account, terms, { madeAt, isFree, isLast });
    }
  }

  #judgeClip(
    { id, name, shopper, purchases, events }: Account,
    terms: DealTerms,
    clip: { readonly madeAt: number; readonly isFree: (ref: string) => boolean; readonly isLast: boolean },
  ): void {
    const offered = new Map<string, number>();
    for (const purchase of purchases) {
      const { externalId, payment, authedAt } = purchase;
      if (authedAt < clip.madeAt - GRACE_MS) continue;
      if (!this.#fates.has(externalId) || payment === undefined || !isPaid(purchase, terms.minAmount))
        continue;
      offered.set(externalId, cashbackOf(terms, payment.amount));
    }
    const audit = new ClipAudit();
    for (const event of events) {
      audit.take(event as CashbackEvent, offered, this.#fates);
      this.#checkEvent(event);
    }
    // If the deal was saved again since, the clip does not open again, and no purchase waits for it.
    const waiting = [...offered].filter(([ref]) => clip.isLast && clip.isFree(ref));
    audit.finish(new Map(waiting), this.#fates);
    const refs = [...new Set([...events.map((event) => event.transaction_ref), ...offered.keys()])];
    const faults = [...audit.problems];
    for (const ref of earlyReversals(events, this.#known))
      faults.push(`${ref} redeemed it after its reversal`);
    if (faults.length > 0) this.#fault("clip", `${id} (${name}): ${faults.join("; ")}`, refs);
    for (const line of audit.show()) this.#keepCashback(shopper, line.split(" "));
  }

  #keepCashback({ memberId }: Shopper, [ref, amount, state]: readonly string[]): void {
    const line = `${ref} ${amount} ${CURRENCY} ${state}`;
    this.#cashbacks.set(memberId, [...(this.#cashbacks.get(memberId) ?? []), line]);
  }

  #checkEvent(event: RewardEvent): void {
    if ("currency" in event && event.currency !== CURRENCY) {
      this.#fault("event", `${event.event_id} is in ${event.currency}`, [event.transaction_ref]);
    }
  }

  #fault(kind: string, text: string, refs: readonly string[]): void {
    this.#problems.push({ kind, text, refs });
  }
}

/** Whether a payment that counts was reported. */
function isPaid({ payment }: Purchase, minAmount: number): boolean {
  const sentAt = payment?.firstSentAt;
  return (
    payment !== undefined && sentAt !== undefined && Number.isFinite(sentAt) && payment.amount >= minAmount
  );
}

/**
 * If the reversal was answered before the payment was reported, or the purchase made, the purchase can earn
 * nothing.
 */
function earlyReversals(events: readonly RewardEvent[], known: ReadonlyMap<string, KnownPurchase>): string[] {
  return events.flatMap(({ type, transaction_ref: ref }) => {
    const purchase = known.get(ref);
    const isMade = type === "qualifying_purchase.created" || type === "cashback.created";
    const isEarly = purchase?.fate === "reverted" && (purchase.settled?.until ?? 0) < purchase.earliestStamp;
    return isMade && isEarly ? [ref] : [];
  });
}

/** A share is rounded half up. */
function cashbackOf({ reward }: DealTerms, amount: number): number {
  if ("amount" in reward) return reward.amount;
  return Math.min(Math.floor((amount * reward.percent + 50) / 100), reward.maxAmount);
}
