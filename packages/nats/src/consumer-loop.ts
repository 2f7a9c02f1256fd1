import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { Batch, type BatchParts, type Held, WaitingMessages } from "./batch.ts";
import type { StreamMessage } from "./message.ts";
import { type BatchHandler, type HandledBatch, LostPartitions, type MessageResult } from "./outcome.ts";

/** The parts of a loop, and its bounds. */
export interface LoopOptions extends BatchParts {
  readonly handler: BatchHandler;
  /**
   * Is told of the next batch while one is being handled, once it is so full that it need not grow: what can be done ahead of
   * its turn is then done beside the one before. The batch may still be another one in the end.
   */
  readonly foresee?: ((messages: readonly StreamMessage[]) => void) | undefined;
  /** Lanes: how many batches are handled at once; 1 by default. */
  readonly lanes?: number;
  /** Milliseconds between the starts of batches that are less than half full. Left out: none. */
  readonly spacingMs?: number;
  /** Bytes of a batch of more than one message. Left out: only its rows bound it. */
  readonly batchBytes?: number;
  /** Whether a feed has no room for more messages: then its next batch cannot grow. Left out: unknown. */
  readonly isFull?: () => boolean;
  /** For an ordered hop: nothing more is to be read of these partitions. */
  readonly onLost?: (partitions: readonly number[]) => Promise<void>;
}

/** Of batches that are being published, while the next one is handled: past it that one waits to be published too. */
const ROWS_PUBLISHING = 500;

/**
 * Takes messages from feeds as they come and hands them to the handler in batches of at most
 * `LIMITS.rowsPerBatch` rows, or of one message. While all lanes are busy the next batch gathers: so batches
 * grow by themselves with the load, and a lone message never waits. With `spacingMs`, batches that are less
 * than half full start at least that far apart under load, each with more in it: for hops that nobody waits for.
 *
 * A batch of an ordered hop is tried until it succeeds, because the messages behind it must not overtake it;
 * its consequences are published while the next ones are handled. On an unordered hop, what failed comes again
 * later, each message alone, and no other message waits.
 */
export class ConsumerLoop {
  readonly #options: LoopOptions;
  readonly #isOrdered: boolean;
  readonly #waiting: WaitingMessages;
  /** Messages of batches that are being handled or published. */
  #underWay = 0;
  /** Batches that are being handled. */
  #busyLanes = 0;
  readonly #batches = new Set<Promise<void>>();
  /** For an ordered hop: batches whose consequences are being published. */
  readonly #publishing = new Map<Promise<void>, Batch>();
  #lastStart = Number.NEGATIVE_INFINITY;
  #spacing: NodeJS.Timeout | undefined;
  #isStopping = false;
  #hurry = new AbortController();

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#isOrdered = options.hop.ordered === true;
    this.#waiting = new WaitingMessages(this.#isOrdered, options.batchBytes ?? Number.POSITIVE_INFINITY);
  }

  /** Messages that were read and are not yet settled, including those of batches under way. */
  get held(): number {
    return this.#waiting.count + this.#underWay;
  }

  receive(entry: Held): void {
    if (this.#isStopping) return;
    this.#waiting.add(entry);
    this.#fillLanes();
  }

  /** What was read ahead of a partition that is lost belongs to its next owner. */
  forget(partition: number): void {
    this.#waiting.forget(partition);
  }

  /** Both servers have just answered: a batch that waits for its next attempt need not wait any longer. */
  hurry(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
  }

  /** Begins no more batches, and forgets what is in none yet. A batch that keeps failing is given up. */
  stop(): void {
    this.#isStopping = true;
    this.hurry();
    clearTimeout(this.#spacing);
    this.#waiting.removeAll();
  }

  /** Waits until the batches that are under way now are written and published. */
  async settled(): Promise<void> {
    await Promise.all(this.#batches);
  }

  #fillLanes(): void {
    const { lanes = 1, foresee } = this.#options;
    while (this.#busyLanes < lanes && !this.#isStopping && !this.#isTooSoon()) {
      const entries = this.#waiting.take();
      if (entries.length === 0) break;
      this.#begin(entries);
    }
    if (foresee === undefined || this.#isStopping) return;
    for (const entries of this.#waiting.announce()) foresee(entries.map(({ message }) => message));
  }

  #begin(entries: readonly Held[]): void {
    this.#lastStart = performance.now();
    this.#underWay += entries.length;
    this.#busyLanes++;
    const batch = new Batch(this.#options, entries);
    const running = this.#isOrdered ? this.#runOrdered(batch) : this.#runUnordered(batch);
    const watched = running.finally(() => this.#batches.delete(watched));
    this.#batches.add(watched);
  }

  #freeLane({ entries }: Batch): void {
    this.#waiting.release(entries);
    this.#busyLanes--;
    this.#fillLanes();
  }

  /** Whether the next batch should gather more first; the lanes are filled again when it is time. */
  #isTooSoon(): boolean {
    const { spacingMs = 0, isFull = () => false } = this.#options;
    const wait = this.#lastStart + spacingMs - performance.now();
    if (wait <= 0 || this.#waiting.count === 0) return false;
    // When no more may be held, nothing more can gather. A message that was handed out before is handled
    // alone, so it gains nothing by waiting.
    const canGrow = this.#waiting.rows < LIMITS.rowsPerBatch / 2 && !isFull() && !this.#waiting.someAlone;
    if (!canGrow) return false;
    this.#spacing ??= setTimeout(() => {
      this.#spacing = undefined;
      this.#fillLanes();
    }, wait);
    return true;
  }

  async #runUnordered(batch: Batch): Promise<void> {
    try {
      const handled = await this.#options.handler(batch.messages, batch.span);
      await handled.publish?.();
      await Promise.all(
        batch.entries.map((entry, i) => settle(batch, entry, handled.outcomes[i] as MessageResult)),
      );
      handled.published?.();
      batch.end();
    } catch (error) {
      batch.giveBack(error);
    } finally {
      this.#release(batch);
      this.#freeLane(batch);
    }
  }

  async #runOrdered(batch: Batch): Promise<void> {
    const handled = await this.#handleOrdered(batch);
    await this.#publishedEnough();
    if (handled === undefined) {
      this.#underWay -= batch.entries.length;
      batch.leave();
      this.#freeLane(batch);
      return;
    }
    const publishing = this.#publishOrdered(batch, handled).finally(() => {
      this.#publishing.delete(publishing);
      this.#release(batch);
    });
    this.#publishing.set(publishing, batch);
    this.#freeLane(batch);
    await publishing;
  }

  /** Small batches publish beside each other, and large ones one at a time, so that what is held in memory stays bounded. */
  async #publishedEnough(): Promise<void> {
    const rows = () => [...this.#publishing.values()].reduce((sum, batch) => sum + batch.rows, 0);
    while (rows() > ROWS_PUBLISHING) await Promise.race(this.#publishing.keys());
  }

  /**
   * Undefined when the process stops first, or when partitions of the batch were lost: messages of its other
   * partitions then wait for the next batch.
   */
  async #handleOrdered(batch: Batch): Promise<HandledBatch | undefined> {
    const { handler, log, onLost } = this.#options;
    try {
      return await this.#persist(batch, "handle", async () => {
        const handled = await handler(batch.messages, batch.span);
        if (!handled.outcomes.some(({ kind }) => kind === "retry")) return handled;
        throw new Error(
          "on an ordered hop no message can be retried alone, later ones would overtake it: throw instead",
        );
      });
    } catch (error) {
      if (!(error instanceof LostPartitions)) throw error;
      const lost = new Set(error.partitions);
      log.warn({ err: error, partitions: error.partitions }, "partitions are lost");
      await onLost?.(error.partitions);
      this.#waiting.putBack(batch.entries.filter(({ message }) => !lost.has(message.partition)));
      return undefined;
    }
  }

  async #publishOrdered(batch: Batch, handled: HandledBatch): Promise<void> {
    const entries = batch.entries.map((entry, i) => [entry, handled.outcomes[i] as MessageResult] as const);
    const isPublished = await this.#persist(batch, "publish", async () => {
      await handled.publish?.();
      for (const [entry, result] of entries) await batch.bury(entry, result);
      return true;
    });
    // The process stops. The position says that this is not published: the partition's next owner does it.
    if (!isPublished) {
      batch.leave();
      return;
    }
    handled.published?.();
    for (const [entry, result] of entries) batch.settle(entry, result);
    batch.end();
  }

  /** Tries until it works; undefined when the process stops first. A lost partition ends the attempts. */
  async #persist<T>(
    batch: Batch,
    step: "handle" | "publish",
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1; !this.#isStopping || attempt === 1; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof LostPartitions) throw error;
        batch.failed(step, attempt, error);
        const wait = retryDelayMs(attempt, Math.random());
        await this.#pause(step === "publish" ? Math.min(LIMITS.publishRetryMs, wait) : wait);
      }
    }
    return undefined;
  }

  /** Ends early when the process is told to stop, or when `hurry` is called. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopping) return;
    await delay(ms, undefined, { signal: this.#hurry.signal }).catch(() => {});
  }

  #release({ entries }: Batch): void {
    this.#underWay -= entries.length;
    for (const entry of entries) entry.release();
  }
}

/** If a dead letter cannot be stored, its own message comes again, and no other. */
async function settle(batch: Batch, entry: Held, result: MessageResult): Promise<void> {
  const known = await batch.bury(entry, result).then(
    () => result,
    (error: unknown): MessageResult => ({ kind: "retry", error }),
  );
  batch.settle(entry, known);
}
