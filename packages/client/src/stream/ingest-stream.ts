import type { Writable } from "node:stream";
import type { WritableStream } from "node:stream/web";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import { toWebWritable, toWritable, type WrittenStream } from "./as-writable.ts";
import type { EventOutcome, OutcomeCounts } from "./event-outcome.ts";
import type { EventSender, QueuedEvent } from "./event-queue.ts";
import { Fifo } from "./fifo.ts";
import { Pace } from "./pace.ts";
import { type PostEvents, Sender } from "./sender.ts";
import { type CloseOptions, checkedOptions, type EventStream, type StreamOptions } from "./stream-options.ts";
import {
  type RejectedResult,
  UndeliveredError,
  UnheardFailure,
  UnheardRejectionsError,
} from "./undelivered-error.ts";
import { findFault } from "./validate-event.ts";

/** How many rejections without a listener the stream keeps for its `UnheardRejectionsError`. */
const KEPT_REJECTIONS = 100;
const DONE: Promise<void> = Promise.resolve();

/** A flush that waits for `left` more of the events up to a number. */
interface Flush {
  readonly upTo: number;
  left: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface StreamParts {
  /** Called once the stream has failed or is closed. */
  readonly onEnd?: () => void;
  readonly pace?: Pace;
}

/** An event that waits for room. */
interface Waiter {
  readonly queued: QueuedEvent;
  /**
   * The call of `write` that waits for room; undefined for an event that is sent: its sender waits for its
   * outcome.
   */
  readonly writer: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
}

/**
 * The streaming client. An event is in one place at any moment: it waits for room, is held (queued or on its
 * way), or has its outcome. What is held is bounded; what waits for room is as much as callers do at once.
 */
export class IngestStream implements EventStream, WrittenStream {
  readonly #options: ReturnType<typeof checkedOptions>;
  readonly #sender: Sender;
  /** In the order in which they were given. */
  readonly #held = new Set<QueuedEvent>();
  /** In that order too, and all of them after those that are held. */
  readonly #waiters = new Fifo<Waiter>();
  readonly #flushes = new Set<Flush>();
  readonly #failureListeners = new Set<(error: UndeliveredError) => void>();
  readonly #counts = { created: 0, updated: 0, unchanged: 0, rejected: 0, accepted: 0, ignored: 0 };
  #unheardRejections: RejectedResult[] = [];
  #unheardTotal = 0;
  #given = 0;
  #failure: UndeliveredError | undefined;
  #unheardFailure: UnheardFailure | undefined;
  #closing: Promise<void> | undefined;
  readonly #onEnd: () => void;

  /**
   * @throws RangeError for an option that is out of its range
   */
  constructor(post: PostEvents, options: StreamOptions = {}, { onEnd, pace }: StreamParts = {}) {
    this.#options = checkedOptions(options);
    this.#onEnd = onEnd ?? (() => {});
    this.#sender = new Sender({
      ...this.#options,
      post,
      pace: pace ?? new Pace(this.#options.maxInFlight),
      onRetry: this.#options.onRetry,
      onOutcome: (queued, outcome) => this.#settle(queued, outcome),
      onFailure: (cause) => this.#fail(cause),
    });
  }

  get counts(): OutcomeCounts {
    return { ...this.#counts };
  }

  get buffered(): number {
    return this.#held.size;
  }

  write(event: TransactionEvent): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const fault = findFault(event);
    if (fault !== undefined) {
      this.#tell(event, fault, undefined);
      return DONE;
    }
    const queued = this.#toQueued(event, undefined);
    if (this.#hasRoom()) {
      this.#hold(queued);
      return DONE;
    }
    return new Promise((resolve, reject) => this.#await({ queued, writer: { resolve, reject } }));
  }

  send(event: TransactionEvent): Promise<EventOutcome> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const fault = findFault(event);
    return new Promise((resolve, reject) => {
      const sender = { resolve, reject };
      if (fault !== undefined) {
        this.#tell(event, fault, sender);
        return;
      }
      const queued = this.#toQueued(event, sender);
      if (this.#hasRoom()) this.#hold(queued);
      else this.#await({ queued, writer: undefined });
    });
  }

  async flush(): Promise<void> {
    this.#throwFailure();
    const left = this.#held.size + this.#waiters.size;
    const flushed = new Promise<void>((resolve, reject) => {
      if (left === 0) return resolve();
      this.#flushes.add({ upTo: this.#given, left, resolve, reject });
      this.#sender.hurry(this.#given);
    });
    await flushed;
    // A listener may have thrown at the last outcome.
    this.#throwFailure();
    this.#throwRejections();
  }

  async close({ timeoutMs }: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#finish();
    if (timeoutMs === undefined) return this.#closing;
    const late = () => this.#fail(new Error(`the stream was to be closed within ${timeoutMs} ms`));
    const timer = setTimeout(late, timeoutMs);
    await this.#closing.finally(() => clearTimeout(timer));
  }

  toWritable(): Writable {
    return toWritable(this);
  }

  toWebWritable(): WritableStream<TransactionEvent> {
    return toWebWritable(this);
  }

  onFailure(listener: (error: UndeliveredError) => void): () => void {
    if (this.#failure !== undefined) {
      this.#unheardFailure?.heard();
      listener(this.#failure);
    }
    this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }

  /** Takes what was given before, also what waits for room: `#closing` refuses only what comes later. */
  async #finish(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#sender.stop();
      this.#onEnd();
    }
  }

  #toQueued(event: TransactionEvent, sender: EventSender | undefined): QueuedEvent {
    const json = JSON.stringify(event);
    const bytes = Buffer.byteLength(json);
    return { event, key: event.external_id, json, bytes, number: ++this.#given, sender };
  }

  /** No event overtakes those that wait. */
  #hasRoom(): boolean {
    return this.#waiters.size === 0 && this.#held.size < this.#options.maxBuffered;
  }

  /** If there is no room, the held events need not wait for more: none can come. */
  #await(waiter: Waiter): void {
    this.#waiters.push(waiter);
    this.#sender.hurry();
  }

  #hold(queued: QueuedEvent): void {
    this.#held.add(queued);
    this.#sender.push(queued);
  }

  #settle(queued: QueuedEvent, outcome: EventOutcome): void {
    this.#held.delete(queued);
    this.#tell(queued.event, outcome, queued.sender);
    for (const flush of this.#flushes) {
      if (queued.number > flush.upTo || --flush.left > 0) continue;
      this.#flushes.delete(flush);
      flush.resolve();
    }
    while (this.#waiters.size > 0 && this.#held.size < this.#options.maxBuffered) {
      const { queued: next, writer } = this.#waiters.shift() as Waiter;
      this.#hold(next);
      writer?.resolve();
    }
  }

  #tell(event: TransactionEvent, outcome: EventOutcome, sender: EventSender | undefined): void {
    this.#counts[outcome.outcome] += 1;
    if ("ignored" in outcome) this.#counts.ignored += 1;
    const { onOutcome, onRejected } = this.#options;
    try {
      onOutcome?.(event, outcome);
      if (outcome.outcome === "rejected") {
        onRejected?.(event, outcome);
        const isHeard = onOutcome !== undefined || onRejected !== undefined || sender !== undefined;
        if (!isHeard) this.#keepRejection({ event, outcome });
      }
    } catch (error) {
      // Later, so that the other events of the same answer have their outcome before the stream fails.
      queueMicrotask(() => this.#fail(error));
    }
    sender?.resolve(outcome);
  }

  #keepRejection(result: RejectedResult): void {
    this.#unheardTotal += 1;
    if (this.#unheardRejections.length < KEPT_REJECTIONS) this.#unheardRejections.push(result);
  }

  #throwRejections(): void {
    if (this.#unheardTotal === 0) return;
    const error = new UnheardRejectionsError(this.#unheardRejections, this.#unheardTotal);
    this.#unheardRejections = [];
    this.#unheardTotal = 0;
    throw error;
  }

  /** Why the stream takes no more events; undefined while it takes them. */
  #refusal(): Error | undefined {
    this.#unheardFailure?.heard();
    if (this.#failure !== undefined) return this.#failure;
    return this.#closing && new Error("the stream is closed, and takes no more events");
  }

  #throwFailure(): void {
    this.#unheardFailure?.heard();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Rejects all waiting calls. A `write` that waits for room has not been taken: its caller keeps the event.
   */
  #fail(cause: unknown): void {
    if (this.#failure !== undefined) return;
    this.#sender.stop();
    const waiters: Waiter[] = [];
    for (let one = this.#waiters.shift(); one !== undefined; one = this.#waiters.shift()) waiters.push(one);
    const sent = waiters.filter(({ writer }) => writer === undefined).map(({ queued }) => queued);
    const undelivered = [...this.#held, ...sent];
    const failure = new UndeliveredError(
      undelivered.map(({ event }) => event),
      cause,
    );
    this.#failure = failure;
    const rejects = [
      ...undelivered.map(({ sender }) => sender?.reject),
      ...waiters.map(({ writer }) => writer?.reject),
      ...[...this.#flushes].map(({ reject }) => reject),
      ...this.#failureListeners,
      this.#options.onError,
    ].filter((reject) => reject !== undefined);
    this.#held.clear();
    this.#flushes.clear();
    if (rejects.length === 0) this.#unheardFailure = new UnheardFailure(failure);
    this.#onEnd();
    for (const reject of rejects) reject(failure);
  }
}
