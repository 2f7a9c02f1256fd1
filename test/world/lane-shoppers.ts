import type { SeededRandom } from "#domain";
import type { Book } from "./book.ts";
import type { Caller } from "./caller.ts";
import { DEALS, deleteShopper, joinShopper, type Shopper, saveAgain } from "./offers.ts";
import type { Shopping } from "./shopping.ts";

/** How many shoppers a lane has at a time, and after how many purchases another one replaces one. */
const SHOPPERS = 2;
const PURCHASES_OF_SHOPPER = 14;
/** The share of replaced shoppers that are deleted while some of their purchases still have events to come. */
const LEAVING_SHARE = 0.3;

/** The shoppers of one lane. */
export class LaneShoppers {
  readonly #shopping: Shopping;
  readonly #caller: Caller;
  readonly #book: Book;
  readonly #random: SeededRandom;
  readonly #name: string;
  readonly #active: { readonly shopper: Shopper; left: number }[] = [];
  #joined = 0;

  /** @param name unique among the lanes of an organisation */
  constructor(parts: {
    shopping: Shopping;
    caller: Caller;
    book: Book;
    random: SeededRandom;
    name: string;
  }) {
    this.#shopping = parts.shopping;
    this.#caller = parts.caller;
    this.#book = parts.book;
    this.#random = parts.random;
    this.#name = parts.name;
  }

  /** The shopper of the next purchase. */
  next(): Shopper {
    const active = this.#random.pick(this.#active);
    active.left--;
    return active.shopper;
  }

  /** Replaces shoppers that have bought enough. */
  refresh(): Promise<void> {
    return this.#shopping.gate.pass(async () => {
      for (const [i, { left, shopper }] of [...this.#active.entries()].reverse()) {
        if (left > 0) continue;
        this.#active.splice(i, 1);
        if (this.#random.chance(LEAVING_SHARE)) await this.#leave(shopper);
      }
      const { offers, shoppers } = this.#shopping;
      while (this.#active.length < SHOPPERS) {
        const shopper = await joinShopper(this.#caller, offers, `${this.#name}-${this.#joined++}`);
        shoppers.push(shopper);
        this.#active.push({ shopper, left: PURCHASES_OF_SHOPPER });
      }
    });
  }

  saveAgain(): Promise<void> {
    return this.#shopping.gate.pass(async () => {
      const { shopper } = this.#random.pick(this.#active);
      await saveAgain(
        this.#caller,
        this.#shopping.offers,
        shopper,
        this.#random.between(0, DEALS.length - 1),
      );
    });
  }

  /** Deletes a shopper once all its accepted events are processed: otherwise their order would be unknown. */
  async #leave(shopper: Shopper): Promise<void> {
    const own = this.#book.batches.filter(({ events }) =>
      events.some(({ member_id }) => member_id === shopper.memberId),
    );
    for (const { batchId } of own) {
      const isOpen = async () => {
        const { body } = await this.#caller.until("publisher", "transaction.batch/get", { id: batchId });
        return body.status === "pending";
      };
      while (await isOpen()) await this.#caller.pause();
    }
    await deleteShopper(this.#caller, this.#shopping.offers, shopper);
  }
}
