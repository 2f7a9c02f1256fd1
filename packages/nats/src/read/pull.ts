import { createInbox, type Msg, type MsgHdrs, nanos, type Subscription } from "@nats-io/transport-node";
import type { Stream } from "../connection/connect.ts";

/** How long one request for messages stays open at the server. */
const REQUEST_MS = 10_000;
/**
 * The interval of the server's heartbeats while a request is open. The client's default is 15 s: an idle
 * partition would continue half a minute after its node was killed.
 */
const HEARTBEAT_MS = 1_000;
/**
 * After twice this time without a sign the open requests count as lost. Once may be this process's own pause.
 */
const SILENCE_MS = 1.25 * HEARTBEAT_MS;

/**
 * The server's status in place of a message: a request is open, or it is over, with the number of messages
 * left of it.
 */
const HEARTBEAT = 100;
const REQUEST_OVER = 408;
const LEFT = "Nats-Pending-Messages";

/** A message from its consumer. */
export interface PulledMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined;
  /** Its sequence in the stream. */
  readonly seq: number;
  /** When the stream stored it, in nanoseconds since 1970. */
  readonly storedAt: bigint;
  /** The number of messages after it. */
  readonly pending: number;
}

export interface PullOptions {
  readonly stream: Stream;
  /** The names of the stream and of its consumer. */
  readonly name: string;
  readonly consumer: string;
  /** The most messages that may be requested or held, … */
  readonly limit: number;
  /** … and the present room, including that for requested ones. */
  readonly room: () => number;
  /** Called with each message, whose room is taken by then. Throws on a doubt. */
  readonly take: (message: PulledMessage) => void;
  /** Called after requests ended without a message; nothing is requested meanwhile. Throws on a doubt. */
  readonly idle: () => Promise<void>;
}

/**
 * The messages of one consumer, which come to one inbox until this is ended. Requests overlap: when half of
 * the room is free the next one is sent, while the server still has some of the previous one to fill. The
 * client's `fetch` makes a subscription for each request and waits until it is over; its `consume` overlaps
 * them, but requests more when messages come, not when there is room.
 *
 * It never requests and holds more than there is room for. If a request ends early, the server reports its
 * rest, on the same connection as the messages. If that report is lost, too much counts as requested: then
 * the server has no open request before the count is used up here, sends no heartbeats, and that is a doubt.
 */
export class Pull {
  /** Resolves once this was ended; rejects on a doubt. */
  readonly ended: Promise<void>;
  readonly #options: PullOptions;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #silence: NodeJS.Timeout;
  #settle: (error: Error | undefined) => void = () => {};
  #isEnded = false;
  /** The number of messages that were requested and may still come. */
  #asked = 0;
  /** The number of messages that the consumer has delivered. */
  #delivered = 0;
  /** Whether any came since requests were last over. */
  #hasBrought = false;
  #isIdle = false;
  #missed = 0;

  constructor(options: PullOptions) {
    this.#options = options;
    const { nats, inboxPrefix } = options.stream;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.#inbox = createInbox(inboxPrefix);
    const callback = (error: Error | null, message: Msg) =>
      error === null ? this.#hear(message) : this.end(error);
    this.#subscription = nats.subscribe(this.#inbox, { callback });
    this.#silence = setTimeout(() => this.#miss(), SILENCE_MS);
    this.#refill();
  }

  /** There is more room. A request of now is sent in the same write as the latest publications. */
  released(): void {
    if (this.#asked > 0) this.#refill();
    // No request is open: all messages of a batch are released first, one after the other, and make one
    // request.
    else queueMicrotask(() => this.#refill());
  }

  /** Ends receiving. Requested messages on their way are dropped. */
  end(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#silence);
    this.#subscription.unsubscribe();
    this.#settle(error);
  }

  #refill(): void {
    const { stream, name, consumer, limit, room } = this.#options;
    const free = room() - this.#asked;
    if (this.#isEnded || this.#isIdle || free <= 0) return;
    if (this.#asked > 0 && free < limit / 2) return;
    this.#asked += free;
    this.#heard();
    const request = { batch: free, expires: nanos(REQUEST_MS), idle_heartbeat: nanos(HEARTBEAT_MS) };
    const subject = `${stream.jetstream.apiPrefix}.CONSUMER.MSG.NEXT.${name}.${consumer}`;
    stream.nats.publish(subject, JSON.stringify(request), { reply: this.#inbox });
  }

  #hear(message: Msg): void {
    this.#heard();
    try {
      // A message has the subject that it was published to.
      if (message.subject === this.#inbox) this.#heed(message);
      else this.#take(message);
    } catch (error) {
      this.end(error as Error);
    }
  }

  #take(message: Msg): void {
    const { delivered, ...pulled } = readPulled(message);
    // A message was lost on its way, or came twice.
    if (delivered !== ++this.#delivered) throw new Error(`message ${pulled.seq} came out of order`);
    this.#asked--;
    this.#hasBrought = true;
    this.#options.take(pulled);
    // Held messages may stay for long (failed ones that wait): otherwise the remaining room would be too
    // small for the next request.
    if (this.#asked === 0) this.#refill();
  }

  #heed({ headers }: Msg): void {
    if (headers?.code === HEARTBEAT) return;
    if (headers?.code !== REQUEST_OVER) {
      throw new Error(`a request for messages was ended: ${headers?.code} ${headers?.description}`);
    }
    this.#asked -= Number(headers.get(LEFT));
    // Another request is open.
    if (this.#asked > 0) return;
    if (this.#hasBrought) this.#refill();
    else this.#look();
    this.#hasBrought = false;
  }

  #look(): void {
    this.#isIdle = true;
    this.#options.idle().then(
      () => {
        this.#isIdle = false;
        this.#refill();
      },
      (error) => this.end(error),
    );
  }

  #heard(): void {
    this.#missed = 0;
    this.#silence.refresh();
  }

  /** Without an open request there is no heartbeat to miss. */
  #miss(): void {
    if (this.#asked <= 0) return;
    this.#silence.refresh();
    if (++this.#missed > 1) this.end(new Error("no heartbeat came"));
  }
}

/** The position of the first relevant word in an acknowledgement's subject, with a domain and without. */
const WORDS_WITH_DOMAIN = 7;
const WORDS = 5;
const WORDS_WITHOUT_DOMAIN = 9;

/** From the subject for an acknowledgement: `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<seq>.<delivered>.<time>.<pending>`. */
function readPulled({
  subject,
  data,
  headers,
  reply = "",
}: Msg): PulledMessage & { readonly delivered: number } {
  const words = reply.split(".");
  const at = words.length === WORDS_WITHOUT_DOMAIN ? WORDS : WORDS_WITH_DOMAIN;
  return {
    subject,
    data,
    headers,
    seq: Number(words[at]),
    delivered: Number(words[at + 1]),
    storedAt: BigInt(words[at + 2] ?? 0),
    pending: Number(words[at + 3]),
  };
}
