import { LIMITS } from "#contract";
import { addTo } from "#domain";
import { BodyBudget } from "./body-budget.ts";

type Later = (work: () => void, ms: number) => void;

/** Without a pause: after the event loop's present work. */
const later: Later = (work, ms) => {
  if (ms > 0) setTimeout(work, ms);
  else setImmediate(work);
};

/**
 * Parses a body. If it is heavy, the next heavy one of its sender waits for the result, while others send.
 */
type Work = () => unknown;

interface Waiting {
  readonly bytes: number;
  readonly work: Work;
  readonly isHeavy: boolean;
}

/**
 * Lets large bodies be parsed one at a time, their senders in turn, with a turn of the event loop between two
 * of them. Parsing one holds the loop for tens of milliseconds, and several that arrive together would hold
 * it for the sum.
 *
 * While others send too, a pause as long as the work follows each: an answer takes several turns of the loop,
 * and without the pause every one of them would wait for another body. A single sender never has to pause.
 *
 * Heavy work continues in the database after the body is parsed, and returns a promise. While others send,
 * one sender has one of these under way: several would take all processors of the database. Its other large
 * bodies pass by those that wait for that, in their order: an ingest is not late because of an upsert.
 *
 * Waiting bodies are bounded and shared like arriving ones. A waiting body has had no effect: if the process
 * dies, its sender gets no answer and sends it again.
 */
export class BodyTurns {
  readonly #now: () => number;
  readonly #later: Later;
  readonly #budget = new BodyBudget(LIMITS.bufferedBodyBytes);
  /** By sender, in the order of their turns. None is empty. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isUnderWay = false;
  /** The number of unsettled promises of a sender's work; above 0. */
  readonly #unsettled = new Map<string, number>();
  /** The last sender, and when another one last sent. */
  #last: { sender: string; at: number } | undefined;
  #otherAt = Number.NEGATIVE_INFINITY;

  /** @param options.now milliseconds of a clock that only goes forward */
  constructor(options: { now?: () => number; later?: Later } = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#later = options.later ?? later;
  }

  /**
   * Calls `work`, which parses a body, immediately or in its turn. False, and never called, if this sender
   * has no room to wait and others send, too.
   */
  take(sender: string, bytes: number, work: Work, isHeavy = false): boolean {
    this.#meet(sender);
    if (bytes < LIMITS.largeBodyBytes) {
      work();
      return true;
    }
    if (!this.#budget.take(sender, bytes)) {
      if (this.#isShared) return false;
      // No other sender waits for the loop, and this sender is held back while its bodies are parsed.
      this.#begin(sender, work);
      return true;
    }
    addTo(this.#waiting, sender, { bytes, work, isHeavy });
    if (!this.#isUnderWay) this.#nextAfter(0);
    return true;
  }

  /**
   * Counts a body as waiting until `release` is called; undefined if this sender has no room.
   */
  hold(sender: string, bytes: number): (() => void) | undefined {
    if (!this.#budget.take(sender, bytes)) return undefined;
    return () => this.#budget.release(sender, bytes);
  }

  get #isShared(): boolean {
    return this.#now() - this.#otherAt < LIMITS.senderActiveMs;
  }

  #meet(sender: string): void {
    if (this.#last !== undefined && this.#last.sender !== sender) this.#otherAt = this.#last.at;
    this.#last = { sender, at: this.#now() };
  }

  #nextAfter(ms: number): void {
    this.#isUnderWay = true;
    this.#later(() => this.#takeTurn(), ms);
  }

  /** The sender whose turn it is, and its body to work on now. */
  #nextTurn(): { sender: string; waiting: Waiting[]; at: number } | undefined {
    const isShared = this.#isShared;
    for (const [sender, waiting] of this.#waiting) {
      const isBusy = isShared && this.#unsettled.has(sender);
      const at = isBusy ? waiting.findIndex(({ isHeavy }) => !isHeavy) : 0;
      if (at >= 0) return { sender, waiting, at };
    }
    return undefined;
  }

  #begin(sender: string, work: Work): void {
    const settled = work();
    if (!(settled instanceof Promise)) return;
    this.#unsettled.set(sender, (this.#unsettled.get(sender) ?? 0) + 1);
    void settled.finally(() => {
      const left = (this.#unsettled.get(sender) ?? 0) - 1;
      if (left > 0) this.#unsettled.set(sender, left);
      else this.#unsettled.delete(sender);
      if (!this.#isUnderWay) this.#nextAfter(0);
    });
  }

  #takeTurn(): void {
    const next = this.#nextTurn();
    if (next === undefined) {
      this.#isUnderWay = false;
      return;
    }
    const { sender, waiting, at } = next;
    const [{ bytes, work }] = waiting.splice(at, 1) as [Waiting];
    this.#waiting.delete(sender);
    if (waiting.length > 0) this.#waiting.set(sender, waiting);
    this.#budget.release(sender, bytes);
    const startedAt = this.#now();
    try {
      this.#begin(sender, work);
    } finally {
      this.#nextAfter(this.#isShared ? Math.min(this.#now() - startedAt, LIMITS.bodyPauseMs) : 0);
    }
  }
}
