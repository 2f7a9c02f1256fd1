import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";

/** Messages that are asked for at once. How many may be held is the consumer's `max_ack_pending`. */
const PREFETCH_MESSAGES = 16;
/** How long one request for messages stands; the next one goes out before. */
const REQUEST_MS = 10_000;
/**
 * The server shows so often that the request still stands. Two missed ones and it does not: with the client's 15 s an idle
 * partition would go on half a minute after its leader was killed.
 */
const HEARTBEAT_MS = 1_000;

/** What the client says about a consumer that will hand out nothing more by itself. */
const BROKEN = new Set(["heartbeats_missed", "consumer_deleted", "consumer_not_found", "stream_not_found"]);

/**
 * One partition's messages in their order, until it is ended: then nothing more comes through, whatever the client still
 * receives.
 *
 * A consumer in a cluster has a leader of its own. When that is killed, what it had sent off last may be lost on the way
 * although the next leader knows it as handed out: it would come again after the ack wait, and newer messages at once. So a
 * gap in the numbers of the deliveries, one that comes again, or silence breaks the delivery: whoever consumes begins anew
 * at the oldest message that is not acknowledged.
 */
export class Delivery {
  readonly #receive: (message: JsMsg) => void;
  readonly #onBroken: (reason: string) => void;
  #messages: ConsumerMessages | undefined;
  #delivered = 0;
  #ended = false;

  /** @param onBroken is told once; nothing comes through any more */
  constructor(receive: (message: JsMsg) => void, onBroken: (reason: string) => void) {
    this.#receive = receive;
    this.#onBroken = onBroken;
  }

  /** @param consumer asked for after it was made or set back: what it had handed out by then is counted from */
  async begin(consumer: Consumer): Promise<void> {
    this.#delivered = (await consumer.info(true)).delivered.consumer_seq;
    const messages = await consumer.consume({
      max_messages: PREFETCH_MESSAGES,
      expires: REQUEST_MS,
      idle_heartbeat: HEARTBEAT_MS,
      callback: (message) => this.#take(message),
    });
    this.#messages = messages;
    void this.#watch(messages);
    void messages.closed().then((error) => this.#break(error instanceof Error ? error.message : "closed"));
    if (this.#ended) await this.#close();
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#close();
  }

  #take(message: JsMsg): void {
    if (this.#ended) return;
    const { deliverySequence, deliveryCount } = message.info;
    if (deliverySequence !== this.#delivered + 1 || deliveryCount !== 1) {
      this.#break("out of order");
      return;
    }
    this.#delivered = deliverySequence;
    this.#receive(message);
  }

  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) if (BROKEN.has(type)) this.#break(type);
  }

  #break(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.#close();
    this.#onBroken(reason);
  }

  /** Closing says so to the server, which may be gone; it is ended here all the same. */
  async #close(): Promise<void> {
    await this.#messages?.close().catch(() => {});
  }
}
