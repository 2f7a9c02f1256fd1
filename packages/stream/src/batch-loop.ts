import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Log } from "#runtime";
import type { Stream } from "./connect.ts";
import { bury } from "./dead-letters.ts";
import { describeBatch, factsOf } from "./message-facts.ts";
import { resetConsumer, streamName } from "./topology.ts";

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
 * batch is to be tried again.
 */
export type BatchHandler = (batch: readonly StreamMessage[], attempt: number) => Promise<HandledBatch>;

export interface LoopObserver {
  outcome(outcome: Outcome["kind"], reason: string): void;
  /** A batch failed and is tried again. */
  retried(error: unknown): void;
}

/** Messages that are asked for at once. How many may be held is the consumer's `max_ack_pending`. */
const PREFETCH_MESSAGES = 16;

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
  readonly #log: Log;
  readonly #queue: Queued[] = [];
  readonly #deliveries = new Map<number, Delivery>();
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
    log: Log;
  }) {
    this.#stream = options.stream;
    this.#hop = options.hop;
    this.#handler = options.handler;
    this.#observer = options.observer;
    this.#log = options.log;
  }

  /** Messages that are held and not yet acknowledged. */
  get held(): number {
    return this.#queue.length;
  }

  /** Starts delivery of a partition, from its oldest message that is not acknowledged. */
  async add(partition: number): Promise<void> {
    // Left by an attempt that a broken connection cut short.
    await this.#deliveries.get(partition)?.end();
    await resetConsumer(this.#stream, this.#hop, partition);
    const name = streamName(this.#stream, this.#hop, partition);
    const consumer = await this.#stream.jetstream.consumers.get(name, this.#hop.consumer);
    const delivery = new Delivery((message) => {
      this.#queue.push(queued(partition, message));
      this.#wake();
    });
    this.#deliveries.set(partition, delivery);
    await delivery.begin(consumer, (error) => this.#log.warn({ partition, err: error }, "delivery ended"));
    this.#added++;
  }

  /**
   * Ends delivery of a partition; what it had prefetched is forgotten and belongs to the next owner.
   * @param finish waits until the batch under way, which may hold messages of it, is settled
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const delivery = this.#deliveries.get(partition);
    this.#deliveries.delete(partition);
    await delivery?.end();
    const kept = this.#queue.filter((entry) => entry.message.partition !== partition);
    this.#queue.splice(0, this.#queue.length, ...kept);
    if (!finish) return;
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
    const messages = batch.map((entry) => entry.message);
    const keepAlive = setInterval(() => {
      for (const { source } of batch) source.working();
    }, this.#hop.ackWaitMs / 3);
    const handling = this.#persist("handle", (attempt) => this.#handler(messages, attempt));
    this.#handling = handling;
    const handled = await handling;
    // One batch may be publishing beside the one that is handled, not two: what is held stays bounded.
    await this.#publishing;
    if (handled === undefined) {
      clearInterval(keepAlive);
      return false;
    }
    const publish = async () => {
      await handled.publish();
      await this.#bury(messages, handled.outcomes);
      return true;
    };
    this.#publishing = this.#persist("publish", publish).then((published) => {
      clearInterval(keepAlive);
      // Unpublished because the process stops: not acknowledged, so it comes again, and its rows are recognised.
      if (!published) return;
      for (const [i, entry] of batch.entries()) this.#settle(entry, handled.outcomes[i] as Outcome);
      this.#log.info(
        { hop: this.#hop.stream, ms: Math.round(performance.now() - started), ...describeBatch(batch) },
        "batch",
      );
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
  async #persist<T>(step: string, work: (attempt: number) => Promise<T>): Promise<T | undefined> {
    for (let attempt = 1; !this.#stopping || attempt === 1; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        this.#observer.retried(error);
        this.#log.warn({ err: error, attempt, step }, "batch failed; trying again");
        await this.#pause(retryDelayMs(attempt, Math.random()));
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

/** One partition's messages, until it is ended: then nothing more comes through, whatever the client still receives. */
class Delivery {
  readonly #receive: (message: JsMsg) => void;
  #messages: ConsumerMessages | undefined;
  #ended = false;

  constructor(receive: (message: JsMsg) => void) {
    this.#receive = receive;
  }

  async begin(consumer: Consumer, onEnd: (error: Error) => void): Promise<void> {
    this.#messages = await consumer.consume({
      max_messages: PREFETCH_MESSAGES,
      callback: (message) => {
        if (!this.#ended) this.#receive(message);
      },
    });
    void this.#messages.closed().then((error) => {
      if (error instanceof Error && !this.#ended) onEnd(error);
    });
    if (this.#ended) await this.#messages.close();
  }

  async end(): Promise<void> {
    this.#ended = true;
    // Closing says so to the server, which may be gone; it is ended here all the same.
    await this.#messages?.close().catch(() => {});
  }
}

interface Queued {
  readonly message: StreamMessage;
  readonly source: JsMsg;
  readonly rows: number;
  readonly traceIds: string;
}

function queued(partition: number, source: JsMsg): Queued {
  const { rows, traceIds } = factsOf(source);
  const storedAtMs = Number(source.timestampNanos) / 1e6;
  const message = { partition, sequence: source.seq, data: source.data, storedAtMs, traceIds };
  return { message, source, rows, traceIds };
}
