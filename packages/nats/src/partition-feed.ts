import { setTimeout as delay } from "node:timers/promises";
import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JsMsg,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { uuidv7 } from "uuidv7";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Log } from "#runtime";
import type { Stream } from "./connect.ts";
import { whileConnected } from "./connected.ts";
import { streamName } from "./topology.ts";
import { isUnled } from "./until-led.ts";

/** How long one request for messages stands. */
const REQUEST_MS = 10_000;
/**
 * The server shows so often that the request still stands. Two missed ones and it does not: with the client's 15 s an idle
 * partition would go on half a minute after its node was killed.
 */
const HEARTBEAT_MS = 1_000;
/** The server forgets a consumer that nobody has asked for so long. */
const FORGOTTEN_MS = 60_000;
/** How long the removal of a consumer is waited for. It is forgotten by itself too. */
const GOODBYE_MS = 1_000;

/** What whoever reads a partition gives. */
export interface FeedOptions {
  readonly stream: Stream;
  readonly hop: Hop;
  readonly partition: number;
  /** Reading begins behind this sequence. */
  readonly after: number;
  /** Gets every message once, in the order of the stream. */
  readonly receive: (message: JsMsg) => void;
  readonly log: Log;
}

/**
 * Reads one partition in order, and acknowledges nothing: whoever reads keeps the position. So there is nothing on the
 * server that an earlier reader could have left in the way, and every doubt has one answer: another consumer, with a name of
 * its own, which begins behind the last message that came.
 *
 * Doubts thought of: a number of the consumer's that does not follow on the one before (a message was lost on its way, or
 * comes twice); no heartbeat (its node died, or is cut off); the connection broke, whatever it had under way; the consumer
 * or the stream is gone; a request that is not answered. What an old consumer still sends goes to an inbox that
 * nobody listens to any more.
 */
export class PartitionFeed {
  readonly #options: FeedOptions;
  readonly #name: string;
  readonly #running: Promise<void>;
  readonly #endWatch: () => void;
  readonly #ending = new AbortController();
  #last: number;
  #messages: ConsumerMessages | undefined;
  /** Messages that may still be taken. */
  #room = LIMITS.messagesAhead;
  #onRoom: (() => void) | undefined;
  #fault: string | undefined = "not begun";

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#last = options.after;
    this.#name = streamName(options.stream, options.hop, options.partition);
    this.#endWatch = options.stream.onConnection((connected) => {
      // The client would go on with the old consumer once it is back. What was under way may be lost by then.
      if (!connected) void this.#messages?.close().catch(() => {});
    });
    this.#running = this.#run();
  }

  /** Sequence of the last message that came. */
  get last(): number {
    return this.#last;
  }

  /** Why nothing comes; undefined while messages come, or would. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Says that so many messages are done: there is room for as many more. */
  release(count: number): void {
    this.#room += count;
    this.#onRoom?.();
  }

  /** Nothing comes any more once this is called. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.#endWatch();
    this.#onRoom?.();
    await this.#messages?.close().catch(() => {});
    await this.#running;
  }

  get #ended(): boolean {
    return this.#ending.signal.aborted;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#ended; ) {
      const before = this.#last;
      try {
        await this.#readAnew();
      } catch (error) {
        if (this.#ended) return;
        failures = this.#last > before ? 1 : failures + 1;
        this.#fault = (error as Error).message;
        const { partition, log } = this.#options;
        log.warn(
          { partition, err: error, attempt: failures },
          "reading of a partition broke; beginning anew",
        );
        const wait = Math.min(LIMITS.publishRetryMs, retryDelayMs(failures, Math.random()));
        await delay(wait, undefined, { signal: this.#ending.signal }).catch(() => {});
      }
    }
  }

  /** Throws on every doubt; resolves when the feed was ended. */
  async #readAnew(): Promise<void> {
    const { stream } = this.#options;
    if (!stream.connected()) throw new Error("not connected to NATS");
    const name = uuidv7();
    const askedAt = performance.now();
    try {
      const consumer = await whileConnected(stream, this.#createConsumer(name));
      stream.heard();
      this.#fault = undefined;
      await this.#read(consumer);
    } catch (error) {
      if (isUnled(error)) stream.unheard(askedAt);
      throw error;
    } finally {
      await this.#forget(name);
    }
  }

  async #createConsumer(name: string): Promise<Consumer> {
    const { manager, jetstream } = this.#options.stream;
    const info = await manager.consumers.add(this.#name, {
      name,
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#last + 1,
      inactive_threshold: nanos(FORGOTTEN_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    return jetstream.consumers.getConsumerFromInfo(info);
  }

  async #read(consumer: Consumer): Promise<void> {
    for (let delivered = 0; !this.#ended; ) {
      const max_messages = await this.#waitForRoom();
      if (this.#ended) return;
      if (!this.#options.stream.connected()) throw new Error("the connection broke");
      const messages = await consumer.fetch({
        max_messages,
        expires: REQUEST_MS,
        idle_heartbeat: HEARTBEAT_MS,
      });
      this.#messages = messages;
      try {
        for await (const message of messages) {
          if (this.#ended) return;
          delivered++;
          if (message.info.deliverySequence !== delivered || message.seq <= this.#last) {
            throw new Error(`message ${message.seq} came out of order`);
          }
          this.#last = message.seq;
          this.#room--;
          this.#options.stream.heard();
          this.#options.receive(message);
        }
      } finally {
        this.#messages = undefined;
        await messages.close().catch(() => {});
      }
    }
  }

  async #waitForRoom(): Promise<number> {
    while (this.#room <= 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
      this.#onRoom = undefined;
    }
    return this.#room;
  }

  /** So that the server has no more of them than readers. */
  async #forget(name: string): Promise<void> {
    const { stream } = this.#options;
    if (!stream.connected()) return;
    const late = delay(GOODBYE_MS, undefined, { ref: false });
    await Promise.race([stream.manager.consumers.delete(this.#name, name).catch(() => {}), late]);
  }
}
