import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/transport-node";
import { LIMITS } from "#contract";
import type { BatchParts } from "./batch.ts";
import { ConsumerLoop, type LoopOptions } from "./consumer-loop.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { toStreamMessage } from "./message.ts";
import { untilLed } from "./nats-errors.ts";
import { ensureSharedConsumer, type TopologyOptions } from "./topology.ts";

export interface SharedLoopOptions extends BatchParts, Pick<LoopOptions, "handler" | "lanes" | "spacingMs"> {
  /** To make the stream anew where it is gone. */
  readonly topology: TopologyOptions;
}

/** Messages that one process holds at once: those under way, and those that wait for a lane. */
const HELD_MESSAGES = 16;
/** Two full messages of our own producers. Other systems need not say how many rows theirs stand for. */
const BATCH_BYTES = 2 * LIMITS.messageBytes;
/** How long the server may take to confirm the end of a request. */
const DRAIN_MS = 1_000;

/**
 * Consumes a hop whose messages need no order. Any number of processes take messages from one durable
 * consumer. A message that a process does not acknowledge in time goes to another, and is handled twice if
 * the first process was only slow. So handlers are idempotent.
 *
 * Outages thought of, besides those of every feed:
 * - The database is gone: the batch is given back and handed out again after at most `LIMITS.sharedRetryMs`.
 * - One message makes its batch fail, or ends the process: messages that are handed out again are handled
 *   alone, so that the others are held up once and not for ever. Every process sees that by the count of
 *   deliveries.
 * - The process dies with messages, or the connection breaks: they are handed out again after the hop's ack
 *   wait.
 * - The process is suspended for longer than the ack wait, or its `working` messages get lost: its messages
 *   go to another process, and both apply them; the second one finds them done. The server may ignore the
 *   late acknowledgement or take it: either way the effects are there.
 * - The stream was wiped or removed, and its consumer too: the server ends the request, stream and consumer
 *   are made where they are missing, and delivery starts at the first message. Handlers use no sequence
 *   numbers, only what a message says. The same happens when an operator deletes the consumer.
 * - The leader of the consumer is killed: the next one hands out again what was on its way.
 */
export class SharedLoop {
  readonly #loop: ConsumerLoop;
  readonly #feed: SharedFeed;

  /** Makes what is missing in the stream, then consumes. */
  static async start(options: SharedLoopOptions): Promise<SharedLoop> {
    await untilLed(() => ensureSharedConsumer(options.stream, options.hop, options.topology));
    return new SharedLoop(options);
  }

  private constructor(options: SharedLoopOptions) {
    const { stream, hop, topology, log } = options;
    const loop = new ConsumerLoop({ ...options, batchBytes: BATCH_BYTES, maxHeld: HELD_MESSAGES });
    this.#loop = loop;
    this.#feed = new SharedFeed({ stream, hop, topology, log, receive: (entry) => loop.receive(entry) });
  }

  /** Messages that are taken and not yet acknowledged. */
  get held(): number {
    return this.#loop.held;
  }

  /** Takes no more messages, gives back those that are in no batch yet, and finishes the others. */
  async stop(): Promise<void> {
    this.#loop.stop();
    // First: the open request holds messages that others could have, and busy lanes must not delay its end.
    await this.#feed.end();
    await this.#loop.settled();
  }
}

interface SharedFeedOptions extends FeedOptions {
  readonly topology: TopologyOptions;
}

/**
 * Takes messages of the durable consumer that all processes share, and keeps telling the server that the slow
 * ones are being worked on.
 */
class SharedFeed extends Feed {
  readonly #topology: TopologyOptions;
  readonly #held = new Set<JsMsg>();
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: SharedFeedOptions) {
    super(options, HELD_MESSAGES);
    this.#topology = options.topology;
    // Only then: where the ack wait is shorter than a statement may take, slow messages are meant to go to
    // another process.
    const { ackWaitMs } = options.hop;
    if (ackWaitMs > LIMITS.statementTimeoutMs) {
      this.#keepAlive = setInterval(() => {
        for (const source of this.#held) source.working();
      }, ackWaitMs / 3);
    }
  }

  override async end(): Promise<void> {
    await super.end();
    this.#endKeepAlive();
  }

  protected override open(): Promise<Consumer> {
    const { stream, hop } = this.options;
    return ensureSharedConsumer(stream, hop, this.#topology);
  }

  protected override take(source: JsMsg): void {
    this.#held.add(source);
    this.options.receive({
      message: toStreamMessage(source, 0),
      deliveries: source.info.deliveryCount,
      acknowledge: () => source.ack(),
      giveBack: (afterMs) => source.nak(afterMs),
      release: () => {
        this.#held.delete(source);
        this.release(1);
        this.#endKeepAlive();
      },
    });
  }

  /** Nothing to close: all processes share the consumer. */
  protected override async close(): Promise<void> {}

  /**
   * Drains the request: what the server sends before it hears of the end still arrives, and is given back.
   * The client's own close would drop it, and nobody else would get it before the ack wait is over.
   */
  protected override async endRequest(): Promise<void> {
    const subscription = (this.messages as { readonly sub?: Subscription } | undefined)?.sub;
    if (subscription !== undefined && this.options.stream.connected()) {
      const late = delay(DRAIN_MS, undefined, { ref: false });
      await Promise.race([subscription.drain().catch(() => {}), late]);
    }
    this.closeRequest();
  }

  #endKeepAlive(): void {
    if (this.isEnded && this.#held.size === 0) clearInterval(this.#keepAlive);
  }
}
