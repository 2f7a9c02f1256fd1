import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "./caller.ts";
import type { Purchase } from "./purchase.ts";
import { CURRENCY, type World } from "./world.ts";

/** The retailers' software: tells the platform of each payment until that has said that it knows. */
export class Till {
  told = 0;
  readonly problems: string[] = [];
  readonly #caller: Caller;
  readonly #world: World;
  readonly #open = new Set<Promise<void>>();

  constructor(caller: Caller, world: World) {
    this.#caller = caller;
    this.#world = world;
  }

  pay(purchase: Purchase, afterMs: number): void {
    const telling = this.#tell(purchase, afterMs).catch((error) => {
      if (!this.#caller.isAbandoned) throw error;
    });
    this.#open.add(telling);
    void telling.finally(() => this.#open.delete(telling));
  }

  /** Resolves when everybody who paid has been told of. */
  async done(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  async #tell({ externalId, merchant, payment }: Purchase, afterMs: number): Promise<void> {
    if (payment === undefined) return;
    await delay(afterMs);
    payment.firstSentAt = Date.now();
    const { identifiers, amount, paidAt, isDoubled } = payment;
    for (const twin of isDoubled ? ["", "-again"] : [""]) {
      const payments = [
        { payment_id: `P-${externalId}${twin}`, identifiers, amount, currency: CURRENCY, paid_at: paidAt },
      ];
      const token = this.#world.tokens.get(merchant);
      const answer = await this.#caller.until("platform", "payment/ingest", { payments }, {}, token);
      if (answer.status !== 200 || answer.body?.accepted !== 1) {
        const said = `${answer.status} ${JSON.stringify(answer.body)}`;
        this.problems.push(`payment of ${externalId}: answered ${said}`);
      }
      this.told++;
    }
  }
}
