/** Events that were given to the stream about the same time. */
interface Slot {
  readonly givenAt: number;
  left: number;
}

/** Symbols, so that JSON leaves them out. */
const SLOT = Symbol("slot");
/** In milliseconds of `performance.now()`. */
const GIVEN = Symbol("given");
type Marked = object & { [SLOT]?: Slot; [GIVEN]?: number };

/** Few enough that a slot is as old as its events to a few milliseconds, and enough to cost nothing. */
const SLOT_EVENTS = 100;
/** Buckets of a millisecond; longer times count in the last. */
const BUCKETS = 60_000;

/** Measures the times from events to their answers, and how long the oldest event has waited. */
export class LoadMeter {
  /** The longest time between two answers, and from the first event to the first answer. */
  longestPauseMs = 0;
  #slots: Slot[] = [];
  /** The first of them that is not done. */
  #head = 0;
  #open: Slot | undefined;
  #openCount = 0;
  readonly #buckets = new Uint32Array(BUCKETS);
  #measured = 0;
  #lastToldAt: number | undefined;

  /** The event is given to the stream now. */
  given(event: object, now: number): void {
    this.#lastToldAt ??= now;
    // A slot that is done gets no more events: after a pause they would seem to have waited through it.
    if (this.#open === undefined || this.#openCount === SLOT_EVENTS || this.#open.left === 0) {
      this.#open = { givenAt: now, left: 0 };
      this.#openCount = 0;
      this.#slots.push(this.#open);
    }
    this.#openCount++;
    this.#open.left++;
    (event as Marked)[SLOT] = this.#open;
    (event as Marked)[GIVEN] = now;
  }

  /** The event is answered now. */
  told(event: object, now: number): void {
    const { [SLOT]: slot, [GIVEN]: givenAt = now } = event as Marked;
    if (slot !== undefined) slot.left--;
    const bucket = Math.min(BUCKETS - 1, Math.floor(now - givenAt));
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
    this.#measured++;
    this.longestPauseMs = Math.max(this.longestPauseMs, now - (this.#lastToldAt ?? now));
    this.#lastToldAt = now;
  }

  /** How long the oldest event has waited for its answer, in milliseconds. */
  lagMs(now: number): number {
    while (this.#slots[this.#head]?.left === 0) this.#head++;
    if (this.#head > 1_000) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
    const oldest = this.#slots[this.#head];
    return oldest === undefined ? 0 : now - oldest.givenAt;
  }

  /** The times of all events since the last call of this, in milliseconds. undefined: there were none. */
  takePercentiles(): { readonly p50Ms: number; readonly p99Ms: number } | undefined {
    if (this.#measured === 0) return undefined;
    const found = { p50Ms: this.#percentile(0.5), p99Ms: this.#percentile(0.99) };
    this.#buckets.fill(0);
    this.#measured = 0;
    return found;
  }

  /** The smallest time that at least this share does not exceed. */
  #percentile(share: number): number {
    let left = Math.ceil(share * this.#measured);
    for (let ms = 0; ms < BUCKETS; ms++) {
      left -= this.#buckets[ms] as number;
      if (left <= 0) return ms + 1;
    }
    return BUCKETS;
  }
}
