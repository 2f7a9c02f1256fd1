import { transactionIdentifiers } from "#domain";
import { AUTHED_AT, DISPLAY_CONTENT, type RawAnswer, succeeded, waitFor } from "#test-support";
import type { Known, Money, Terms } from "./history.ts";
import { RewardRun, type Slot } from "./reward-run.ts";

const CASHBACK: Money = { amount: 33, currency: "EUR" };
const PAID_AT = AUTHED_AT;

/**
 * A run with the real platform: programs and deals are made there, and a purchase counts for all of them once
 * its shop has reported the payment. Either may come first.
 */
export class PaidRun extends RewardRun {
  /** The payments of purchases; the first payment with an id stands. */
  readonly #paid = new Map<string, Money>();

  /**
   * Each record tells the platform which cards and clips the member has, so they are made before the first
   * record.
   */
  override async begin(): Promise<void> {
    for (const slot of [...this.cards, ...this.clips]) await this.obtain(slot);
  }

  protected async program(terms: Terms | null, id?: string): Promise<string> {
    if (terms === null) throw new Error("it keeps its programs");
    const { threshold, fixed, currency } = terms;
    return this.#make("loyalty-program/upsert", {
      ...(id !== undefined && { id }),
      qualifying_threshold: threshold,
      reward_config: fixed === null ? { type: "refund" } : { type: "fixed-reward", amount: fixed },
      rules: { ...this.#rules, ...(currency !== null && { currency }) },
    });
  }

  /** Removes nothing: it is unknown whether the platform had counted a purchase before a removal. */
  protected override keeps(terms: Terms | null): boolean {
    return terms !== null;
  }

  protected deal(): Promise<string> {
    return this.#make("deal/upsert", { reward_config: { type: "fixed", ...CASHBACK }, rules: this.#rules });
  }

  protected override async enter(ref: string, event: Known): Promise<void> {
    if (!this.diary.has(ref)) this.#pairs(ref, this.#paid.get(ref));
    await super.enter(ref, event);
  }

  /** Reports a payment, whichever card or clip the command names. */
  protected async count(ref: string, _slot: Slot, { amount }: Money): Promise<void> {
    const money = this.#paid.get(ref) ?? { amount: amount ?? 450, currency: "EUR" };
    this.#paid.set(ref, money);
    if (this.diary.has(ref)) this.#pairs(ref, money);
    await this.#pay(ref, money);
  }

  protected override async resend(ref: string): Promise<void> {
    const money = this.#paid.get(ref);
    if (money !== undefined) await this.#pay(ref, money);
    await super.resend(ref);
  }

  /** Both halves of a purchase exist, or will at once. */
  #pairs(ref: string, money: Money | undefined): void {
    if (money === undefined) return;
    for (const { configId } of this.cards) this.diary.sends(configId, ref, money, this.#termsOf(configId));
    for (const { configId } of this.clips) this.diary.sends(configId, ref, CASHBACK);
  }

  /** Every purchase was made before its program: the first revision stays in force. */
  #termsOf(configId: string): Terms {
    return { ...(this.diary.firstTerms(configId) as Terms), currency: null };
  }

  protected override rules(about: string): object {
    const { threshold, fixed } = this.#termsOf(about);
    return {
      qualifying_threshold: threshold,
      reward_config: fixed === null ? { type: "refund" } : { type: "fixed-reward", amount: fixed },
    };
  }

  async #pay(ref: string, { amount, currency }: Money): Promise<void> {
    const { auth_code, merchant_id } = this.card(ref);
    const card = { authCode: auth_code, network: "visa", bin: "411111", merchantId: merchant_id } as const;
    const identifiers = [transactionIdentifiers(card).six];
    const payment = { payment_id: `${merchant_id} ${ref}`, identifiers, amount, currency, paid_at: PAID_AT };
    let answer: RawAnswer | undefined;
    // If the platform refuses because it has too much to do, it has taken none of it.
    const isTaken = async () => {
      answer = await this.round.shop.post("payment/ingest", { payments: [payment] });
      return answer.status !== 503;
    };
    await waitFor(isTaken, { message: "the payment is not taken" });
    succeeded("payment/ingest", answer as RawAnswer);
  }

  async #make(route: string, fields: object): Promise<string> {
    const named = { name: "N", display_content: DISPLAY_CONTENT, ...fields };
    return (await this.round.operator.call(route, named)).id;
  }

  get #rules() {
    return { merchant_ids: [this.card("").merchant_id], retroactive: true };
  }
}
