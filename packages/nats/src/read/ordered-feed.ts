import { LIMITS } from "#contract";
import { ask } from "../connection/request.ts";
import { stateOfSame } from "../streams/stream-state.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { type ReadFrom, toStreamMessage } from "./message.ts";
import type { PulledMessage } from "./pull.ts";

interface OrderedFeedOptions extends FeedOptions {
  readonly from: ReadFrom;
  /** Called if the stream has been replaced: the place in it means nothing, and reading stops. */
  readonly onOtherStream: () => void;
  /**
   * Called if messages after those read are gone from the stream, up to this one, and everything read is
   * done. Reading stops: the owner of the position decides where to continue.
   */
  readonly onGone: (through: number) => void;
}

/**
 * Reads a partition of an ordered hop, every message once. Its user keeps the position. So after a doubt it
 * continues after the last message that came, if the stream is still the same: with NATS's files a stream may
 * be lost, and be recreated while this process runs, or be restored from an older copy. Then the keeper of
 * the position takes the partition over again, because reading from the old place would skip messages of the
 * new stream.
 *
 * If unread messages are gone (an operator purges, or deletes one), the sequence of the next message shows
 * it, or a look at the stream after a while without messages. Everything read before is finished first: only
 * the rest is lost.
 */
export class OrderedFeed extends Feed {
  /** Where this reading began. */
  readonly from: ReadFrom;
  readonly #onOtherStream: () => void;
  readonly #onGone: (through: number) => void;
  /** The number of messages that were read and are not done. */
  #open = 0;
  #onDone: (() => void) | undefined;
  /** Messages are gone up to this sequence. */
  #gone = 0;
  #last: number;
  #lastStoredAtMs: number | undefined;

  constructor(options: OrderedFeedOptions) {
    super(options, LIMITS.messagesAhead);
    this.#last = options.from.after;
    this.from = options.from;
    this.#lastStoredAtMs = options.from.storedAtMs;
    this.#onOtherStream = options.onOtherStream;
    this.#onGone = options.onGone;
  }

  override get last(): number {
    return this.#last;
  }

  override end(): Promise<void> {
    const ended = super.end();
    this.#onDone?.();
    return ended;
  }

  protected override async begin(): Promise<number> {
    if (this.#gone > this.#last) await this.#tellGone();
    return this.#last + 1;
  }

  async #tellGone(): Promise<never> {
    while (this.#open > 0 && !this.isEnded) {
      await new Promise<void>((resolve) => {
        this.#onDone = resolve;
      });
    }
    if (!this.isEnded) this.#onGone(this.#gone);
    throw new Error(`messages ${this.#last + 1} to ${this.#gone} are gone`);
  }

  /** After the consumer was made: if the stream is the known one now, it was then, too. */
  protected override async opened(): Promise<void> {
    await this.#compare(this.#lastStoredAtMs);
  }

  /** Without the last message, which may be large: a copy can only be restored into a stopped server. */
  protected override idle(): Promise<number> {
    return ask(this.options.stream, () => this.#compare(undefined));
  }

  /** Returns the end of the stream. */
  async #compare(lastStoredAtMs: number | undefined): Promise<number> {
    const { stream, hop, partition } = this.options;
    const known = { created: this.from.streamCreated, last: this.#last, lastStoredAtMs };
    const state = await stateOfSame(stream, hop, partition, known);
    if (state === undefined) {
      this.#onOtherStream();
      throw new Error("the stream is not the one that was read");
    }
    if (state.first > this.#last) this.#assertNext(state.first);
    return state.last;
  }

  /** Only the keeper of the position may remove unread messages. */
  #assertNext(sequence: number): void {
    if (sequence === this.#last + 1) return;
    this.#gone = sequence - 1;
    throw new Error(`messages ${this.#last + 1} to ${this.#gone} are gone`);
  }

  protected override take(source: PulledMessage): void {
    if (source.seq <= this.#last) {
      this.release(1);
      throw new Error(`message ${source.seq} came out of order`);
    }
    try {
      this.#assertNext(source.seq);
    } catch (error) {
      this.release(1);
      throw error;
    }
    this.#open++;
    this.#last = source.seq;
    const message = toStreamMessage(source, this.options.partition, this.from);
    this.#lastStoredAtMs = message.storedAtMs;
    this.options.receive({
      message,
      deliveries: 1,
      // The position records the finished messages, and the partition's next owner continues from there.
      done: () => {
        this.#open--;
        this.#onDone?.();
      },
      retryLater: () => {},
      release: () => this.release(1),
    });
  }
}
