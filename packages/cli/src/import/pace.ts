/** What may go at once after a pause, in milliseconds of the rate: timers are not more exact than that. */
const BURST_MS = 50;

/** Lets so many events go in a second. */
export class Pace {
  readonly #gapMs: number;
  #nextAt = 0;

  constructor(perSecond: number) {
    this.#gapMs = 1000 / perSecond;
  }

  /**
   * Takes the next event's turn.
   * @param nowMs of a clock that only goes forward
   * @returns how long it has to wait, in milliseconds
   */
  takeTurn(nowMs: number): number {
    const at = Math.max(this.#nextAt, nowMs - BURST_MS);
    this.#nextAt = at + this.#gapMs;
    return Math.max(0, at - nowMs);
  }
}
