import type { JsMsg } from "@nats-io/jetstream";
import { LIMITS } from "#contract";
import { Feed, type FeedOptions } from "./feed.ts";
import { toStreamMessage } from "./message.ts";

interface OrderedFeedOptions extends FeedOptions {
  /** Reading begins behind this sequence. */
  readonly after: number;
}

/**
 * Reads a partition of an ordered hop, every message once. Its user keeps the position, so after a doubt it goes
 * on behind the last message that came.
 */
export class OrderedFeed extends Feed {
  #last: number;

  constructor(options: OrderedFeedOptions) {
    super(options, LIMITS.messagesAhead);
    this.#last = options.after;
  }

  override get last(): number {
    return this.#last;
  }

  protected override async begin(): Promise<number> {
    return this.#last + 1;
  }

  protected override take(source: JsMsg): void {
    if (source.seq <= this.#last) {
      this.release(1);
      throw new Error(`message ${source.seq} came out of order`);
    }
    this.#last = source.seq;
    this.options.receive({
      message: toStreamMessage(source, this.options.partition),
      deliveries: 1,
      // The position says what is done, and the partition's next owner reads on from there.
      done: () => {},
      giveBack: () => {},
      release: () => this.release(1),
    });
  }
}
