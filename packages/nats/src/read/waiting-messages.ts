import { LIMITS } from "#contract";
import { groupBy } from "#domain";
import { firstBatch, type QueuedMessage, rowsOf } from "./batch.ts";
import { wasApplied } from "./message.ts";

/**
 * Messages of an ordered hop that were read and are in no batch yet, and the making of batches.
 *
 * A partition is in one batch at a time. A few messages, of any partitions, make one batch, and wait while
 * another is being handled: it costs hardly more than a batch of a single message. If there are many, each
 * partition has its own batch, and they are handled side by side. Messages that an earlier owner has applied
 * are in separate batches. Nothing waits for a batch that failed: it may fail for long, and the other
 * partitions have nothing to do with that.
 */
export class WaitingMessages {
  /** In the order in which they came. */
  #waiting: QueuedMessage[] = [];
  /** Partitions with a batch under way, and whether it has failed: then nothing waits for its end. */
  readonly #busy = new Map<number, { readonly hasFailed: boolean }>();
  /** The next batches of partitions, which were announced or put back. */
  readonly #announced = new Map<number, readonly QueuedMessage[]>();
  /** The order of arrival; messages that are put back keep their turn. */
  readonly #turns = new WeakMap<QueuedMessage, number>();
  #lastTurn = 0;
  readonly #isHeld: (partition: number) => boolean;

  /** @param isHeld whether no batch of the partition may begin */
  constructor(isHeld: (partition: number) => boolean) {
    this.#isHeld = isHeld;
  }

  get count(): number {
    return [...this.#announced.values()].reduce((sum, { length }) => sum + length, this.#waiting.length);
  }

  add(entry: QueuedMessage): void {
    this.#turns.set(entry, ++this.#lastTurn);
    this.#waiting.push(entry);
  }

  /**
   * Puts back the messages of a batch that came to nothing. Those of each partition make a batch of their
   * own, before all others of the partition.
   */
  putBack(entries: readonly QueuedMessage[]): void {
    for (const [partition, own] of groupBy(entries, ({ message }) => message.partition)) {
      this.#takeBack(partition);
      this.#announced.set(partition, own);
    }
  }

  forget(partition: number): void {
    this.#announced.delete(partition);
    this.#waiting = this.#waiting.filter(({ message }) => message.partition !== partition);
  }

  removeAll(): readonly QueuedMessage[] {
    for (const partition of this.#announced.keys()) this.#takeBack(partition);
    return this.#waiting.splice(0);
  }

  /** The next batch, empty if there is none; its partitions are busy from here on. */
  take(): readonly QueuedMessage[] {
    const entries = this.#takeNext();
    for (const { message } of entries) this.#busy.set(message.partition, { hasFailed: false });
    return entries;
  }

  /**
   * The batch has failed and is tried again, perhaps for long: the next batches of its partitions are not
   * kept prepared until then, because they would take memory.
   */
  failed(entries: readonly QueuedMessage[]): void {
    for (const { message } of entries) {
      this.#busy.set(message.partition, { hasFailed: true });
      this.#takeBack(message.partition);
    }
  }

  /** The batch is handled. */
  release(entries: readonly QueuedMessage[]): void {
    for (const { message } of entries) this.#busy.delete(message.partition);
  }

  /** The next batches of busy partitions that need not grow any more, each once. */
  announce(): (readonly QueuedMessage[])[] {
    return [...this.#busy].flatMap(([partition, { hasFailed }]) => {
      if (hasFailed || this.#announced.has(partition) || this.#isHeld(partition)) return [];
      const own = this.#waiting.filter(({ message }) => message.partition === partition);
      if (rowsOf(own) < LIMITS.rowsPerBatch / 2) return [];
      const entries = this.#takeSome(own);
      this.#announced.set(partition, entries);
      return [entries];
    });
  }

  /** The announced batch of the partition is made again in its turn. */
  #takeBack(partition: number): void {
    this.#waiting = [...(this.#announced.get(partition) ?? []), ...this.#waiting];
    this.#announced.delete(partition);
  }

  /**
   * The announced batch, unless others came before it: a partition that always has its next batch announced
   * would otherwise go first every time, and a few messages would wait until it is empty.
   */
  #takeNext(): readonly QueuedMessage[] {
    const announced = this.#freeAnnounced();
    const [first] = announced ?? [];
    const free = this.#free(first === undefined);
    if (announced === undefined || first === undefined || this.#isBefore(free[0], first)) {
      return this.#takeSome(free);
    }
    this.#announced.delete(first.message.partition);
    return announced;
  }

  #freeAnnounced(): readonly QueuedMessage[] | undefined {
    for (const [partition, entries] of this.#announced) if (this.#isFree(partition)) return entries;
    return undefined;
  }

  #isFree(partition: number): boolean {
    return !this.#busy.has(partition) && !this.#isHeld(partition);
  }

  #isBefore(one: QueuedMessage | undefined, other: QueuedMessage): boolean {
    return one !== undefined && (this.#turns.get(one) ?? 0) < (this.#turns.get(other) ?? 0);
  }

  /** @param mayWait whether a few messages wait while a batch is handled */
  #free(mayWait: boolean): readonly QueuedMessage[] {
    const free = this.#waiting.filter(
      ({ message: { partition } }) => this.#isFree(partition) && !this.#announced.has(partition),
    );
    const [first] = free;
    if (first === undefined) return free;
    const isHandling = [...this.#busy.values()].some(({ hasFailed }) => !hasFailed);
    if (rowsOf(free) <= LIMITS.rowsAtOnce) return mayWait && isHandling ? [] : free;
    return free.filter(({ message }) => message.partition === first.message.partition);
  }

  /** As many of these as fit into a batch: all of them applied, or none. */
  #takeSome(entries: readonly QueuedMessage[]): readonly QueuedMessage[] {
    const [first] = entries;
    if (first === undefined) return [];
    const isOf = wasApplied(first.message);
    const end = entries.findIndex(({ message }) => wasApplied(message) !== isOf);
    const batch = firstBatch(end < 0 ? entries : entries.slice(0, end));
    const taken = new Set(batch);
    this.#waiting = this.#waiting.filter((entry) => !taken.has(entry));
    return batch;
  }
}
