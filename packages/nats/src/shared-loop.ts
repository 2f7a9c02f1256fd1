import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/transport-node";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { errorClass, type Log, type Span, type Tracing } from "#runtime";
import type { Stream } from "./connect.ts";
import { whileConnected } from "./connected.ts";
import { bury } from "./dead-letters.ts";
import { beginBatchSpan, describeBatch, factsOf, type MessageFacts } from "./message-facts.ts";
import type { LoopObserver, Outcome } from "./outcome.ts";
import { ensureSharedConsumer, type TopologyOptions } from "./topology.ts";
import { untilLed } from "./until-led.ts";

/** A message as a handler sees it. */
export interface SharedMessage extends MessageFacts {
  /** With the installation's prefix. */
  readonly subject: string;
  /** Position in its stream; begins anew in a stream that was wiped. */
  readonly sequence: number;
  readonly data: Uint8Array;
}

/**
 * Makes the effects of a batch durable, whatever else is under way. Gives one outcome for each message, in their order.
 * Throwing means that all of them are to be tried again. The span is that of the batch; undefined where it is not traced.
 */
export type SharedBatchHandler = (
  messages: readonly SharedMessage[],
  span?: Span | undefined,
) => Promise<readonly Outcome[]>;

/** Likewise of one message. */
export type MessageHandler = (message: SharedMessage) => Promise<Outcome>;

/**
 * For messages that have nothing to do with each other: those of a batch side by side. If one throws, all of them come
 * again, each alone, and those that were done find that they are.
 */
export function eachMessage(handler: MessageHandler): SharedBatchHandler {
  return async (messages) => {
    // All of them, not the first to fail: none may be under way any more when it comes again.
    const results = await Promise.allSettled(messages.map((message) => handler(message)));
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  };
}

export interface SharedLoopOptions {
  readonly stream: Stream;
  /** One without partitions. */
  readonly hop: Hop;
  /** For a stream that has to be made anew. */
  readonly topology: TopologyOptions;
  readonly handler: SharedBatchHandler;
  /** Batches under way at once, 1 by default. */
  readonly lanes?: number;
  /** Milliseconds between the starts of batches that are less than half full. Left out: none. */
  readonly spacingMs?: number;
  readonly observer: LoopObserver;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/** Messages that one process holds at once: those under way, and those that wait for a lane. */
const HELD_MESSAGES = 16;
/** Two full messages of ours. Another system need not say how many rows its messages stand for. */
const BATCH_BYTES = 2 * LIMITS.messageBytes;
/** How long one request for messages stands. */
const REQUEST_MS = 5_000;
/** The server shows so often that it still does. Two missed ones and another request is made. */
const HEARTBEAT_MS = 1_000;
/** How long the server may take to confirm the end of a request. */
const DRAIN_MS = 1_000;

/**
 * Consumes a hop whose messages need no order. Any number of processes take from one durable consumer; what one of them
 * does not acknowledge in time goes to another, and is handled twice if it was only slow. So handlers are idempotent.
 *
 * Messages are handled in batches of at most `LIMITS.rowsPerBatch` rows, or of one message. While all lanes are busy the
 * next batch gathers, so batches grow by themselves with the load and a lone message never waits. Where it is asked for,
 * small batches start `spacingMs` apart under load, each with more in it.
 *
 * Outages thought of:
 * - The database is gone: the batch is given back and handed out again after at most `LIMITS.sharedRetryMs`.
 * - One message fails its batch, or ends the process: what is handed out again is handled alone, so that the others are
 *   held up once and not for ever. Any process knows by the count of deliveries.
 * - The process dies with messages, or the connection takes them along: handed out again after the hop's ack wait.
 * - The process is suspended for longer than that, or its heartbeats get lost: its messages go to another one, and both
 *   apply them; the second finds that it is done. Its late acknowledgement is the server's to ignore or to take: either
 *   way the effects are there.
 * - The stream was wiped or removed, the consumer with it: the server ends the request, both are made where they are
 *   missing, and delivery starts at the first message. Its sequence numbers mean nothing here, only what it says. The same
 *   happens when an operator deletes the consumer.
 * - The leader of the consumer is killed, or its node cut off: no heartbeat comes, and a new request is made until there is
 *   another leader, which hands out again what was on its way.
 * - The connection breaks: the request is void, for the server forgets it; a new one is made once it is back.
 */
export class SharedLoop {
  readonly #options: SharedLoopOptions;
  readonly #held = new Set<Held>();
  /** Of those that are held: not begun, in the order of their coming. */
  readonly #waiting: Held[] = [];
  readonly #batches = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  readonly #endWatch: () => void;
  readonly #keepAlive: NodeJS.Timeout | undefined;
  #messages: ConsumerMessages | undefined;
  #lastStart = Number.NEGATIVE_INFINITY;
  /** When the server was last asked for something. */
  #askedAt = 0;
  #spacing: NodeJS.Timeout | undefined;
  #stopping = false;
  #wake: () => void = () => {};

  /** Consumes from now on; what it needs in the stream is there when this resolves. */
  static async start(options: SharedLoopOptions): Promise<SharedLoop> {
    await untilLed(() => ensureSharedConsumer(options.stream, options.hop, options.topology));
    return new SharedLoop(options);
  }

  private constructor(options: SharedLoopOptions) {
    this.#options = options;
    this.#endWatch = options.stream.onConnection((connected) => {
      if (connected) this.#wake();
      else this.#endRequest();
    });
    // Where the ack wait is shorter than a statement may take, slow messages are meant to go to somebody else.
    const { ackWaitMs } = options.hop;
    if (ackWaitMs > LIMITS.statementTimeoutMs) {
      this.#keepAlive = setInterval(() => this.#keepHeld(), ackWaitMs / 3);
    }
    this.#running = this.#run();
  }

  /** Messages that are taken and not yet acknowledged. */
  get held(): number {
    return this.#held.size;
  }

  /** Takes nothing more, gives back what was not begun, and finishes the rest. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    clearTimeout(this.#spacing);
    for (const held of this.#waiting.splice(0)) {
      held.source.nak();
      this.#held.delete(held);
    }
    // Lanes that are busy must not hold up the request, which holds messages that others could have.
    await this.#drainRequest();
    await this.#running;
    await Promise.all(this.#batches);
    clearInterval(this.#keepAlive);
    this.#endWatch();
  }

  async #run(): Promise<void> {
    const { stream, hop, topology, log } = this.#options;
    let failures = 0;
    while (!this.#stopping) {
      // What the client is given while it has no connection gets lost.
      if (!stream.connected()) {
        await this.#pause(LIMITS.sharedRetryMs);
        continue;
      }
      this.#askedAt = performance.now();
      try {
        const consumer = await whileConnected(stream, ensureSharedConsumer(stream, hop, topology));
        failures = 0;
        while (!this.#stopping && stream.connected()) {
          stream.heard();
          await this.#take(consumer);
        }
      } catch (error) {
        if (stream.connected()) stream.unheard(this.#askedAt);
        if (this.#stopping) return;
        log.warn({ err: error, hop: hop.stream }, "delivery ended; beginning anew");
        await this.#pause(delayMs(++failures));
      }
    }
  }

  /** One request for messages; ends when it is filled or its time is up. */
  async #take(consumer: Consumer): Promise<void> {
    // Not on top of what is held: a database that hangs would otherwise gather the same messages again and again.
    if (this.#held.size >= HELD_MESSAGES) await Promise.race(this.#batches);
    if (this.#stopping) return;
    const max_messages = HELD_MESSAGES - this.#held.size;
    this.#askedAt = performance.now();
    const messages = await consumer.fetch({
      max_messages,
      expires: REQUEST_MS,
      idle_heartbeat: HEARTBEAT_MS,
    });
    this.#messages = messages;
    // Between the look and the request: nobody would end it any more.
    if (this.#stopping || !this.#options.stream.connected()) await this.#drainRequest();
    try {
      for await (const message of messages) this.#receive(message);
    } finally {
      this.#messages = undefined;
    }
  }

  #receive(source: JsMsg): void {
    if (this.#stopping) {
      source.nak();
      return;
    }
    const { subject, seq: sequence, data } = source;
    const held: Held = { source, message: { subject, sequence, data, ...factsOf(source) } };
    this.#held.add(held);
    this.#waiting.push(held);
    this.#fillLanes();
  }

  #fillLanes(): void {
    const { lanes = 1 } = this.#options;
    while (this.#batches.size < lanes && this.#waiting.length > 0 && !this.#isTooSoon()) {
      this.#lastStart = performance.now();
      const batch = this.#nextBatch();
      const handling = this.#handle(batch).finally(() => {
        this.#batches.delete(handling);
        for (const held of batch) this.#held.delete(held);
        this.#fillLanes();
      });
      this.#batches.add(handling);
    }
  }

  /** Whether more should gather first; then the lanes are filled again when it is time. */
  #isTooSoon(): boolean {
    const wait = this.#lastStart + (this.#options.spacingMs ?? 0) - performance.now();
    const rows = this.#waiting.reduce((sum, { message }) => sum + message.rows, 0);
    // When no more may be held, nothing more can gather; what comes again is handled alone and gains nothing.
    const canGrow =
      rows < LIMITS.rowsPerBatch / 2 &&
      this.#held.size < HELD_MESSAGES &&
      !this.#waiting.some(({ source }) => source.redelivered);
    if (wait <= 0 || !canGrow) return false;
    this.#spacing ??= setTimeout(() => {
      this.#spacing = undefined;
      this.#fillLanes();
    }, wait);
    return true;
  }

  #nextBatch(): Held[] {
    let rows = 0;
    let bytes = 0;
    let count = 0;
    for (const { source, message } of this.#waiting) {
      rows += message.rows;
      bytes += message.data.length;
      const fits = rows <= LIMITS.rowsPerBatch && bytes <= BATCH_BYTES && !source.redelivered;
      if (count > 0 && !fits) break;
      count++;
      if (!fits) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #handle(batch: readonly Held[]): Promise<void> {
    const { handler, hop, tracing, log } = this.#options;
    const started = performance.now();
    const messages = batch.map(({ message }) => message);
    const span = tracing && beginBatchSpan(tracing, hop, messages);
    try {
      const outcomes = await handler(messages, span);
      await Promise.all(batch.map((held, i) => this.#settle(held, outcomes[i] as Outcome)));
      const ms = Math.round(performance.now() - started);
      log.info({ hop: hop.stream, ms, ...describeBatch(messages, span), ...countKinds(outcomes) }, "batch");
      span?.end();
    } catch (error) {
      span?.end(undefined, errorClass(error));
      this.#giveBack(batch, error);
    }
  }

  /** A letter that cannot be stored gives back its message, and no other. */
  async #settle(held: Held, outcome: Outcome): Promise<void> {
    const { kind } = outcome;
    try {
      if (kind === "dead") await this.#bury(held.source, outcome.reason);
    } catch (error) {
      this.#giveBack([held], error);
      return;
    }
    held.source.ack();
    this.#options.observer.outcome(kind, kind === "done" ? "none" : outcome.reason);
  }

  /** What failed is handed out again, here or elsewhere. */
  #giveBack(batch: readonly Held[], error: unknown): void {
    const { observer, log, hop } = this.#options;
    observer.retried(error);
    const attempt = Math.max(...batch.map(({ source }) => source.info.deliveryCount));
    const described = describeBatch(batch.map(({ message }) => message));
    log.warn({ err: error, hop: hop.stream, attempt, ...described }, "batch failed; trying again");
    for (const { source } of batch) source.nak(delayMs(source.info.deliveryCount));
  }

  /**
   * The letter's id has the time at which the message was stored: in a stream that was wiped another one comes at the same
   * sequence, and its letter must not pass for a repetition.
   */
  async #bury(message: JsMsg, reason: string): Promise<void> {
    const { stream, hop, log } = this.#options;
    const letter = { reason, hop: hop.stream, partition: 0, sequence: message.seq };
    log.error({ ...letter, subject: message.subject }, "message is dead");
    await bury(stream, letter, String(message.info.timestampNanos));
  }

  #keepHeld(): void {
    for (const { source } of this.#held) source.working();
  }

  #endRequest(): void {
    // Closing says so to the server, which may be gone; it is ended here all the same.
    void this.#messages?.close().catch(() => {});
  }

  /**
   * As `#endRequest`, and what the server has sent before it hears of the end still comes, to be given back: the client
   * would drop it, and nobody else got it before the ack wait is over.
   */
  async #drainRequest(): Promise<void> {
    const subscription = (this.#messages as { readonly sub?: Subscription } | undefined)?.sub;
    if (subscription !== undefined && this.#options.stream.connected()) {
      const late = delay(DRAIN_MS, undefined, { ref: false });
      await Promise.race([subscription.drain().catch(() => {}), late]);
    }
    this.#endRequest();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopping) return resolve();
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface Held {
  readonly message: SharedMessage;
  readonly source: JsMsg;
}

/** Messages of a batch that were not simply done. */
function countKinds(outcomes: readonly Outcome[]) {
  const count = (kind: Outcome["kind"]) => outcomes.filter((outcome) => outcome.kind === kind).length;
  return { skipped: count("skip"), dead: count("dead") };
}

/** 100, 200, 400 milliseconds, each ±20 %, then 500. */
function delayMs(attempt: number): number {
  return Math.min(LIMITS.sharedRetryMs, retryDelayMs(attempt, Math.random()));
}
