import { JetStreamApiError } from "@nats-io/jetstream";
import { LIMITS, type ReadPlace } from "#contract";
import { ask } from "../connection/request.ts";
import { readStreamState, type StreamState, stateOfSame } from "../streams/stream-state.ts";
import { ensureStream, STREAM_NOT_FOUND, type TopologyOptions } from "../streams/topology.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { type CountLost, timesOfGap } from "./lost-messages.ts";
import { type StreamMessage, toStreamMessage } from "./message.ts";
import type { PulledMessage } from "./pull.ts";
import { type Replay, tellReplay } from "./replay-progress.ts";
import type { ReplayWindow } from "./replay-window.ts";
import { SeenStream } from "./seen-stream.ts";

interface UnorderedFeedOptions extends FeedOptions {
  /** To make a missing stream again. */
  readonly topology: TopologyOptions;
  readonly window: ReplayWindow;
  /** The place in the database when the partition was taken over; undefined: none. */
  readonly from: ReadPlace | undefined;
  /** A message is done: there may be something to purge. */
  readonly onDone: () => void;
  readonly onGap: CountLost;
}

const NANOS_PER_MS = 1_000_000n;

/** A message that came and lies after the stored place. */
interface Known {
  /** When the stream stored it, to the nanosecond: distinguishes two messages with one sequence. */
  readonly storedAt: bigint;
  isDone: boolean;
}

/**
 * Reads a partition of an unordered hop. The database of the handlers stores the place up to which everything
 * is done (`place`, `kept`). Reading begins after it: when the partition is taken over, and after every
 * doubt. A message that came before, and is still under way or done beyond that place, is recognised by its
 * sequence and time, and left out.
 *
 * Handlers are idempotent, and a place never passes a message that this process has not done itself. The
 * cases considered follow from these two:
 * - The process dies: its successor handles the messages after the place, at most those of the last second
 *   twice.
 * - The database goes back, by a restore or to a standby that lacks the last seconds: its place goes back
 *   with it, and
 *   messages that the stream still has after it are handled again (`ReplayWindow`).
 * - Two owners (one was suspended, or has lost its lock and does not know): both handle, and only the session
 *   that holds the
 *   lock can move the place (`PlaceKeeper`). A purge goes up to a stored place; a late or repeated one
 *   removes no unfinished message.
 * - The stream was wiped, recreated or restored, with lower sequences or with others' messages under known
 *   ones: the place
 *   does not belong to it, and reading begins at its first message. A stream that was replaced without the
 *   consumer's end showing is
 *   noticed before a place is kept, by the time at which it was made.
 * - An operator purges: messages under way are finished, and the next ones are read.
 * - A node is killed: the same as every doubt.
 * - A message fails: it comes again from memory, alone, and later ones continue. It takes the room of one
 *   (`LIMITS.messagesHeld`), and the place stays before it until it is done.
 * - A message ends the process again and again: every owner reads it with others, and the partition stands
 *   still, like one of ingest. The alert on the age of its oldest message says so.
 *
 * A hop that keeps the last message of each key has no place and is never purged: its next owner, and every
 * reader after a doubt, gets all of it again, even with a restored database. A dead message gets a dead
 * letter from each owner.
 */
export class UnorderedFeed extends Feed {
  readonly #options: UnorderedFeedOptions;
  readonly #known = new Map<number, Known>();
  readonly #later = new Set<NodeJS.Timeout>();
  /** Of the present stream. */
  #created = "";
  /** Lost messages are reported up to this sequence. */
  #gapThrough = 0;
  /** The last message of the present consumer. */
  #last = 0;
  readonly #seen: SeenStream;
  #replay: Replay | undefined;
  /** Messages that were done or purged before reading began: they count as read and done. */
  #gone = 0;
  /** The place in the database. */
  #kept: ReadPlace | undefined;
  /**
   * Places of this reading: a stream may be restored from an older copy, and its sequences then belong to
   * other messages.
   */
  #places = new WeakSet<ReadPlace>();

  constructor(options: UnorderedFeedOptions) {
    super(options, LIMITS.messagesHeld);
    this.#options = options;
    this.#kept = options.from;
    this.#seen = new SeenStream(options);
  }

  protected override async idle(): Promise<number> {
    const { stream, hop, partition } = this.#options;
    const { last } = await ask(stream, () => readStreamState(stream, hop, partition));
    return last;
  }

  override get last(): number {
    return Math.max(this.#last, this.#gone);
  }

  /** Everything up to here is done, by this process or before. */
  get done(): number {
    return Math.max(this.#doneHere(), this.#gone);
  }

  /** Messages that are read again, or were left unread. */
  get replay(): Replay | undefined {
    return this.#replay;
  }

  #doneHere(): number {
    let done = this.#last;
    for (const [sequence, { isDone }] of this.#known) if (!isDone) done = Math.min(done, sequence - 1);
    return done;
  }

  /** The number of failed messages that wait for their next attempt. */
  get waiting(): number {
    return this.#later.size;
  }

  override async end(): Promise<void> {
    for (const timer of this.#later) clearTimeout(timer);
    this.#later.clear();
    await super.end();
  }

  /** The place up to which everything is done, if the database does not have it yet. */
  get place(): ReadPlace | undefined {
    const done = this.#doneHere();
    if (this.options.hop.lastPerKey || done === 0 || !this.options.stream.connected()) return undefined;
    if (this.#kept?.streamCreated === this.#created && done <= this.#kept.done) return undefined;
    const storedAt = this.#known.get(done)?.storedAt;
    const place = {
      streamCreated: this.#created,
      done,
      storedAtMs: storedAt === undefined ? null : Number(storedAt / NANOS_PER_MS),
    };
    this.#places.add(place);
    return place;
  }

  /** The database has stored this place. */
  kept(place: ReadPlace): void {
    // Reading has begun again meanwhile.
    if (!this.#places.has(place)) return;
    this.#kept = place;
    for (const sequence of this.#known.keys()) if (sequence <= place.done) this.#known.delete(sequence);
  }

  /** Drops finished messages from the stream that need not be kept. */
  async purge(): Promise<void> {
    const { stream, hop, partition } = this.options;
    const { window } = this.#options;
    const kept = this.#kept;
    if (hop.lastPerKey || kept === undefined || kept.streamCreated !== this.#created) return;
    if (!stream.connected() || !window.isDue(hop, partition, kept.done)) return;
    const state = await window.purge(hop, partition, kept.done, kept.streamCreated);
    if (kept.streamCreated !== this.#created) return;
    if (state === undefined) this.doubt("the stream was replaced");
    else this.#seen.endsAt(state.last);
  }

  protected override async begin(): Promise<number> {
    const { stream, hop, partition, log } = this.options;
    this.#last = 0;
    this.#places = new WeakSet();
    const read = () => readStreamState(stream, hop, partition);
    const state = await read().catch(async (error) => {
      if (!(error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND)) throw error;
      await ensureStream(stream, hop, partition, this.#options.topology);
      return read();
    });
    const { created, first, last, nowMs } = state;
    if (!hop.lastPerKey) await this.#noteUnread(state);
    if (this.#created !== created) this.#gapThrough = 0;
    this.#created = created;
    const kept = this.#kept;
    const isOfIt = kept !== undefined && (await this.#isOf(kept, created));
    if (kept !== undefined && !isOfIt) {
      log.warn(
        { stream: this.name, before: kept.streamCreated, done: kept.done, created, first, last },
        "the stream was replaced: messages of the previous stream behind the stored place are lost; " +
          "reading this one from its first message",
      );
      this.#kept = undefined;
    }
    const after = isOfIt ? kept.done : 0;
    if (after > 0 && after + 1 < first) this.#noteGap(after, state);
    if (isOfIt) this.#replay ??= tellReplay(log, { stream: this.name, place: kept, last, nowMs });
    else this.#replay = undefined;
    this.#gone = Math.max(first - 1, after);
    return after + 1;
  }

  /** Messages that the stream is known to have held, and that were not read, are gone with it. */
  async #noteUnread(state: StreamState): Promise<void> {
    const lost = await this.#seen.lostOf(this.#created, state);
    if (lost === undefined) return;
    const { gap, messages } = lost;
    this.options.log.error(
      { stream: this.name, ...lost },
      "messages that were not done are gone from the stream; continuing after them",
    );
    this.#options.onGap(gap, messages);
  }

  /** Messages after the place are gone. Those that this process has read are under way, or done. */
  #noteGap(after: number, state: StreamState): void {
    const { first } = state;
    const from = Math.max(after, this.#gapThrough);
    const came = [...this.#known.keys()].filter((sequence) => sequence > from && sequence < first);
    const messages = first - 1 - from - came.length;
    // The place passes them: otherwise the next reader would count them once more.
    this.#last = first - 1;
    this.#gapThrough = first - 1;
    if (messages <= 0) return;
    this.options.log.error(
      {
        stream: this.name,
        done: after,
        first,
        messages,
        ...timesOfGap(this.#kept?.storedAtMs ?? null, state),
      },
      "messages that were not done are gone from the stream; reading on behind them",
    );
    this.#options.onGap("stream_shorter", messages);
  }

  async #isOf({ streamCreated, done, storedAtMs }: ReadPlace, created: string): Promise<boolean> {
    if (streamCreated !== created) return false;
    const { stream, hop, partition } = this.options;
    const known = { created, last: done, lastStoredAtMs: storedAtMs ?? undefined };
    return (await stateOfSame(stream, hop, partition, known)) !== undefined;
  }

  protected override take(source: PulledMessage): void {
    const { seq, storedAt, pending } = source;
    this.#last = seq;
    this.#seen.read(seq, Number(storedAt / NANOS_PER_MS));
    this.#seen.endsAt(seq + pending);
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
        // Never purged, and comes again after a doubt, because a database may have been restored meanwhile. A
        // dead message does not: it has its dead letter.
        const comesAgain = this.options.hop.lastPerKey && kind !== "dead";
        if (comesAgain && this.#known.get(message.sequence) === known) this.#known.delete(message.sequence);
        this.release(1);
        this.#options.onDone();
      },
      retryLater: (afterMs) => {
        if (this.isEnded) return;
        const timer = setTimeout(() => {
          this.#later.delete(timer);
          this.#offer(message, known, deliveries + 1);
        }, afterMs);
        this.#later.add(timer);
      },
      // Its room is free once it is done: a failed message is still held.
      release: () => {},
    });
  }
}
