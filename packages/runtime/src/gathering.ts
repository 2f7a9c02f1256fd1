import { retryDelayMs } from "#domain";

/** The result of an item that another session holds. */
export const LOCKED = Symbol("locked");
/**
 * A lock of some milliseconds, such as that of announcing, is mostly gone at the second attempt; a futile
 * call costs little.
 */
const LOCKED_WAIT_MS = 2;
const LOCKED_WAIT_MAX_MS = 16;

interface GatheringOptions<T, R> {
  /**
   * One result for each item, in their order; `LOCKED` for one that another session holds: it comes again in
   * a later call, and no call waits for it. If it throws, nothing took effect, or all of it can be repeated.
   */
  readonly work: (items: readonly T[]) => Promise<ReadonlyArray<R | typeof LOCKED>>;
  /** The total weight of a full call. Absent: a call takes all waiting items. */
  readonly max?: number;
  /** The weight of an item for `max`. Absent: 1. */
  readonly weigh?: (item: T) => number;
  /** The number of concurrent calls. Absent: 1. */
  readonly calls?: number;
  /**
   * The least time between the starts of two calls, unless a full one waits: so under load each call has more
   * items. Absent: 0.
   */
  readonly spacingMs?: number;
  /**
   * Whether an error is about the content of one item: then each is tried alone, so that only that one fails.
   */
  readonly isOfItem?: (error: unknown) => boolean;
  /**
   * Whether to retry an item, after a while, if its call failed for another reason or it was locked. Absent:
   * none is.
   */
  readonly isWanted?: (item: T) => boolean;
  /** Called for each failed call. */
  readonly onFailed?: (error: unknown, items: number) => void;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly weight: number;
  isAlone: boolean;
  /** The number of calls in a row in which it was locked. */
  passedOver: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects items so that one call takes many: while the allowed number of calls is under way, the items of
 * the next one collect. So a single item never waits, and a thousand items cost a few calls. Nothing waits
 * for a timer, unless calls are spaced.
 *
 * An item never joins a call that has already started. So every result is as new as its question.
 *
 * The callers bound how many items wait.
 */
export class Gathering<T, R> {
  readonly #options: GatheringOptions<T, R>;
  /** In the order in which they came. */
  #waiting: Waiting<T, R>[] = [];
  #weight = 0;
  #underWay = 0;
  #lastStart = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #restUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(options: GatheringOptions<T, R>) {
    this.#options = options;
  }

  /** Rejects with the error of its call, if the item is not retried. */
  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      const weight = this.#options.weigh?.(item) ?? 1;
      this.#queue({ item, weight, isAlone: false, passedOver: 0, resolve, reject });
    });
  }

  #queue(one: Waiting<T, R>): void {
    this.#waiting.push(one);
    this.#weight += one.weight;
    const { spacingMs = 0, max = Number.POSITIVE_INFINITY } = this.#options;
    if (spacingMs === 0 || this.#weight >= max) {
      this.#send();
      return;
    }
    // A spaced call includes all items of this turn of the event loop.
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined;
      this.#send();
    });
  }

  #send(): void {
    const { calls = 1 } = this.#options;
    while (this.#waiting.length > 0 && this.#underWay < calls) {
      const wait = this.#earliest() - performance.now();
      if (wait > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#send();
        }, wait);
        return;
      }
      void this.#call(this.#take());
    }
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #earliest(): number {
    const { max = Number.POSITIVE_INFINITY, spacingMs = 0 } = this.#options;
    return this.#weight >= max ? this.#restUntil : Math.max(this.#restUntil, this.#lastStart + spacingMs);
  }

  /** The first item, and as many after it as fit. */
  #take(): readonly Waiting<T, R>[] {
    const { max = Number.POSITIVE_INFINITY } = this.#options;
    let weight = 0;
    let count = 0;
    for (const one of this.#waiting) {
      if (count > 0 && (one.isAlone || weight >= max)) break;
      weight += one.weight;
      count++;
      if (one.isAlone) break;
    }
    this.#weight -= weight;
    return this.#waiting.splice(0, count);
  }

  async #call(taken: readonly Waiting<T, R>[]): Promise<void> {
    this.#underWay++;
    this.#lastStart = performance.now();
    try {
      const results = await this.#options.work(taken.map(({ item }) => item));
      this.#failures = 0;
      for (const [i, one] of taken.entries()) {
        const result = results[i] as R | typeof LOCKED;
        if (result === LOCKED) this.#passOver(one);
        else one.resolve(result);
      }
    } catch (error) {
      this.#failed(taken, error);
    }
    this.#underWay--;
    this.#send();
  }

  #passOver(one: Waiting<T, R>): void {
    const again = () => {
      if (this.#options.isWanted?.(one.item)) this.#queue(one);
      else one.reject(new Error("another caller holds it"));
    };
    setTimeout(again, Math.min(LOCKED_WAIT_MAX_MS, LOCKED_WAIT_MS << one.passedOver++));
  }

  #failed(taken: readonly Waiting<T, R>[], error: unknown): void {
    const { isOfItem = () => false, isWanted, onFailed } = this.#options;
    onFailed?.(error, taken.length);
    const isAlone = isOfItem(error);
    const isTriedAgain = isAlone ? taken.length > 1 : isWanted !== undefined;
    const again = isTriedAgain ? taken.filter(({ item }) => isWanted?.(item) ?? true) : [];
    for (const one of taken) if (!again.includes(one)) one.reject(error);
    for (const one of again) {
      one.isAlone ||= isAlone;
      this.#weight += one.weight;
    }
    this.#waiting.unshift(...again);
    if (isAlone || isWanted === undefined) return;
    this.#restUntil = performance.now() + retryDelayMs(++this.#failures, Math.random());
  }
}
