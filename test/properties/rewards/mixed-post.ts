import type { Settlement } from "#contract/ingest";
import type { Outcome } from "#contract/platform";
import type { SeededRandom } from "#domain";
import type { PlatformLink } from "#test-support";

/**
 * How often a post makes a pack leave, how large packs are, and how many messages come a second time, later.
 */
const LEAVES = 0.3;
const LARGEST_PACK = 25;
const SENT_AGAIN = 0.2;

/**
 * Puts messages of many runs into a stream in random packs, in another order than they came in, some of them
 * twice.
 */
export class MixedPost {
  readonly #outcomes: Pool<Outcome>;
  readonly #settlements: Pool<Settlement>;

  constructor(link: PlatformLink, random: SeededRandom) {
    this.#outcomes = new Pool(random, (pack) => link.send(...pack));
    this.#settlements = new Pool(random, (pack) => link.settle(...pack));
  }

  outcome(outcome: Outcome): void {
    this.#outcomes.take(outcome);
  }

  settlement(settlement: Settlement): void {
    this.#settlements.take(settlement);
  }

  /** Waits until everything is sent and stored. */
  async empty(): Promise<void> {
    await Promise.all([this.#outcomes.empty(), this.#settlements.empty()]);
  }
}

class Pool<T> {
  readonly #random: SeededRandom;
  readonly #send: (pack: readonly T[]) => Promise<void>;
  #waiting: { readonly entry: T; readonly again: boolean }[] = [];
  #leaving: Promise<void>[] = [];

  constructor(random: SeededRandom, send: (pack: readonly T[]) => Promise<void>) {
    this.#random = random;
    this.#send = send;
  }

  take(entry: T): void {
    this.#waiting.push({ entry, again: false });
    if (this.#random.chance(LEAVES)) this.#leave();
  }

  async empty(): Promise<void> {
    while (this.#waiting.length > 0) this.#leave();
    await Promise.all(this.#leaving.splice(0));
  }

  #leave(): void {
    const waiting = this.#random.shuffle(this.#waiting);
    const pack = waiting.splice(0, this.#random.between(1, LARGEST_PACK));
    const again = pack.filter((one) => !one.again && this.#random.chance(SENT_AGAIN));
    this.#waiting = [...waiting, ...again.map(({ entry }) => ({ entry, again: true }))];
    const left = this.#send(pack.map(({ entry }) => entry));
    // Reported when the pool is emptied; until then a failure must not count as an unhandled rejection.
    left.catch(() => {});
    this.#leaving.push(left);
  }
}
