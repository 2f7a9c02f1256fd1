import { LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { streamFaultOf } from "../publish/publish.ts";
import type { Batch, QueuedMessage } from "./batch.ts";
import { type FinalResult, UnpublishedPartitions } from "./message-result.ts";
import type { CommittedMessages, OrderedSteps } from "./ordered-steps.ts";

/**
 * The most rows of batches being published for the first time while the next one is handled: beyond it, that
 * one waits to be published, too.
 */
const ROWS = 500;
/**
 * The longest pause between two attempts while a stream is full, in milliseconds: each sends all of a batch, and while
 * the receiver is away, all partitions do so.
 */
const FULL_RETRY_MS = 5_000;

/** The longest pause after this failure before a partition is published again, in milliseconds. */
export function longestPauseMs(failure: unknown): number {
  return streamFaultOf(failure) === "stream_full" ? FULL_RETRY_MS : LIMITS.publishRetryMs;
}

interface PublicationsOptions<Committed extends CommittedMessages> {
  readonly steps: Pick<OrderedSteps<unknown, Committed>, "publish" | "move">;
  /** May end early, when another attempt is likely to succeed or the process is told to stop. */
  readonly pause: (ms: number) => Promise<void>;
  /** Whether the next owner of its partition publishes what follows from a message. */
  readonly isGivenUp: (entry: QueuedMessage) => boolean;
  /** Messages are done, or left to the next owner of their partition. */
  readonly onEnded: (messages: number) => void;
}

/** A batch whose consequences are being published. */
interface Publication<Committed> {
  readonly batch: Batch;
  readonly committed: Committed;
  /** Its partitions that are not published. */
  readonly open: Set<number>;
  isLeft: boolean;
}

/**
 * The publications of committed batches that are under way. Small batches are published concurrently, and
 * large ones one at a time, so that memory stays bounded.
 *
 * If a publication fails, each partition that failed is tried again alone, until it succeeds. Others do not
 * wait for it: its stream may be full for long. The loop begins no batch of a failing partition, so that each
 * partition holds what it held when it failed.
 */
export class Publications<Committed extends CommittedMessages> {
  readonly #options: PublicationsOptions<Committed>;
  readonly #first = new Map<Promise<void>, Publication<Committed>>();
  /** The partitions that failed. */
  readonly #again = new Map<Promise<void>, number>();

  constructor(options: PublicationsOptions<Committed>) {
    this.#options = options;
  }

  get areFull(): boolean {
    let sum = 0;
    for (const { batch } of this.#first.values()) sum += batch.rows;
    return sum > ROWS;
  }

  isFailing(partition: number): boolean {
    for (const failed of this.#again.values()) if (failed === partition) return true;
    return false;
  }

  /**
   * Begins to publish a batch as soon as there is room; resolves then. Looks for room and takes it in one step:
   * several batches may wait for it.
   */
  async begin(batch: Batch, committed: Committed): Promise<void> {
    while (this.areFull) await Promise.race(this.#first.keys());
    const open = new Set(batch.messages.map(({ partition }) => partition));
    const publication = { batch, committed, open, isLeft: false };
    const running = this.#publish(publication).then((messages) => {
      this.#first.delete(running);
      this.#options.onEnded(messages);
    });
    this.#first.set(running, publication);
  }

  /** Resolves once all that has begun is published, or left to the next owner of its partition. */
  async ended(isMeant: (partition: number) => boolean): Promise<void> {
    const first = [...this.#first].filter(([, { open }]) => [...open].some(isMeant));
    await Promise.all(first.map(([running]) => running));
    const again = [...this.#again].filter(([, partition]) => isMeant(partition));
    await Promise.all(again.map(([running]) => running));
  }

  /** @returns the number of messages that are done */
  async #publish(publication: Publication<Committed>): Promise<number> {
    const { open } = publication;
    const failed = await this.#attempt(publication, open, 1);
    for (const [partition, error] of failed) {
      const running = this.#publishAgain(publication, partition, error).then((messages) => {
        this.#again.delete(running);
        this.#options.onEnded(messages);
      });
      this.#again.set(running, partition);
    }
    return this.#settle(publication, new Set([...open].filter((partition) => !failed.has(partition))));
  }

  /** @returns the number of messages that are done or left */
  async #publishAgain(
    publication: Publication<Committed>,
    partition: number,
    error: unknown,
  ): Promise<number> {
    const { pause, isGivenUp } = this.#options;
    const own = publication.batch.entries.filter(({ message }) => message.partition === partition);
    const only = new Set([partition]);
    let failure = error;
    for (let attempt = 2; ; attempt++) {
      await pause(Math.min(longestPauseMs(failure), retryDelayMs(attempt - 1, Math.random())));
      // The position shows that this batch is not published: the partition's next owner publishes it.
      if (own.some(isGivenUp)) {
        publication.isLeft = true;
        this.#close(publication, only);
        return own.length;
      }
      const failed = await this.#attempt(publication, only, attempt);
      if (failed.size === 0) return this.#settle(publication, only);
      failure = failed.get(partition);
    }
  }

  /** @returns those of the partitions that failed, with the error of each */
  async #attempt(
    { batch, committed }: Publication<Committed>,
    partitions: ReadonlySet<number>,
    attempt: number,
  ): Promise<ReadonlyMap<number, unknown>> {
    let failures = new Map<number, unknown>();
    try {
      await this.#options.steps.publish(committed, attempt === 1 ? undefined : partitions, batch.span);
    } catch (error) {
      failures = failuresOf(error, partitions);
    }
    for (const [i, entry] of batch.entries.entries()) {
      const { partition } = entry.message;
      if (!partitions.has(partition) || failures.has(partition)) continue;
      const result = committed.results[i] as FinalResult;
      await batch.bury(entry, result).catch((error) => failures.set(partition, error));
    }
    const [failure] = failures.values();
    if (failures.size > 0) batch.failed("publish", attempt, failure);
    return failures;
  }

  /** @returns the number of messages that are done */
  #settle(publication: Publication<Committed>, partitions: ReadonlySet<number>): number {
    const { batch, committed } = publication;
    let messages = 0;
    if (partitions.size > 0) this.#options.steps.move(committed, partitions);
    for (const [i, entry] of batch.entries.entries()) {
      if (!partitions.has(entry.message.partition)) continue;
      batch.settle(entry, committed.results[i] as FinalResult);
      messages++;
    }
    this.#close(publication, partitions);
    return messages;
  }

  #close({ batch, open, isLeft }: Publication<Committed>, partitions: ReadonlySet<number>): void {
    for (const partition of partitions) open.delete(partition);
    if (open.size > 0) return;
    if (isLeft) batch.leave();
    else batch.end();
  }
}

/** The error of each partition that failed: of some, or of all with the same error. */
function failuresOf(error: unknown, partitions: ReadonlySet<number>): Map<number, unknown> {
  if (error instanceof UnpublishedPartitions) return new Map(error.failures);
  return new Map([...partitions].map((partition) => [partition, error]));
}
