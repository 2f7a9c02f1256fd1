import { setTimeout as delay } from "node:timers/promises";
import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { uuidv7 } from "uuidv7";
import { type Hop, LIMITS } from "#contract";
import type { Log } from "#runtime";
import type { Stream } from "../connection/connect.ts";
import { DisconnectedError } from "../connection/nats-errors.ts";
import { ask } from "../connection/request.ts";
import { streamName } from "../streams/stream-names.ts";
import { againAfterMs, type QueuedMessage } from "./batch.ts";
import { Pull, type PulledMessage } from "./pull.ts";

/** After this time without a request the server removes a consumer. */
const FORGOTTEN_MS = 60_000;
/** The least time between two doubts about the same missing messages. */
const DOUBT_AGAIN_MS = 300_000;
/** How long the removal of a consumer may take. The server would also remove it later. */
const GOODBYE_MS = 1_000;

export interface FeedOptions {
  readonly stream: Stream;
  readonly hop: Hop;
  readonly partition: number;
  /** Called with every message. */
  readonly receive: (entry: QueuedMessage) => void;
  readonly log: Log;
}

/**
 * Reads one stream in order until it is ended, never further ahead than there is room for, and acknowledges
 * nothing. So no earlier reader can have left anything on the server that is in the way. This class handles
 * the loss of NATS for a loop, and treats every doubt in the same way: it gives up the requests (`Pull`), and
 * begins reading again through another consumer with a new name, at the place that the subclass gives.
 * Everything that an old consumer still sends goes to an inbox without a listener.
 *
 * Doubts considered: no heartbeat (the leader of the consumer was killed, or its node is cut off); the
 * connection broke at any moment; the consumer or the stream is gone, wiped or removed by an operator; a
 * request is not answered; a consumer's number that does not follow the one before (a message was lost on its
 * way, or comes twice); heartbeats come, and no messages; and the doubts of the subclass.
 */
export abstract class Feed {
  protected readonly options: FeedOptions;
  protected readonly name: string;
  readonly #endWatch: () => void;
  readonly #running: Promise<void>;
  readonly #ending = new AbortController();
  /** Replaced for each pause, which ends early when the connection is back. */
  #back = new AbortController();
  #pull: Pull | undefined;
  /** Name of the present consumer. */
  #consumer = "";
  #doubt: string | undefined;
  /** The stream's end at the last look of this consumer, and the end for which a consumer was doubted. */
  #due = 0;
  #doubted = 0;
  #doubtedAt = 0;
  readonly #limit: number;
  #room: number;
  #taken = 0;
  #fault: string | undefined = "not begun";

  /** @param limit the most messages that are read and not yet released */
  constructor(options: FeedOptions, limit: number) {
    this.options = options;
    this.#limit = limit;
    this.#room = limit;
    this.name = streamName(options.stream, options.hop, options.partition);
    this.#endWatch = options.stream.onConnection((connected) => {
      if (connected) this.#back.abort();
      // The server forgets the requests, and their answers may be lost.
      else this.#pull?.end(new DisconnectedError("the connection broke"));
    });
    // Later, because the fields of the subclass do not exist before its constructor has ended.
    this.#running = Promise.resolve().then(() => this.#run());
  }

  /** Why no messages come; undefined while they come, or would come if there were any. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Sequence of the last message that came. */
  abstract get last(): number;

  /** Whether reading waits until a message is released. */
  get isFull(): boolean {
    return this.#room <= 0;
  }

  /** This many messages are done: there is room for as many more. */
  release(count: number): void {
    this.#room += count;
    this.#pull?.released();
  }

  /** Requests no more messages; once it resolves, no more are received. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.#back.abort();
    this.#pull?.end();
    await this.#running;
    this.#endWatch();
  }

  protected get isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  /** The sequence at which reading begins, at first and after every doubt. */
  protected abstract begin(): Promise<number>;
  /** Called after a consumer was made and before it is read. Throws on a doubt. */
  protected async opened(): Promise<void> {}
  /**
   * Called after requests for messages that brought none; returns the present end of the stream. Throws on a
   * doubt.
   */
  protected abstract idle(): Promise<number>;
  /** Hands over a message, or releases its room. Throws on a doubt. */
  protected abstract take(message: PulledMessage): void;

  /** Name of the present consumer: another one after every doubt. */
  protected get consumer(): string {
    return this.#consumer;
  }

  /** Makes reading begin again. */
  protected doubt(why: string): void {
    this.#doubt = why;
    this.#pull?.end(new Error(why));
  }

  async #run(): Promise<void> {
    const { stream, log } = this.options;
    for (let failures = 0; !this.isEnded; ) {
      const before = this.#taken;
      try {
        // The client loses everything it is given without a connection.
        if (!stream.connected()) await this.#reconnected();
        else await this.#readAnew();
      } catch (error) {
        if (this.isEnded) return;
        failures = this.#taken > before ? 1 : failures + 1;
        this.#fault = (error as Error).message;
        const where = { stream: this.name, partition: this.options.partition, attempt: failures };
        log.warn({ ...where, err: error }, "reading a stream broke; starting again");
        await this.#pause(againAfterMs(failures));
      }
    }
  }

  async #reconnected(): Promise<void> {
    this.#fault = "not connected to NATS";
    while (!this.options.stream.connected() && !this.isEnded) await this.#pause(LIMITS.unorderedRetryMs);
  }

  /** Throws on every doubt; resolves once the feed was ended. */
  async #readAnew(): Promise<void> {
    this.#doubt = undefined;
    try {
      await ask(this.options.stream, () => this.#open());
      this.#fault = undefined;
      await this.#read();
    } finally {
      await this.#close();
    }
  }

  /**
   * Doubts a consumer that sends heartbeats and no messages: it is paused, or cut off from its stream alone.
   */
  async #idle(): Promise<void> {
    const due = this.#due;
    this.#due = await this.idle();
    // Messages of the previous look had a whole request's time to come.
    if (due <= this.last) return;
    // A last message that was deleted never comes. Another consumer may be cut off, too.
    if (due === this.#doubted && performance.now() < this.#doubtedAt + DOUBT_AGAIN_MS) return;
    this.#doubted = due;
    this.#doubtedAt = performance.now();
    throw new Error(`messages up to ${due} do not come`);
  }

  async #open(): Promise<void> {
    this.#due = 0;
    const { manager } = this.options.stream;
    const first = await this.begin();
    this.#consumer = uuidv7();
    await manager.consumers.add(this.name, {
      name: this.#consumer,
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: first,
      inactive_threshold: nanos(FORGOTTEN_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    await this.opened();
  }

  /** Deletes the consumer, so that the server has no more consumers than readers. */
  async #close(): Promise<void> {
    const { stream } = this.options;
    if (!stream.connected() || this.#consumer === "") return;
    const late = delay(GOODBYE_MS, undefined, { ref: false });
    await Promise.race([stream.manager.consumers.delete(this.name, this.#consumer).catch(() => {}), late]);
  }

  async #read(): Promise<void> {
    const { stream } = this.options;
    // The feed ended while the consumer was made: nothing else would end a reading that begins now.
    if (this.isEnded) return;
    if (this.#doubt !== undefined) throw new Error(this.#doubt);
    if (!stream.connected()) throw new DisconnectedError("the connection broke");
    this.#pull = new Pull({
      stream,
      name: this.name,
      consumer: this.#consumer,
      limit: this.#limit,
      room: () => this.#room,
      take: (message) => this.#take(message),
      idle: () => this.#idle(),
    });
    try {
      await this.#pull.ended;
    } finally {
      this.#pull = undefined;
    }
  }

  #take(message: PulledMessage): void {
    this.#room--;
    this.take(message);
    this.#taken++;
    this.options.stream.heard();
  }

  /** Ends early when the connection is back, or the feed is ended. */
  async #pause(ms: number): Promise<void> {
    if (this.isEnded) return;
    this.#back = new AbortController();
    await delay(ms, undefined, { signal: this.#back.signal }).catch(() => {});
  }
}
