import { setTimeout as delay } from "node:timers/promises";
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import type { Subscription } from "@nats-io/transport-node";
import { LIMITS } from "#contract";
import type { BatchParts } from "./batch.ts";
import { ConsumerLoop } from "./consumer-loop.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { toStreamMessage } from "./message.ts";
import { untilLed } from "./outage.ts";
import type { BatchHandler } from "./outcome.ts";
import { ensureSharedConsumer, type TopologyOptions } from "./topology.ts";

export interface SharedLoopOptions extends BatchParts {
  /** For a stream that has to be made anew. */
  readonly topology: TopologyOptions;
  readonly handler: BatchHandler;
  /** Batches under way at once, 1 by default. */
  readonly lanes?: number;
  /** Milliseconds between the starts of batches that are less than half full. Left out: none. */
  readonly spacingMs?: number;
}

/** Messages that one process holds at once: those under way, and those that wait for a lane. */
const HELD_MESSAGES = 16;
/** Two full messages of ours. Another system need not say how many rows its messages stand for. */
const BATCH_BYTES = 2 * LIMITS.messageBytes;
/** How long the server may take to confirm the end of a request. */
const DRAIN_MS = 1_000;

/**
 * Consumes a hop whose messages need no order. Any number of processes take from one durable consumer; what one of them
 * does not acknowledge in time goes to another, and is handled twice if it was only slow. So handlers are idempotent.
 *
 * Outages thought of, besides those of every feed:
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
 * - The leader of the consumer is killed: the next one hands out again what was on its way.
 */
export class SharedLoop {
  readonly #loop: ConsumerLoop;
  readonly #feed: SharedFeed;

  /** Consumes from now on; what it needs in the stream is there when this resolves. */
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

  /** Takes nothing more, gives back what was not begun, and finishes the rest. */
  async stop(): Promise<void> {
    this.#loop.stop();
    // Lanes that are busy must not hold up the request, which holds messages that others could have.
    await this.#feed.end();
    await this.#loop.settled();
  }
}

interface SharedFeedOptions extends FeedOptions {
  readonly topology: TopologyOptions;
}

/** Takes messages of the durable consumer that all processes share, and tells the server that the slow ones are at work. */
class SharedFeed extends Feed {
  readonly #topology: TopologyOptions;
  readonly #held = new Set<JsMsg>();
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(options: SharedFeedOptions) {
    super(options, HELD_MESSAGES);
    this.#topology = options.topology;
    // Where the ack wait is shorter than a statement may take, slow messages are meant to go to somebody else.
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

  /** The consumer is everybody's. */
  protected override async close(): Promise<void> {}

  /**
   * What the server has sent before it hears of the end still comes, to be given back: the client would drop it, and nobody
   * else got it before the ack wait is over.
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
