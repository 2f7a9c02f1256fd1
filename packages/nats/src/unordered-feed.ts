import { JetStreamApiError, type JsMsg } from "@nats-io/jetstream";
import { LIMITS } from "#contract";
import { ask } from "./ask.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { type StreamMessage, toStreamMessage } from "./message.ts";
import { purgeThrough, readStreamState } from "./stream-state.ts";
import { ensureStream, STREAM_NOT_FOUND, type TopologyOptions } from "./topology.ts";

interface UnorderedFeedOptions extends FeedOptions {
  /** To make the stream anew where it is gone. */
  readonly topology: TopologyOptions;
  /** A message is done: there may be something to purge. */
  readonly onDone: () => void;
}

/** A message that came and is not purged. */
interface Known {
  /** When the stream stored it, to the nanosecond: tells two messages of one sequence apart. */
  readonly storedAt: bigint;
  isDone: boolean;
}

/**
 * Reads a partition of an unordered hop. What is done is purged from the stream (`purge`), so what is left in it
 * is what is to be done, and reading begins at its first message: when the partition is taken over, and after
 * every doubt. A message that came before, and is still under way or waits to be purged, is known by its sequence
 * and time, and left out. Nothing else says how far the partition is done.
 *
 * A purge goes only up to a message before which all have come from the present consumer and are done here. So
 * it never takes away what this process has not handled itself, and handlers are idempotent. From these two
 * follows all that was thought of:
 * - The process dies: its successor handles what is not purged, at most the last second's messages twice.
 * - Two owners (one was suspended, or has lost its lock and does not know): both handle, and each purges only
 *   what it has done. A purge that is late or repeated takes away nothing that is not done.
 * - The stream was wiped, made anew or restored, with lower sequences or with others' messages under known ones:
 *   its first message is not known, and comes. A stream that was replaced without the consumer's end showing is
 *   noticed before a purge, by the time at which it was made.
 * - An operator purges: what is under way is finished, and what comes next is read.
 * - A node is killed: the same as every doubt. A purge that was lost with it leaves messages that come twice.
 * - A message fails: it comes again out of memory, alone, and those behind it go on. It takes the room of one
 *   (`LIMITS.messagesHeld`), and nothing behind it is purged until it is done.
 * - A message ends the process again and again: every owner reads it with others, and the partition stands
 *   still, as one of ingest would. The alert on the age of its oldest message says so.
 *
 * A hop that keeps the last message of each key is read in the same way and never purged: to whoever takes it over,
 * and after every doubt, all of it comes again, also to a database that was restored. What is dead gets a dead letter
 * of each owner.
 */
export class UnorderedFeed extends Feed {
  readonly #options: UnorderedFeedOptions;
  readonly #known = new Map<number, Known>();
  readonly #later = new Set<NodeJS.Timeout>();
  /** Of the stream that is being read. */
  #created = "";
  /** Of what the present consumer has brought. */
  #last = 0;
  /** What was purged before reading began, by whoever: it is shown as read and done. */
  #gone = 0;
  #purged = 0;

  constructor(options: UnorderedFeedOptions) {
    super(options, LIMITS.messagesHeld);
    this.#options = options;
  }

  override get last(): number {
    return Math.max(this.#last, this.#gone);
  }

  /** Up to here everything is done, here or before. */
  get done(): number {
    return Math.max(this.#doneHere(), this.#gone);
  }

  #doneHere(): number {
    let done = this.#last;
    for (const [sequence, { isDone }] of this.#known) if (!isDone) done = Math.min(done, sequence - 1);
    return done;
  }

  /** Messages that failed and wait for their next attempt. */
  get waiting(): number {
    return this.#later.size;
  }

  override async end(): Promise<void> {
    for (const timer of this.#later) clearTimeout(timer);
    this.#later.clear();
    await super.end();
  }

  /** Drops from the stream what is done. Also to be called when the feed has ended and its messages are done. */
  async purge(): Promise<void> {
    const { stream, hop, partition } = this.options;
    const consumer = this.consumer;
    const through = this.#doneHere();
    if (hop.lastPerKey || through <= this.#purged || !stream.connected()) return;
    const { created } = await ask(stream, () => readStreamState(stream, hop, partition));
    // Reading began anew meanwhile, and what the present consumer has brought counts.
    if (consumer !== this.consumer) return;
    if (created !== this.#created) {
      this.doubt("the stream is another one");
      return;
    }
    await ask(stream, () => purgeThrough(stream, hop, partition, through));
    if (consumer !== this.consumer) return;
    this.#purged = through;
    for (const sequence of this.#known.keys()) if (sequence <= through) this.#known.delete(sequence);
  }

  protected override async begin(): Promise<number> {
    const { stream, hop, partition } = this.options;
    this.#last = 0;
    this.#purged = 0;
    const read = () => readStreamState(stream, hop, partition);
    const { created, first } = await read().catch(async (error) => {
      if (!(error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND)) throw error;
      await ensureStream(stream, hop, partition, this.#options.topology);
      return read();
    });
    this.#created = created;
    this.#gone = first - 1;
    return 1;
  }

  protected override take(source: JsMsg): void {
    const { seq, timestampNanos: storedAt } = source;
    this.#last = seq;
    // Of a stream that was restored since.
    if (seq <= this.#gone) this.#gone = seq - 1;
    if (this.#known.get(seq)?.storedAt === storedAt) {
      this.release(1);
      return;
    }
    const known: Known = { storedAt, isDone: false };
    this.#known.set(seq, known);
    this.#offer(toStreamMessage(source, this.options.partition), known, 1);
  }

  #offer(message: StreamMessage, known: Known, deliveries: number): void {
    this.options.receive({
      message,
      deliveries,
      done: ({ kind }) => {
        known.isDone = true;
        // Never purged, and to come again after a doubt: a database may have been restored meanwhile. Not what is
        // dead: it has its dead letter.
        const comesAgain = this.options.hop.lastPerKey && kind !== "dead";
        if (comesAgain && this.#known.get(message.sequence) === known) this.#known.delete(message.sequence);
        this.release(1);
        this.#options.onDone();
      },
      giveBack: (afterMs) => {
        if (this.isEnded) return;
        const timer = setTimeout(() => {
          this.#later.delete(timer);
          this.#offer(message, known, deliveries + 1);
        }, afterMs);
        this.#later.add(timer);
      },
      // Its room is free when it is done: one that failed is still held.
      release: () => {},
    });
  }
}
