import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { type Hop, LIMITS } from "#contract";
import type { Log } from "#runtime";
import { ask } from "./ask.ts";
import { againAfterMs, type Held } from "./batch.ts";
import type { Stream } from "./connect.ts";
import { streamName } from "./stream-names.ts";

/** How long one request for messages stays open at the server. */
const REQUEST_MS = 10_000;
/**
 * While a request is open the server sends a heartbeat so often. When two are missed, the request counts as
 * lost. The client's default is 15 s: an idle partition would go on half a minute after its node was killed.
 */
const HEARTBEAT_MS = 1_000;

export interface FeedOptions {
  readonly stream: Stream;
  readonly hop: Hop;
  /** Called with every message that comes. */
  readonly receive: (entry: Held) => void;
  readonly log: Log;
}

/**
 * Reads one stream through a consumer until it is ended, and never further ahead than there is room for. This
 * class says what losing NATS means to a loop, and every doubt has one answer: the request is given up and
 * the consumer is opened anew.
 *
 * Doubts thought of: no heartbeat (the leader of the consumer was killed, or its node is cut off); the
 * connection broke, whatever was under way; the consumer or the stream is gone, wiped or removed by an
 * operator; a question is not answered; and what a kind of feed doubts about a message (`take`).
 */
export abstract class Feed {
  protected readonly options: FeedOptions;
  protected readonly name: string;
  readonly #partition: number;
  readonly #endWatch: () => void;
  readonly #running: Promise<void>;
  readonly #ending = new AbortController();
  /** Made anew for each pause, which ends early when the connection is back. */
  #back = new AbortController();
  protected messages: ConsumerMessages | undefined;
  #room: number;
  #onRoom: (() => void) | undefined;
  #taken = 0;
  #fault: string | undefined = "not begun";

  /** @param room how many messages may be read and not yet released */
  constructor(options: FeedOptions, room: number, partition = 0) {
    this.options = options;
    this.#room = room;
    this.#partition = partition;
    this.name = streamName(options.stream, options.hop, partition);
    this.#endWatch = options.stream.onConnection((connected) => {
      if (connected) this.#back.abort();
      // Once it is back, the client would go on with the old request, which the server has forgotten.
      else this.closeRequest();
    });
    // Later, because the fields of the subclass do not exist before its constructor has ended.
    this.#running = Promise.resolve().then(() => this.#run());
  }

  /** Why no messages come; undefined while they come, or would if there were any. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** So many messages are done: there is room for as many more. */
  release(count: number): void {
    this.#room += count;
    this.#onRoom?.();
  }

  /** Asks for no more messages; when it resolves, nothing is received any more. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.#back.abort();
    this.#onRoom?.();
    await this.endRequest();
    await this.#running;
    this.#endWatch();
  }

  protected get isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  /** The consumer to read from, made where it is missing. */
  protected abstract open(): Promise<Consumer>;
  /** Hands over a message, the `delivered`th of this consumer. Throws on a doubt. */
  protected abstract take(message: JsMsg, delivered: number): void;
  /** The consumer is not read any more. */
  protected abstract close(): Promise<void>;

  /** Ends the request at the server. */
  protected async endRequest(): Promise<void> {
    this.closeRequest();
  }

  protected closeRequest(): void {
    // Closing also tells the server, which may be gone. Here the request ends in any case.
    void this.messages?.close().catch(() => {});
  }

  async #run(): Promise<void> {
    const { stream, log } = this.options;
    for (let failures = 0; !this.isEnded; ) {
      const before = this.#taken;
      try {
        // What the client is given while it has no connection gets lost.
        if (!stream.connected()) await this.#reconnected();
        else await this.#readAnew();
      } catch (error) {
        if (this.isEnded) return;
        failures = this.#taken > before ? 1 : failures + 1;
        this.#fault = (error as Error).message;
        const where = { stream: this.name, partition: this.#partition, attempt: failures };
        log.warn({ ...where, err: error }, "reading of a stream broke; beginning anew");
        await this.#pause(againAfterMs(failures));
      }
    }
  }

  async #reconnected(): Promise<void> {
    this.#fault = "not connected to NATS";
    while (!this.options.stream.connected() && !this.isEnded) await this.#pause(LIMITS.sharedRetryMs);
  }

  /** Throws on every doubt; resolves when the feed was ended. */
  async #readAnew(): Promise<void> {
    try {
      const consumer = await ask(this.options.stream, () => this.open());
      this.#fault = undefined;
      await this.#read(consumer);
    } finally {
      await this.close();
    }
  }

  async #read(consumer: Consumer): Promise<void> {
    const { stream } = this.options;
    for (let delivered = 0; !this.isEnded; ) {
      const max_messages = await this.#waitForRoom();
      if (this.isEnded) return;
      if (!stream.connected()) throw new Error("the connection broke");
      const request = { max_messages, expires: REQUEST_MS, idle_heartbeat: HEARTBEAT_MS };
      const messages = await consumer.fetch(request);
      this.messages = messages;
      // Ended or disconnected while the request was made: nothing else would end this request.
      if (this.isEnded || !stream.connected()) await this.endRequest();
      try {
        for await (const message of messages) {
          this.take(message, ++delivered);
          this.#taken++;
          this.#room--;
          stream.heard();
        }
      } finally {
        this.messages = undefined;
        await messages.close().catch(() => {});
      }
    }
  }

  async #waitForRoom(): Promise<number> {
    while (this.#room <= 0 && !this.isEnded) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
      this.#onRoom = undefined;
    }
    return this.#room;
  }

  /** Ends early when the connection is back, or the feed is ended. */
  async #pause(ms: number): Promise<void> {
    if (this.isEnded) return;
    this.#back = new AbortController();
    await delay(ms, undefined, { signal: this.#back.signal }).catch(() => {});
  }
}
