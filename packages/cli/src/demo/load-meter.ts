import { createHistogram } from "node:perf_hooks";

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

/** Measures the times from events to their answers, and how long the oldest event has waited. */
export class LoadMeter {
  /** The longest time between two answers, and from the first event to the first answer. */
  longestPauseMs = 0;
  #slots: Slot[] = [];
  /** The first of them that is not done. */
  #head = 0;
  #open: Slot | undefined;
  #openCount = 0;
  /** In milliseconds, rounded up. */
  readonly #times = createHistogram();
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
    this.#times.record(Math.floor(now - givenAt) + 1);
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
    if (this.#times.count === 0) return undefined;
    const found = { p50Ms: this.#times.percentile(50), p99Ms: this.#times.percentile(99) };
    this.#times.reset();
    return found;
  }
}
