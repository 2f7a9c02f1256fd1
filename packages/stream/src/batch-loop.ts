import { setTimeout as delay } from "node:timers/promises";
import type { JsMsg } from "@nats-io/jetstream";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Log, Span, Tracing } from "#runtime";
import type { Stream } from "./connect.ts";
import { whileConnected } from "./connected.ts";
import { bury } from "./dead-letters.ts";
import { Delivery } from "./delivery.ts";
import { beginBatchSpan, describeBatch, factsOf, type MessageFacts } from "./message-facts.ts";
import { resetConsumer, rewindConsumer, streamName } from "./topology.ts";
import { isUnled } from "./until-led.ts";

/** A message as a handler sees it. */
export interface StreamMessage {
  readonly partition: number;
  /** Position in its stream. */
  readonly sequence: number;
  /** A view into the client's buffer: whoever hands it to a worker copies it first. */
  readonly data: Uint8Array;
  /** When the stream stored it, milliseconds since 1970, by the server's clock. */
  readonly storedAtMs: number;
  readonly traceIds: string;
}

/**
 * What became of one message. The loop turns it into an acknowledgement, a dead letter and a metric.
 * - done: its effects are durable.
 * - skip: nothing to do; also acknowledged.
 * - dead: it can never be handled, and becomes a dead letter.
 */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "dead"; readonly reason: string };

/** A batch whose effects are durable, and what is left to do before its messages are acknowledged. */
export interface HandledBatch {
  /** One for each message. */
  readonly outcomes: readonly Outcome[];
  /** Publishes what follows from the batch, under ids that make repeating it harmless. Runs beside the next batch. */
  publish(): Promise<void>;
}

/**
 * Handles messages of one lane in the order of their streams and commits their effects. Throwing means that the whole
 * batch is to be tried again. The span is that of the batch, until it is acknowledged; undefined where it is not traced.
 */
export type BatchHandler = (
  batch: readonly StreamMessage[],
  attempt: number,
  span?: Span | undefined,
) => Promise<HandledBatch>;

export interface LoopObserver {
  outcome(outcome: Outcome["kind"], reason: string): void;
  /** A batch failed and is tried again. */
  retried(error: unknown): void;
}

/** What the span of a batch failed for that is left to another process. */
const STOPPED = "stopped";

/**
 * One lane: takes messages of its partitions as they come, hands them to the handler in batches of at most
 * `LIMITS.rowsPerBatch` rows, one batch at a time, and acknowledges. While a batch is being written the next one
 * gathers, so batches grow by themselves with the load and a lone message never waits. What follows from a batch is
 * published beside the handling of the next one.
 *
 * Crashes thought of: before the commit, nothing happened and the messages come again; between commit and
 * acknowledgement, they come again and the handler finds its own rows; while a failed batch waits for its next
 * attempt, `working` keeps the server from handing it to anybody, and an owner that dies loses it to the next one.
 */
export class BatchLoop {
  readonly #stream: Stream;
  readonly #hop: Hop;
  readonly #handler: BatchHandler;
  readonly #observer: LoopObserver;
  readonly #tracing: Tracing | undefined;
  readonly #log: Log;
  readonly #queue: Queued[] = [];
  /** Messages of batches that are being handled or published. */
  #underWay = 0;
  readonly #deliveries = new Map<number, Delivery>();
  /** Partitions whose consumer this lane has made since they are its own. */
  readonly #known = new Set<number>();
  /** Deliveries that are being begun anew. */
  readonly #renewals = new Set<Promise<void>>();
  #lastStart = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  /** The batch that is being handled. */
  #handling: Promise<unknown> = Promise.resolve();
  /** The batch before it, whose consequences are being published. */
  #publishing: Promise<unknown> = Promise.resolve();
  #stopping = false;
  /** Counts partitions that were added, for whoever waits to try again. */
  #added = 0;

  constructor(options: {
    stream: Stream;
    hop: Hop;
    handler: BatchHandler;
    observer: LoopObserver;
    tracing?: Tracing | undefined;
    log: Log;
  }) {
    this.#stream = options.stream;
    this.#hop = options.hop;
    this.#handler = options.handler;
    this.#observer = options.observer;
    this.#tracing = options.tracing;
    this.#log = options.log;
  }

  /** Messages that are held and not yet acknowledged, those of batches under way among them. */
  get held(): number {
    return this.#queue.length + this.#underWay;
  }

  /** Starts delivery of a partition, from its oldest message that is not acknowledged. */
  async add(partition: number): Promise<void> {
    // Left by an attempt that a broken connection cut short.
    await this.#deliveries.get(partition)?.end();
    const delivery = this.#newDelivery(partition);
    this.#deliveries.set(partition, delivery);
    try {
      await this.#begin(partition, delivery);
    } catch (error) {
      if (this.#deliveries.get(partition) === delivery) this.#deliveries.delete(partition);
      throw error;
    }
    this.#added++;
  }

  #newDelivery(partition: number): Delivery {
    const receive = (message: JsMsg) => {
      this.#stream.heard();
      this.#queue.push(queued(partition, message));
      this.#wake();
    };
    const delivery = new Delivery(receive, (reason) => {
      const renewal = this.#renew(partition, delivery, reason).finally(() => this.#renewals.delete(renewal));
      this.#renewals.add(renewal);
    });
    return delivery;
  }

  async #begin(partition: number, delivery: Delivery): Promise<void> {
    const askedAt = performance.now();
    try {
      // Not past the end of a connection: the next owner may be at it by then.
      const reset = this.#known.has(partition) ? rewindConsumer : resetConsumer;
      await whileConnected(this.#stream, reset(this.#stream, this.#hop, partition));
      if (this.#deliveries.get(partition) === delivery) this.#known.add(partition);
      const name = streamName(this.#stream, this.#hop, partition);
      const { consumers } = this.#stream.jetstream;
      const consumer = await whileConnected(this.#stream, consumers.get(name, this.#hop.consumer));
      await delivery.begin(consumer);
      this.#stream.heard();
    } catch (error) {
      if (isUnled(error)) this.#stream.unheard(askedAt);
      throw error;
    }
  }

  /**
   * Begins a broken delivery anew, until it works, or the partition is somebody else's. What was prefetched is forgotten: it
   * comes again, and in order. The batch under way goes on, and what of it comes again finds its rows.
   */
  async #renew(partition: number, broken: Delivery, reason: string): Promise<void> {
    this.#log.warn({ partition, reason }, "delivery broke; beginning anew");
    let current = broken;
    for (let attempt = 1; ; attempt++) {
      await current.end();
      if (this.#stopping || this.#deliveries.get(partition) !== current) return;
      this.#forget(partition);
      const next = this.#newDelivery(partition);
      this.#deliveries.set(partition, next);
      try {
        await this.#begin(partition, next);
        this.#added++;
        return;
      } catch (error) {
        this.#log.warn({ partition, err: error, attempt }, "delivery did not begin; trying again");
      }
      current = next;
      await delay(Math.min(LIMITS.publishRetryMs, retryDelayMs(attempt, Math.random())));
    }
  }

  #forget(partition: number): void {
    const kept = this.#queue.filter((entry) => entry.message.partition !== partition);
    this.#queue.splice(0, this.#queue.length, ...kept);
  }

  /**
   * Ends delivery of a partition; what it had prefetched is forgotten and belongs to the next owner.
   * @param finish waits until the batch under way, which may hold messages of it, is settled
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const delivery = this.#deliveries.get(partition);
    this.#deliveries.delete(partition);
    this.#known.delete(partition);
    await delivery?.end();
    this.#forget(partition);
    if (!finish) return;
    // One that is late would make the next owner's consumer anew.
    await Promise.all(this.#renewals);
    await this.#handling;
    await this.#publishing;
  }

  /**
   * The connection broke: whatever comes from now on under the old deliveries is ignored, and what was prefetched is
   * forgotten. The server would hand out what was lost only after the ack wait, and newer messages at once; so delivery
   * begins anew, with `add`, at the oldest message that is not acknowledged.
   */
  interrupt(): void {
    for (const delivery of this.#deliveries.values()) void delivery.end();
    this.#deliveries.clear();
    this.#queue.length = 0;
  }

  /**
   * Ends delivery and finishes the batch that is being written. The rest is forgotten and belongs to the next owner, who
   * makes the consumer anew: what was given back to the old one would be given to nobody.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#deliveries.values()].map((delivery) => delivery.end()));
    await Promise.all(this.#renewals);
    await this.#running;
    await this.#publishing;
    this.#queue.length = 0;
  }

  #wake(): void {
    if (this.#running === undefined && !this.#stopping && this.#queue.length > 0) {
      this.#running = this.#drain().finally(() => {
        this.#running = undefined;
        this.#wake();
      });
    }
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stopping) {
      await this.#gather();
      const batch = this.#take();
      const done = await this.#run(batch);
      if (!done) {
        this.#queue.unshift(...batch);
        return;
      }
    }
  }

  /** False when the process stops before the batch is handled. */
  async #run(batch: readonly Queued[]): Promise<boolean> {
    const started = performance.now();
    this.#underWay += batch.length;
    const messages = batch.map((entry) => entry.message);
    const keepAlive = setInterval(() => {
      for (const { source } of batch) source.working();
    }, this.#hop.ackWaitMs / 3);
    const span = this.#tracing && beginBatchSpan(this.#tracing, this.#hop, batch);
    const handling = this.#persist("handle", (attempt) => this.#handler(messages, attempt, span));
    this.#handling = handling;
    const handled = await handling;
    // One batch may be publishing beside the one that is handled, not two: what is held stays bounded.
    await this.#publishing;
    const end = () => {
      this.#underWay -= batch.length;
      clearInterval(keepAlive);
    };
    if (handled === undefined) {
      end();
      span?.end(undefined, STOPPED);
      return false;
    }
    const publish = async () => {
      await handled.publish();
      await this.#bury(messages, handled.outcomes);
      return true;
    };
    this.#publishing = this.#persist("publish", publish).then((published) => {
      end();
      // Unpublished because the process stops: not acknowledged, so it comes again, and its rows are recognised.
      if (!published) {
        span?.end(undefined, STOPPED);
        return;
      }
      for (const [i, entry] of batch.entries()) this.#settle(entry, handled.outcomes[i] as Outcome);
      span?.end();
      const ms = Math.round(performance.now() - started);
      this.#log.info({ hop: this.#hop.stream, ms, ...describeBatch(batch, span) }, "batch");
    });
    return true;
  }

  /** Under load small batches start `LIMITS.batchSpacingMs` apart, each with more in it; a lone message never waits. */
  async #gather(): Promise<void> {
    const wait = this.#lastStart + LIMITS.batchSpacingMs - performance.now();
    const rows = this.#queue.reduce((sum, entry) => sum + entry.rows, 0);
    if (wait > 0 && rows < LIMITS.rowsPerBatch / 2) await this.#pause(wait);
    this.#lastStart = performance.now();
  }

  #take(): Queued[] {
    let rows = 0;
    let count = 0;
    for (const entry of this.#queue) {
      rows += entry.rows;
      if (count > 0 && rows > LIMITS.rowsPerBatch) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  /** Tries until it works; undefined when the process stops before. */
  async #persist<T>(
    step: "handle" | "publish",
    work: (attempt: number) => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1; !this.#stopping || attempt === 1; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        this.#observer.retried(error);
        this.#log.warn({ err: error, attempt, step }, "batch failed; trying again");
        const wait = retryDelayMs(attempt, Math.random());
        await this.#pause(step === "publish" ? Math.min(LIMITS.publishRetryMs, wait) : wait);
      }
    }
    return undefined;
  }

  /**
   * Waits, but not past the moment the process is told to stop, or a partition is gained: both servers have answered
   * just then, and a batch that waits for one of them need not wait any longer.
   */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const until = Date.now() + ms;
      const added = this.#added;
      const tick = () => {
        if (this.#stopping || this.#added > added || Date.now() >= until) resolve();
        else setTimeout(tick, Math.min(100, ms));
      };
      tick();
    });
  }

  async #bury(messages: readonly StreamMessage[], outcomes: readonly Outcome[]): Promise<void> {
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.kind !== "dead") continue;
      const { partition, sequence } = messages[i] as StreamMessage;
      const letter = { reason: outcome.reason, hop: this.#hop.stream, partition, sequence };
      this.#log.error(letter, "message is dead");
      await bury(this.#stream, letter);
    }
  }

  #settle(entry: Queued, outcome: Outcome): void {
    entry.source.ack();
    this.#observer.outcome(outcome.kind, outcome.kind === "done" ? "none" : outcome.reason);
  }
}

interface Queued extends MessageFacts {
  readonly message: StreamMessage;
  readonly source: JsMsg;
}

function queued(partition: number, source: JsMsg): Queued {
  const { rows, traceIds, traceparent } = factsOf(source);
  const storedAtMs = Number(source.timestampNanos) / 1e6;
  const message = { partition, sequence: source.seq, data: source.data, storedAtMs, traceIds };
  return { message, source, rows, traceIds, traceparent };
}
