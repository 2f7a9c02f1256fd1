import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "./caller.ts";
import { CURRENCY, type Offers } from "./offers.ts";
import type { Purchase } from "./purchase.ts";

/** Payments of one request, if they are reported again. */
const AGAIN = 500;

/** The retailers' software: reports each payment to the platform until the platform has confirmed it. */
export class Till {
  told = 0;
  readonly problems: string[] = [];
  readonly #caller: Caller;
  readonly #offers: Offers;
  readonly #open = new Set<Promise<void>>();
  /** Answered payments, with their times. */
  readonly #answered = new Map<Purchase, number>();

  constructor(caller: Caller, offers: Offers) {
    this.#caller = caller;
    this.#offers = offers;
  }

  pay(purchase: Purchase, afterMs: number): void {
    this.#keep(this.#tell(purchase, afterMs));
  }

  /**
   * After the platform went back: reports the payments answered since then again, many at a time. Resolves
   * when they are answered again, since the next backup must have them.
   */
  async tellAgain(since: number): Promise<void> {
    const lost = [...this.#answered].filter(([, at]) => at >= since).map(([purchase]) => purchase);
    for (const token of new Set(this.#offers.tokens.values())) {
      const own = lost.filter(({ merchant }) => this.#offers.tokens.get(merchant) === token);
      for (let i = 0; i < own.length; i += AGAIN) {
        await this.#send(own.slice(i, i + AGAIN).flatMap(paymentsOf), token);
      }
    }
  }

  /** Resolves when every payment is reported. */
  async done(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  #keep(work: Promise<void>): void {
    const telling = work.catch((error) => {
      if (!this.#caller.isAbandoned) throw error;
    });
    this.#open.add(telling);
    void telling.finally(() => this.#open.delete(telling));
  }

  async #tell(purchase: Purchase, afterMs: number): Promise<void> {
    const { merchant, payment } = purchase;
    if (payment === undefined) return;
    await delay(afterMs);
    payment.firstSentAt = Date.now();
    const token = this.#offers.tokens.get(merchant);
    for (const one of paymentsOf(purchase)) await this.#send([one], token);
    this.#answered.set(purchase, Date.now());
  }

  async #send(payments: readonly object[], token: string | undefined): Promise<void> {
    const answer = await this.#caller.until("platform", "payment/ingest", { payments }, {}, token);
    if (answer.status !== 200 || answer.body?.accepted !== payments.length) {
      const said = `${answer.status} ${JSON.stringify(answer.body)}`;
      this.problems.push(`${JSON.stringify(payments).slice(0, 1_000)}: answered ${said}`);
    }
    this.told += payments.length;
  }
}

/** In the form of a report. */
function paymentsOf({ externalId, payment }: Purchase): object[] {
  if (payment === undefined) return [];
  const { identifiers, amount, paidAt, isDoubled } = payment;
  const ids = isDoubled ? [`P-${externalId}`, `P-${externalId}-again`] : [`P-${externalId}`];
  return ids.map((payment_id) => ({ payment_id, identifiers, amount, currency: CURRENCY, paid_at: paidAt }));
}
