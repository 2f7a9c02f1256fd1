import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Log } from "#runtime";
import type { LoopObserver, Outcome } from "./batch-loop.ts";
import type { Stream } from "./connect.ts";
import { whileConnected } from "./connected.ts";
import { bury } from "./dead-letters.ts";
import { ensureSharedConsumer, type TopologyOptions } from "./topology.ts";

/** A message as a handler sees it. */
export interface SharedMessage {
  /** With the installation's prefix. */
  readonly subject: string;
  /** Position in its stream; begins anew in a stream that was wiped. */
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** Makes one message's effects durable, whatever else is under way. Throwing means that it is to be tried again. */
export type MessageHandler = (message: SharedMessage) => Promise<Outcome>;

export interface SharedLoopOptions {
  readonly stream: Stream;
  /** One without partitions. */
  readonly hop: Hop;
  /** For a stream that has to be made anew. */
  readonly topology: TopologyOptions;
  readonly handler: MessageHandler;
  readonly observer: LoopObserver;
  readonly log: Log;
}

/** Messages that one process holds at once: those that wait for the database, and what is asked for beyond them. */
const HELD_MESSAGES = 16;
/** How long one request for messages stands. The server's heartbeat, at half of it, shows that it still does. */
const REQUEST_MS = 5_000;

/**
 * Consumes a hop whose messages need no order. Any number of processes take from one durable consumer; what one of them
 * does not acknowledge in time goes to another, and is handled twice if it was only slow. So handlers are idempotent.
 *
 * Outages thought of:
 * - The database is gone: the message is given back and handed out again after at most `LIMITS.sharedRetryMs`.
 * - The process dies with messages, or the connection takes them along: handed out again after the hop's ack wait.
 * - The stream was wiped or removed, the consumer with it: the server ends the request, both are made where they are
 *   missing, and delivery starts at the first message. Its sequence numbers mean nothing here, only what it says. The same
 *   happens when an operator deletes the consumer: a database restored from a backup catches up that way.
 * - The connection breaks: the request is void, for the server forgets it; a new one is made once it is back.
 */
export class SharedLoop {
  readonly #options: SharedLoopOptions;
  readonly #held = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  readonly #endWatch: () => void;
  #messages: ConsumerMessages | undefined;
  #stopping = false;
  #wake: () => void = () => {};

  /** Consumes from now on; what it needs in the stream is there when this resolves. */
  static async start(options: SharedLoopOptions): Promise<SharedLoop> {
    await ensureSharedConsumer(options.stream, options.hop, options.topology);
    return new SharedLoop(options);
  }

  private constructor(options: SharedLoopOptions) {
    this.#options = options;
    this.#endWatch = options.stream.onConnection((connected) => {
      if (connected) this.#wake();
      else this.#endRequest();
    });
    this.#running = this.#run();
  }

  /** Messages that are being handled. */
  get held(): number {
    return this.#held.size;
  }

  /** Takes nothing more, gives back what was not begun, and finishes the rest. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#endRequest();
    this.#wake();
    await this.#running;
    await Promise.all(this.#held);
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
      try {
        const consumer = await whileConnected(stream, ensureSharedConsumer(stream, hop, topology));
        failures = 0;
        while (!this.#stopping && stream.connected()) await this.#take(consumer);
      } catch (error) {
        if (this.#stopping) return;
        log.warn({ err: error, hop: hop.stream }, "delivery ended; beginning anew");
        await this.#pause(delayMs(++failures));
      }
    }
  }

  /** One request for messages; ends when it is filled or its time is up. */
  async #take(consumer: Consumer): Promise<void> {
    // Not on top of what is held: a database that hangs would otherwise gather the same messages again and again.
    if (this.#held.size >= HELD_MESSAGES) await Promise.race(this.#held);
    const max_messages = HELD_MESSAGES - this.#held.size;
    const messages = await consumer.fetch({ max_messages, expires: REQUEST_MS });
    this.#messages = messages;
    // Between the look and the request: nobody would end it any more.
    if (this.#stopping || !this.#options.stream.connected()) this.#endRequest();
    try {
      for await (const message of messages) this.#begin(message);
    } finally {
      this.#messages = undefined;
    }
  }

  #begin(message: JsMsg): void {
    if (this.#stopping) {
      message.nak();
      return;
    }
    const handling = this.#handle(message).finally(() => this.#held.delete(handling));
    this.#held.add(handling);
  }

  /** What fails is given back, and handed out again. */
  async #handle(message: JsMsg): Promise<void> {
    const { handler, observer, log, hop } = this.#options;
    const { subject, seq: sequence, data } = message;
    try {
      const outcome = await handler({ subject, sequence, data });
      if (outcome.kind === "dead") await this.#bury(message, outcome.reason);
      message.ack();
      observer.outcome(outcome.kind, outcome.kind === "done" ? "none" : outcome.reason);
      log.info({ hop: hop.stream, subject, sequence, ...outcome }, "message");
    } catch (error) {
      const attempt = message.info.deliveryCount;
      observer.retried((error as { code?: string }).code ?? (error as Error).name);
      log.warn({ err: error, hop: hop.stream, subject, sequence, attempt }, "message failed; trying again");
      message.nak(delayMs(attempt));
    }
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

  #endRequest(): void {
    // Closing says so to the server, which may be gone; it is ended here all the same.
    void this.#messages?.close().catch(() => {});
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

/** 100, 200, 400 milliseconds, each ±20 %, then 500. */
function delayMs(attempt: number): number {
  return Math.min(LIMITS.sharedRetryMs, retryDelayMs(attempt, Math.random()));
}
