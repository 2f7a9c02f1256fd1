import { setTimeout as sleep } from "node:timers/promises";

/** What may go at once after a pause, in milliseconds of the rate: timers are not more exact than that. */
const BURST_MS = 50;

/** Lets so many events go in a second. */
export class Pace {
  readonly #gapMs: number;
  #nextAt = 0;

  constructor(perSecond: number) {
    this.#gapMs = 1000 / perSecond;
  }

  /** Undefined if an event may go now; otherwise a promise that resolves when it may. */
  turn(signal: AbortSignal): Promise<void> | undefined {
    const now = performance.now();
    const at = Math.max(this.#nextAt, now - BURST_MS);
    this.#nextAt = at + this.#gapMs;
    if (at <= now) return undefined;
    return sleep(at - now, undefined, { signal });
  }
}
