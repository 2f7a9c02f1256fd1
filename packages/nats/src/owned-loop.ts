import type { JsMsg } from "@nats-io/jetstream";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Log, Span, Tracing } from "#runtime";
import type { Stream } from "./connect.ts";
import { bury } from "./dead-letters.ts";
import { beginBatchSpan, describeBatch, factsOf, type MessageFacts } from "./message-facts.ts";
import type { LoopObserver, Outcome } from "./outcome.ts";
import { PartitionFeed } from "./partition-feed.ts";

/** A message as a handler sees it. */
export interface StreamMessage extends MessageFacts {
  readonly partition: number;
  /** Position in its stream. */
  readonly sequence: number;
  /** A view into the client's buffer: whoever hands it to a worker copies it first. */
  readonly data: Uint8Array;
  /** When the stream stored it, milliseconds since 1970, by the server's clock. */
  readonly storedAtMs: number;
}

/** A batch whose effects are durable, and what is left to do about it. */
export interface HandledBatch {
  /** One for each message. */
  readonly outcomes: readonly Outcome[];
  /** Publishes what follows from the batch, under ids that make repeating it harmless. Runs beside the next batch. */
  publish(): Promise<void>;
  /** All of it is published, its dead letters too. */
  published(): void;
}

/**
 * Handles messages of one lane in the order of their streams and commits their effects together with the position behind
 * them. Throwing means that the whole batch is to be tried again; throwing `LostPartitions`, that some of it is somebody
 * else's. The span is that of the batch, until it is published; undefined where it is not traced.
 */
export type BatchHandler = (
  batch: readonly StreamMessage[],
  attempt: number,
  span?: Span | undefined,
) => Promise<HandledBatch>;

/** These partitions are not this process's any more, or it does not know where they stand. Nothing was committed. */
export class LostPartitions extends Error {
  readonly partitions: readonly number[];

  constructor(partitions: readonly number[], cause?: unknown) {
    super(`partitions ${partitions.join(", ")} are to be taken over anew`, { cause });
    this.name = "LostPartitions";
    this.partitions = partitions;
  }
}

/** What the span of a batch failed for that is left to another process. */
const STOPPED = "stopped";

/**
 * One lane: takes messages of its partitions as they come, hands them to the handler in batches of at most
 * `LIMITS.rowsPerBatch` rows, one batch at a time. While a batch is being written the next one gathers, so batches grow by
 * themselves with the load and a lone message never waits. What follows from a batch is published beside the handling of
 * the next one.
 *
 * Nothing is acknowledged: the handler commits the position together with the effects, and whoever takes a partition over
 * reads on from there. So a crash before the commit leaves nothing, and one after it leaves a position that says what is
 * still to be published.
 */
export class OwnedLoop {
  readonly #options: {
    readonly stream: Stream;
    readonly hop: Hop;
    readonly handler: BatchHandler;
    readonly observer: LoopObserver;
    readonly onLost: (partitions: readonly number[]) => void;
    readonly tracing?: Tracing | undefined;
    readonly log: Log;
  };
  readonly #queue: Queued[] = [];
  /** Messages of batches that are being handled or published. */
  #underWay = 0;
  readonly #feeds = new Map<number, PartitionFeed>();
  #lastStart = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  /** The batch that is being handled. */
  #handling: Promise<unknown> = Promise.resolve();
  /** The batch before it, whose consequences are being published. */
  #publishing: Promise<unknown> = Promise.resolve();
  #stopping = false;
  /** Counts partitions that were added, for whoever waits to try again. */
  #added = 0;

  /** @param options.onLost is told of partitions that the handler found lost; nothing more is read of them */
  constructor(options: {
    stream: Stream;
    hop: Hop;
    handler: BatchHandler;
    observer: LoopObserver;
    onLost: (partitions: readonly number[]) => void;
    tracing?: Tracing | undefined;
    log: Log;
  }) {
    this.#options = options;
  }

  /** Messages that were read and are not yet published, those of batches under way among them. */
  get held(): number {
    return this.#queue.length + this.#underWay;
  }

  /** The partition's last message that was read, and why no more come; undefined: it is not read here. */
  feedOf(partition: number): Pick<PartitionFeed, "last" | "fault"> | undefined {
    return this.#feeds.get(partition);
  }

  /** Reads a partition from behind a sequence on. */
  add(partition: number, after: number): void {
    const { stream, hop, log } = this.#options;
    const receive = (message: JsMsg) => {
      if (this.#feeds.get(partition) !== feed) return;
      this.#queue.push({ feed, message: toStreamMessage(partition, message) });
      this.#wake();
    };
    const feed = new PartitionFeed({ stream, hop, partition, after, receive, log });
    this.#feeds.set(partition, feed);
    this.#added++;
  }

  /**
   * Ends the reading of a partition; what was read ahead is forgotten and belongs to the next owner.
   * @param finish waits until the batches under way, which may hold messages of it, are written and published
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const feed = this.#feeds.get(partition);
    this.#feeds.delete(partition);
    this.#forget(partition);
    await feed?.end();
    if (!finish) return;
    await this.#handling;
    await this.#publishing;
  }

  /** Ends all reading and finishes the batch that is being written. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#feeds.values()].map((feed) => feed.end()));
    await this.#running;
    await this.#publishing;
    this.#queue.length = 0;
  }

  #forget(partition: number): void {
    const kept = this.#queue.filter(({ message }) => message.partition !== partition);
    this.#queue.splice(0, this.#queue.length, ...kept);
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
      // What was queued may have been forgotten while it gathered.
      if (batch.length > 0) await this.#run(batch);
    }
  }

  async #run(entries: readonly Queued[]): Promise<void> {
    const { tracing, hop } = this.#options;
    const started = performance.now();
    const batch = entries.map(({ message }) => message);
    this.#underWay += batch.length;
    const span = tracing && beginBatchSpan(tracing, hop, batch);
    const handling = this.#handle(entries, batch, span);
    this.#handling = handling;
    const handled = await handling;
    // One batch may be publishing beside the one that is handled, not two: what is held stays bounded.
    await this.#publishing;
    if (handled === undefined) {
      this.#underWay -= batch.length;
      span?.end(undefined, STOPPED);
      return;
    }
    this.#publishing = this.#publish(batch, handled, span, started).finally(() => {
      this.#underWay -= batch.length;
      for (const { feed } of entries) feed.release(1);
    });
  }

  /** Undefined when the process stops before, or when partitions of it were lost: the rest of the batch is queued again. */
  async #handle(
    entries: readonly Queued[],
    batch: readonly StreamMessage[],
    span: Span | undefined,
  ): Promise<HandledBatch | undefined> {
    try {
      return await this.#persist("handle", (attempt) => this.#options.handler(batch, attempt, span));
    } catch (error) {
      if (!(error instanceof LostPartitions)) throw error;
      const lost = new Set(error.partitions);
      this.#options.log.warn({ err: error, partitions: error.partitions }, "partitions are lost");
      for (const partition of lost) await this.remove(partition, false);
      this.#queue.unshift(...entries.filter(({ message }) => !lost.has(message.partition)));
      this.#options.onLost(error.partitions);
      return undefined;
    }
  }

  async #publish(
    batch: readonly StreamMessage[],
    handled: HandledBatch,
    span: Span | undefined,
    started: number,
  ): Promise<void> {
    const { hop, observer, log } = this.#options;
    const published = await this.#persist("publish", async () => {
      await handled.publish();
      await this.#bury(batch, handled.outcomes);
      return true;
    });
    // Unpublished because the process stops: the position says so, and whoever takes over publishes it.
    if (!published) {
      span?.end(undefined, STOPPED);
      return;
    }
    handled.published();
    for (const outcome of handled.outcomes) {
      observer.outcome(outcome.kind, outcome.kind === "done" ? "none" : outcome.reason);
    }
    span?.end();
    const ms = Math.round(performance.now() - started);
    log.info({ hop: hop.stream, ms, ...describeBatch(batch, span) }, "batch");
  }

  /** Under load small batches start `LIMITS.batchSpacingMs` apart, each with more in it; a lone message never waits. */
  async #gather(): Promise<void> {
    const wait = this.#lastStart + LIMITS.batchSpacingMs - performance.now();
    const rows = this.#queue.reduce((sum, { message }) => sum + message.rows, 0);
    if (wait > 0 && rows < LIMITS.rowsPerBatch / 2) await this.#pause(wait);
    this.#lastStart = performance.now();
  }

  #take(): Queued[] {
    let rows = 0;
    let count = 0;
    for (const { message } of this.#queue) {
      rows += message.rows;
      if (count > 0 && rows > LIMITS.rowsPerBatch) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  /** Tries until it works; undefined when the process stops before. A lost partition ends the trying. */
  async #persist<T>(
    step: "handle" | "publish",
    work: (attempt: number) => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1; !this.#stopping || attempt === 1; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        if (error instanceof LostPartitions) throw error;
        this.#options.observer.retried(error);
        this.#options.log.warn({ err: error, attempt, step }, "batch failed; trying again");
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
      const until = performance.now() + ms;
      const added = this.#added;
      const tick = () => {
        if (this.#stopping || this.#added > added || performance.now() >= until) resolve();
        else setTimeout(tick, Math.min(100, ms));
      };
      tick();
    });
  }

  async #bury(batch: readonly StreamMessage[], outcomes: readonly Outcome[]): Promise<void> {
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.kind !== "dead") continue;
      const { partition, sequence, storedAtMs } = batch[i] as StreamMessage;
      const letter = { reason: outcome.reason, hop: this.#options.hop.stream, partition, sequence };
      this.#options.log.error(letter, "message is dead");
      // In a stream that was made anew another message comes at the same sequence: the time tells them apart.
      await bury(this.#options.stream, letter, String(storedAtMs));
    }
  }
}

interface Queued {
  /** Where it came from. */
  readonly feed: PartitionFeed;
  readonly message: StreamMessage;
}

function toStreamMessage(partition: number, source: JsMsg): StreamMessage {
  const storedAtMs = Number(source.timestampNanos) / 1e6;
  return { partition, sequence: source.seq, data: source.data, storedAtMs, ...factsOf(source) };
}
