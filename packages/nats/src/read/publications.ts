import { LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Batch } from "./batch.ts";
import type { FinalResult } from "./message-result.ts";
import type { CommittedMessages, OrderedSteps } from "./ordered-steps.ts";

/**
 * The most rows of batches being published while the next one is handled: beyond it, that one waits to be
 * published, too.
 */
const ROWS = 500;

/**
 * The publications of committed batches that are under way. Small batches are published concurrently, and
 * large ones one at a time, so that memory stays bounded. Each is tried until it succeeds.
 */
export class Publications<Committed extends CommittedMessages> {
  readonly #steps: Pick<OrderedSteps<unknown, Committed>, "publish" | "move">;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #isStopping: () => boolean;
  /** With their rows. */
  readonly #underWay = new Map<Promise<void>, number>();

  /** @param pause may end early, when another attempt is likely to succeed or the process is told to stop */
  constructor(options: {
    steps: Pick<OrderedSteps<unknown, Committed>, "publish" | "move">;
    pause: (ms: number) => Promise<void>;
    isStopping: () => boolean;
  }) {
    this.#steps = options.steps;
    this.#pause = options.pause;
    this.#isStopping = options.isStopping;
  }

  get areFull(): boolean {
    let sum = 0;
    for (const rows of this.#underWay.values()) sum += rows;
    return sum > ROWS;
  }

  /**
   * Begins to publish a batch as soon as there is room; resolves then. Looks for room and takes it in one step:
   * several batches may wait for it.
   * @returns resolves once the batch is published, or is left to the partition's next owner because the process
   * stops
   */
  async begin(batch: Batch, committed: Committed): Promise<{ readonly published: Promise<void> }> {
    while (this.areFull) await Promise.race(this.#underWay.keys());
    const published = this.#publish(batch, committed).finally(() => this.#underWay.delete(published));
    this.#underWay.set(published, batch.rows);
    return { published };
  }

  async #publish(batch: Batch, committed: Committed): Promise<void> {
    const results = batch.entries.map((entry, i) => [entry, committed.results[i] as FinalResult] as const);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#steps.publish(committed, batch.span);
        for (const [entry, result] of results) await batch.bury(entry, result);
        break;
      } catch (error) {
        batch.failed("publish", attempt, error);
        await this.#pause(Math.min(LIMITS.publishRetryMs, retryDelayMs(attempt, Math.random())));
        // The position shows that this batch is not published: the partition's next owner publishes it.
        if (this.#isStopping()) return batch.leave();
      }
    }
    this.#steps.move(committed);
    for (const [entry, result] of results) batch.settle(entry, result);
    batch.end();
  }
}
