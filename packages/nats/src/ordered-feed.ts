import type { JsMsg } from "@nats-io/jetstream";
import { LIMITS } from "#contract";
import { Feed, type FeedOptions } from "./feed.ts";
import { type ReadFrom, toStreamMessage } from "./message.ts";
import { isStillThatStream } from "./stream-state.ts";

interface OrderedFeedOptions extends FeedOptions {
  readonly from: ReadFrom;
  /** Called when the stream is another one by now: the place in it means nothing, and nothing more is read. */
  readonly onOtherStream: () => void;
}

/**
 * Reads a partition of an ordered hop, every message once. Its user keeps the position, so after a doubt it goes
 * on behind the last message that came, if that is still the stream which it came from: with NATS's files a stream may be
 * lost, and be made anew while this process runs, or be restored from an older copy. Then the place is taken anew by whoever
 * keeps the position; to read on at it would pass over what the new stream holds.
 */
export class OrderedFeed extends Feed {
  readonly #from: ReadFrom;
  readonly #onOtherStream: () => void;
  #last: number;
  #lastStoredAtMs: number | undefined;

  constructor(options: OrderedFeedOptions) {
    super(options, LIMITS.messagesAhead);
    this.#last = options.from.after;
    this.#from = options.from;
    this.#lastStoredAtMs = options.from.storedAtMs;
    this.#onOtherStream = options.onOtherStream;
  }

  override get last(): number {
    return this.#last;
  }

  protected override async begin(): Promise<number> {
    return this.#last + 1;
  }

  /** Behind the consumer: if the stream is the known one now, it was when the consumer was made. */
  protected override async opened(): Promise<void> {
    const { stream, hop, partition } = this.options;
    const known = {
      created: this.#from.streamCreated,
      last: this.#last,
      lastStoredAtMs: this.#lastStoredAtMs,
    };
    if (await isStillThatStream(stream, hop, partition, known)) return;
    this.#onOtherStream();
    throw new Error("the stream is another one than was read");
  }

  protected override take(source: JsMsg): void {
    if (source.seq <= this.#last) {
      this.release(1);
      throw new Error(`message ${source.seq} came out of order`);
    }
    this.#last = source.seq;
    const message = toStreamMessage(source, this.options.partition, this.#from);
    this.#lastStoredAtMs = message.storedAtMs;
    this.options.receive({
      message,
      deliveries: 1,
      // The position says what is done, and the partition's next owner reads on from there.
      done: () => {},
      giveBack: () => {},
      release: () => this.release(1),
    });
  }
}
