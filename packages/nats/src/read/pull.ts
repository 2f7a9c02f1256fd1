import { createInbox, type Msg, type MsgHdrs, nanos, type Subscription } from "@nats-io/transport-node";
import type { Stream } from "../connection/connect.ts";

/** How long one request for messages stays open at the server. */
const REQUEST_MS = 10_000;
/**
 * While a request is open the server sends a heartbeat so often. The client's default is 15 s: an idle partition
 * would go on half a minute after its node was killed.
 */
const HEARTBEAT_MS = 1_000;
/** After twice so long without a sound the open requests count as lost. Once may be this process's own pause. */
const SILENCE_MS = 1.25 * HEARTBEAT_MS;

/** What the server says in place of a message: a request is open, or it is over, with so many messages left of it. */
const HEARTBEAT = 100;
const REQUEST_OVER = 408;
const LEFT = "Nats-Pending-Messages";

/** A message as its consumer delivers it. */
export interface PulledMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined;
  /** Its sequence in the stream. */
  readonly seq: number;
  /** When the stream stored it, in nanoseconds since 1970. */
  readonly storedAt: bigint;
  /** How many come behind it. */
  readonly pending: number;
}

export interface PullOptions {
  readonly stream: Stream;
  /** The names of the stream and of its consumer. */
  readonly name: string;
  readonly consumer: string;
  /** How many messages may be asked for or held at most, … */
  readonly limit: number;
  /** … and for how many there is room now, those included that are asked for. */
  readonly room: () => number;
  /** Called with each message, whose room is taken by then. Throws on a doubt. */
  readonly take: (message: PulledMessage) => void;
  /** Called when requests were over without a message; nothing is asked for meanwhile. Throws on a doubt. */
  readonly idle: () => Promise<void>;
}

/**
 * The messages of one consumer, which come to one inbox until this is ended. Requests overlap: when half of the room is free
 * the next one leaves, while the server still has some of the one before to fill. The client's `fetch` makes a subscription for
 * each request and waits until it is over; its `consume` overlaps them, but asks for more when messages come, not when there is room.
 *
 * Never more is asked for and held than there is room for. The server says of a request that ends early how much of it was left, on the
 * connection that the messages come by. If that is lost, too much counts as asked for: then the server has no request open before
 * it is used up here, sends no heartbeats, and that is a doubt.
 */
export class Pull {
  /** Resolves when this was ended; rejects on a doubt. */
  readonly ended: Promise<void>;
  readonly #options: PullOptions;
  readonly #inbox: string;
  readonly #subscription: Subscription;
  readonly #silence: NodeJS.Timeout;
  #settle: (error: Error | undefined) => void = () => {};
  #isEnded = false;
  /** Messages that were asked for and may still come. */
  #asked = 0;
  /** How many the consumer has delivered. */
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

  /** There is more room. What is asked for now leaves in the same write as what was just published. */
  released(): void {
    if (this.#asked > 0) this.#refill();
    // Nothing is open: all messages of a batch are released first, one after the other, and make one request.
    else queueMicrotask(() => this.#refill());
  }

  /** Nothing is received any more. What was asked for and is on its way is dropped. */
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
    // One was lost on its way, or comes twice.
    if (delivered !== ++this.#delivered) throw new Error(`message ${pulled.seq} came out of order`);
    this.#asked--;
    this.#hasBrought = true;
    this.#options.take(pulled);
    // What is held may be held for long (it failed, and waits): the room beside it is too small for the next request otherwise.
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

  /** Without an open request there is nothing to hear. */
  #miss(): void {
    if (this.#asked <= 0) return;
    this.#silence.refresh();
    if (++this.#missed > 1) this.end(new Error("no heartbeat came"));
  }
}

/** Where the words of an acknowledgement's subject that count begin, with a domain and without. */
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
