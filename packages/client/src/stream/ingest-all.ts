import type { TransactionEvent } from "../generated/publisher-api.ts";
import type { EventOutcome, EventResult } from "./event-outcome.ts";
import { Fifo } from "./fifo.ts";
import type { CloseOptions, EventSource } from "./stream-options.ts";

/** The part of a stream that `ingestAll` needs. */
interface SendingStream {
  send(event: TransactionEvent): Promise<EventOutcome>;
  flush(): Promise<void>;
  close(options?: CloseOptions): Promise<void>;
}

interface Pending<E> {
  readonly event: E;
  readonly outcome: Promise<EventOutcome>;
}

/**
 * Reads a source ahead of its consumer, up to a limit of events, and sends what it reads. In its own loop: the
 * source may be slow while the consumer has outcomes to take, and the other way round.
 */
class ReadAhead<E extends TransactionEvent> {
  readonly #iterator: Iterator<E> | AsyncIterator<E>;
  readonly #stream: SendingStream;
  readonly #most: number;
  readonly #pending = new Fifo<Pending<E>>();
  #isReading = false;
  #isEnded = false;
  #isStopped = false;
  /** The source's own error: thrown after the outcomes of all events that it gave before. */
  #fault: { readonly error: unknown } | undefined;
  /** Wakes the side that sleeps: the reader, for room, or the consumer, for an event. Never both sleep. */
  #wake: () => void = () => {};

  constructor(source: EventSource<E>, stream: SendingStream, most: number) {
    const asynchronous = (source as AsyncIterable<E>)[Symbol.asyncIterator];
    this.#iterator =
      asynchronous === undefined
        ? (source as Iterable<E>)[Symbol.iterator]()
        : asynchronous.call(source as AsyncIterable<E>);
    this.#stream = stream;
    this.#most = most;
  }

  /** Reads until the source ends, fails or is no longer wanted. Never throws. */
  async read(): Promise<void> {
    try {
      while (!this.#isStopped) {
        this.#isReading = true;
        const { done, value } = await this.#iterator.next();
        this.#isReading = false;
        // The stream is closed by now: it did not wait for a source that may never give this event.
        if (done || this.#isStopped) break;
        const outcome = this.#stream.send(value);
        // A failure shows where the event is yielded; until then no code awaits this promise.
        outcome.catch(() => {});
        this.#pending.push({ event: value, outcome });
        this.#wake();
        while (this.#pending.size >= this.#most && !this.#isStopped) await this.#sleep();
      }
    } catch (error) {
      this.#fault = { error };
    }
    this.#isEnded = true;
    this.#wake();
    // The last events must not wait for others, which will not come. Failures show at the outcomes.
    await this.#stream.flush().catch(() => {});
  }

  /**
   * The next event of the source, once its outcome is known; undefined behind the last.
   * @throws UndeliveredError, or what the source threw
   */
  async next(): Promise<EventResult<E> | undefined> {
    while (this.#pending.size === 0) {
      if (this.#fault !== undefined) throw this.#fault.error;
      if (this.#isEnded) return undefined;
      await this.#sleep();
    }
    const { event, outcome } = this.#pending.peek() as Pending<E>;
    const result = { event, outcome: await outcome };
    this.#pending.shift();
    this.#wake();
    return result;
  }

  /** Reads no further. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    if (this.#isEnded) return;
    const returned = (async () => this.#iterator.return?.())();
    // A source that is in the middle of a read may take as long as it likes: this does not wait for it.
    if (this.#isReading) returned.catch(() => {});
    else await returned;
  }

  async #sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/**
 * Sends everything that a source gives, and yields each event with its outcome in the source's order. At most
 * `most` events are ahead of the consumer. If the consumer leaves early, what was read is delivered all the same.
 */
export async function* ingestAll<E extends TransactionEvent>(
  source: EventSource<E>,
  stream: SendingStream,
  most: number,
): AsyncGenerator<EventResult<E>, void, undefined> {
  const ahead = new ReadAhead(source, stream, most);
  const reading = ahead.read();
  try {
    for (let result = await ahead.next(); result !== undefined; result = await ahead.next()) yield result;
  } finally {
    await ahead.stop();
    await stream.close();
  }
  await reading;
}
