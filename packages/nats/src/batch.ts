import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { errorClass, type Log, type Span, type Tracing, type Work } from "#runtime";
import type { Stream } from "./connect.ts";
import { bury } from "./dead-letters/bury.ts";
import { beginBatchSpan, describeBatch, type StreamMessage } from "./message.ts";
import type { LoopObserver, MessageResult } from "./outcome.ts";

/** A message that was read, with the functions that tell its feed what became of it. */
export interface Held {
  readonly message: StreamMessage;
  /** How often this process has handed the message out, this time included. */
  readonly deliveries: number;
  /** Nothing is left to do about the message. */
  done(result: MessageResult): void;
  /** Of an unordered hop: the message failed, and is to be handed out again after `afterMs`. */
  giveBack(afterMs: number): void;
  /** The loop does not hold the message any more: there is room for another. */
  release(): void;
}

/**
 * Messages that were read and are in no batch yet, and how batches are made of them.
 *
 * Of an ordered hop a partition is in one batch at a time. A few messages, of whatever partitions, make one batch, and wait
 * while another is being handled: it costs hardly more than one of a single message. Where there are many, each partition has
 * a batch of its own, and they are handled side by side.
 */
export class WaitingMessages {
  readonly #isOrdered: boolean;
  readonly #batchBytes: number;
  /** In the order in which they came. */
  #waiting: Held[] = [];
  /** Partitions with a batch that is being handled. */
  readonly #busy = new Set<number>();
  /** Of busy partitions: their next batches, which were announced. */
  readonly #announced = new Map<number, readonly Held[]>();
  /** Who came before whom; messages that are put back keep their turn. */
  readonly #turns = new WeakMap<Held, number>();
  #lastTurn = 0;

  /**
   * @param isOrdered whether messages of one partition are handled one batch after the other
   * @param batchBytes of a batch of more than one message
   */
  constructor(isOrdered: boolean, batchBytes: number) {
    this.#isOrdered = isOrdered;
    this.#batchBytes = batchBytes;
  }

  get count(): number {
    return [...this.#announced.values()].reduce((sum, { length }) => sum + length, this.#waiting.length);
  }

  get rows(): number {
    return rowsOf(this.#waiting);
  }

  /** Whether one of them comes again, and is to be handled alone. */
  get someAlone(): boolean {
    return this.#waiting.some(isHandledAlone);
  }

  add(entry: Held): void {
    this.#turns.set(entry, ++this.#lastTurn);
    this.#waiting.push(entry);
  }

  /** Messages of a batch that came to nothing; they are before all others of their partitions. */
  putBack(entries: readonly Held[]): void {
    const announced = [...this.#announced.values()].flat();
    this.#announced.clear();
    this.#waiting = [...entries, ...announced, ...this.#waiting];
  }

  forget(partition: number): void {
    this.#announced.delete(partition);
    this.#waiting = this.#waiting.filter(({ message }) => message.partition !== partition);
  }

  removeAll(): readonly Held[] {
    this.putBack([]);
    return this.#waiting.splice(0);
  }

  /** The next batch, empty if there is none; its partitions are busy from here on. */
  take(): readonly Held[] {
    const entries = this.#takeNext();
    if (this.#isOrdered) for (const { message } of entries) this.#busy.add(message.partition);
    return entries;
  }

  /** The batch is handled. */
  release(entries: readonly Held[]): void {
    for (const { message } of entries) this.#busy.delete(message.partition);
  }

  /** The next batches of busy partitions that need not grow any more, each once. */
  announce(): (readonly Held[])[] {
    const partitions = [...this.#busy].filter((partition) => !this.#announced.has(partition));
    return partitions.flatMap((partition) => {
      const own = this.#waiting.filter(({ message }) => message.partition === partition);
      if (rowsOf(own) < LIMITS.rowsPerBatch / 2) return [];
      const entries = this.#takeSome(own);
      this.#announced.set(partition, entries);
      return [entries];
    });
  }

  /**
   * What was announced, unless others came before it: a partition with always the next batch announced would otherwise go
   * before them every time, and a few messages would wait until it is empty.
   */
  #takeNext(): readonly Held[] {
    const announced = this.#freeAnnounced();
    const [first] = announced ?? [];
    const free = this.#free(first === undefined);
    if (announced === undefined || first === undefined || this.#isBefore(free[0], first)) {
      return this.#takeSome(free);
    }
    this.#announced.delete(first.message.partition);
    return announced;
  }

  #freeAnnounced(): readonly Held[] | undefined {
    for (const [partition, entries] of this.#announced) if (!this.#busy.has(partition)) return entries;
    return undefined;
  }

  #isBefore(one: Held | undefined, other: Held): boolean {
    return one !== undefined && (this.#turns.get(one) ?? 0) < (this.#turns.get(other) ?? 0);
  }

  /** @param mayWait whether a few wait while a batch is handled */
  #free(mayWait: boolean): readonly Held[] {
    const free = this.#waiting.filter(
      ({ message: { partition } }) => !this.#busy.has(partition) && !this.#announced.has(partition),
    );
    const [first] = free;
    if (!this.#isOrdered || first === undefined) return free;
    if (rowsOf(free) <= LIMITS.rowsAtOnce) return mayWait && this.#busy.size > 0 ? [] : free;
    return free.filter(({ message }) => message.partition === first.message.partition);
  }

  /** As many of these as make a batch, the first of them at least. */
  #takeSome(entries: readonly Held[]): readonly Held[] {
    let rows = 0;
    let bytes = 0;
    let count = 0;
    for (const entry of entries) {
      rows += entry.message.rows;
      bytes += entry.message.data.length;
      const fits = rows <= LIMITS.rowsPerBatch && bytes <= this.#batchBytes && !isHandledAlone(entry);
      if (count > 0 && !fits) break;
      count++;
      if (!fits) break;
    }
    const taken = new Set(entries.slice(0, count));
    this.#waiting = this.#waiting.filter((entry) => !taken.has(entry));
    return [...taken];
  }
}

function rowsOf(entries: readonly Held[]): number {
  return entries.reduce((sum, { message }) => sum + message.rows, 0);
}

function isHandledAlone({ deliveries }: Held): boolean {
  return deliveries > 1;
}

/** Where the batches of a loop come from, and what observes them. */
export interface BatchParts {
  readonly stream: Stream;
  readonly hop: Hop;
  readonly observer: LoopObserver;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/** The error in the span of a batch that is left to another process. */
const STOPPED = "stopped";

/** One batch, from its first step to its last message's result: span, log line, dead letters, metrics. */
export class Batch {
  readonly entries: readonly Held[];
  readonly messages: readonly StreamMessage[];
  /** Undefined where nothing in the batch is traced. */
  readonly span: Span | undefined;
  readonly #parts: BatchParts;
  readonly #started = performance.now();
  readonly #work: Work;
  readonly #counts = { done: 0, skip: 0, retry: 0, dead: 0 };

  constructor(parts: BatchParts, entries: readonly Held[]) {
    this.#parts = parts;
    this.entries = entries;
    this.messages = entries.map(({ message }) => message);
    this.#work = parts.stream.progress.begin(parts.hop.stream);
    this.span = parts.tracing && beginBatchSpan(parts.tracing, parts.hop, this.messages);
  }

  /** Database rows that it stands for. */
  get rows(): number {
    return rowsOf(this.entries);
  }

  /**
   * Stores the dead letter of a message that is dead; does nothing for any other. Called before the message
   * is done: after a crash in between, the message comes again, and both letters have the same id and
   * become one.
   */
  async bury({ message }: Held, result: MessageResult): Promise<void> {
    if (result.kind !== "dead") return;
    const { stream, hop, log } = this.#parts;
    const { subject, partition, sequence, storedAtMs } = message;
    const letter = { reason: result.reason, hop: hop.stream, partition, sequence };
    log.error({ ...letter, subject }, "message is dead");
    // A stream that was made anew counts from 1 again: the time tells two messages of one sequence apart.
    await bury(stream, letter, String(storedAtMs));
  }

  /** Acts on a result. The dead letter of a dead message is stored by now. */
  settle(entry: Held, result: MessageResult): void {
    this.#counts[result.kind]++;
    if (result.kind === "retry") {
      this.#giveBack([entry], result.error);
      return;
    }
    entry.done(result);
    this.#parts.observer.outcome(result.kind, result.kind === "done" ? "none" : result.reason);
  }

  /** To be called when every message is settled. */
  end(): void {
    const { hop, log } = this.#parts;
    const ms = Math.round(performance.now() - this.#started);
    const { skip: skipped, retry: retried, dead } = this.#counts;
    const described = describeBatch(this.messages, this.span);
    log.info({ hop: hop.stream, ms, ...described, skipped, retried, dead }, "batch");
    // Otherwise each of its messages has been given back.
    if (retried < this.entries.length) this.#work.done();
    this.span?.end();
  }

  /** A step of the batch failed and is tried again here, because the messages behind it must wait for it. */
  failed(step: "handle" | "publish", attempt: number, error: unknown): void {
    const { observer, log, hop } = this.#parts;
    observer.retried(error);
    this.#work.refused(error);
    log.warn({ err: error, hop: hop.stream, attempt, step }, "batch failed; trying again");
  }

  /** The whole batch failed: all its messages are handed out again, each alone. */
  giveBack(error: unknown): void {
    this.span?.end(undefined, errorClass(error));
    this.#giveBack(this.entries, error);
  }

  /** The batch is left to another process. */
  leave(): void {
    this.#work.left();
    this.span?.end(undefined, STOPPED);
  }

  #giveBack(entries: readonly Held[], error: unknown): void {
    const { observer, log, hop } = this.#parts;
    observer.retried(error);
    this.#work.gaveBack(error);
    const attempt = Math.max(...entries.map(({ deliveries }) => deliveries));
    const described = describeBatch(entries.map(({ message }) => message));
    log.warn({ err: error, hop: hop.stream, attempt, ...described }, "batch failed; trying again");
    for (const entry of entries) entry.giveBack(againAfterMs(entry.deliveries));
  }
}

/** Milliseconds until the next attempt: 100, 200, 400, each ±20 %, then 500 (`LIMITS.unorderedRetryMs`). */
export function againAfterMs(attempt: number): number {
  return Math.min(LIMITS.unorderedRetryMs, retryDelayMs(attempt, Math.random()));
}
