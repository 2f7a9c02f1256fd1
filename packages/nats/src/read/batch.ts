import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { errorClass, type Log, type Span, type Tracing, type Work } from "#runtime";
import type { Stream } from "../connection/connect.ts";
import { bury } from "../dead-letters/bury.ts";
import { beginBatchSpan, describeBatch, type StreamMessage } from "./message.ts";
import type { LoopObserver, MessageResult } from "./message-result.ts";

/** A message that was read, with the functions that report its result to its feed. */
export interface QueuedMessage {
  readonly message: StreamMessage;
  /** How often this process has handed the message out, including this time. */
  readonly deliveries: number;
  /** The message needs no more work. */
  done(result: MessageResult): void;
  /** For an unordered hop: the message failed, and is to be handed out again after `afterMs`. */
  retryLater(afterMs: number): void;
  /** Frees the message's room, though consequences of it may not be published yet. */
  release(): void;
}

/**
 * As many of these messages as fit into a batch by rows and bytes, but at least one; a failed message comes
 * again alone.
 */
export function firstBatch(
  entries: readonly QueuedMessage[],
  batchBytes = Number.POSITIVE_INFINITY,
): readonly QueuedMessage[] {
  let rows = 0;
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    rows += entry.message.rows;
    bytes += entry.message.data.length;
    const fits = rows <= LIMITS.rowsPerBatch && bytes <= batchBytes && !comesAgain(entry);
    if (count > 0 && !fits) break;
    count++;
    if (!fits) break;
  }
  return entries.slice(0, count);
}

export function rowsOf(entries: readonly QueuedMessage[]): number {
  return entries.reduce((sum, { message }) => sum + message.rows, 0);
}

/** It failed before, and is handled alone. */
export function comesAgain({ deliveries }: QueuedMessage): boolean {
  return deliveries > 1;
}

/** The source of a loop's batches, and their observers. */
export interface BatchParts {
  readonly stream: Stream;
  readonly hop: Hop;
  readonly observer: LoopObserver;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/** The error in the span of a batch that is left to another process, or to other batches. */
const STOPPED = "stopped";

/** One batch, from its first step to its last message's result: span, log line, dead letters, metrics. */
export class Batch {
  readonly entries: readonly QueuedMessage[];
  readonly messages: readonly StreamMessage[];
  /** Undefined: nothing in the batch is traced. */
  readonly span: Span | undefined;
  readonly #parts: BatchParts;
  readonly #started = performance.now();
  readonly #work: Work;
  readonly #counts = { done: 0, skip: 0, retry: 0, dead: 0 };
  #isReleased = false;

  constructor(parts: BatchParts, entries: readonly QueuedMessage[]) {
    this.#parts = parts;
    this.entries = entries;
    this.messages = entries.map(({ message }) => message);
    this.#work = parts.stream.progress.begin(parts.hop.stream);
    this.span = parts.tracing && beginBatchSpan(parts.tracing, parts.hop, this.messages);
  }

  /** The number of database rows in it. */
  get rows(): number {
    return rowsOf(this.entries);
  }

  /** Frees the room of its messages, though their consequences may not be published yet. Once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const entry of this.entries) entry.release();
  }

  /**
   * Stores the dead letter of a message that is dead; does nothing for any other. Called before the message
   * is done: after a crash in between, the message comes again, and both letters have the same id and
   * become one.
   */
  async bury({ message }: QueuedMessage, result: MessageResult): Promise<void> {
    if (result.kind !== "dead") return;
    const { stream, hop, log } = this.#parts;
    const { subject, partition, sequence, storedAtMs } = message;
    const letter = { reason: result.reason, hop: hop.stream, partition, sequence };
    log.error({ ...letter, subject }, "message is dead");
    // A recreated stream counts from 1 again: the time distinguishes two messages with one sequence.
    await bury(stream, letter, String(storedAtMs));
  }

  /** Carries out a result. The dead letter of a dead message is stored by now. */
  settle(entry: QueuedMessage, result: MessageResult): void {
    this.#counts[result.kind]++;
    if (result.kind === "retry") {
      this.#retryLater([entry], result.error);
      return;
    }
    entry.done(result);
    this.#parts.observer.outcome(result.kind, result.kind === "done" ? "none" : result.reason);
  }

  /** Call it once every message is settled. */
  end(): void {
    const { hop, log } = this.#parts;
    const { skip: skipped, retry: retried, dead } = this.#counts;
    if (log.isLevelEnabled("info")) {
      const ms = Math.round(performance.now() - this.#started);
      const described = describeBatch(this.messages, this.span);
      log.info({ hop: hop.stream, ms, ...described, skipped, retried, dead }, "batch");
    }
    // Otherwise each of its messages has been given back.
    if (retried < this.entries.length) this.#work.done();
    this.span?.end();
  }

  /** A step of the batch failed and is tried again here, because later messages must wait for it. */
  failed(step: "handle" | "publish", attempt: number, error: unknown): void {
    const { observer, log, hop } = this.#parts;
    observer.retried(error);
    this.#work.refused(error);
    log.warn({ err: error, hop: hop.stream, attempt, step }, "batch failed; trying again");
  }

  /** The whole batch failed: all its messages are handed out again, each alone. */
  retryLater(error: unknown): void {
    this.span?.end(undefined, errorClass(error));
    this.#retryLater(this.entries, error);
  }

  /** The batch is left to another process, or to other batches. */
  leave(): void {
    this.#work.left();
    this.span?.end(undefined, STOPPED);
  }

  #retryLater(entries: readonly QueuedMessage[], error: unknown): void {
    const { observer, log, hop } = this.#parts;
    observer.retried(error);
    this.#work.failed(error);
    const attempt = Math.max(...entries.map(({ deliveries }) => deliveries));
    const described = describeBatch(entries.map(({ message }) => message));
    log.warn({ err: error, hop: hop.stream, attempt, ...described }, "batch failed; trying again");
    for (const entry of entries) entry.retryLater(againAfterMs(entry.deliveries));
  }
}

/** Milliseconds until the next attempt: 100, 200, 400, each ±20 %, then 500 (`LIMITS.unorderedRetryMs`). */
export function againAfterMs(attempt: number): number {
  return Math.min(LIMITS.unorderedRetryMs, retryDelayMs(attempt, Math.random()));
}
