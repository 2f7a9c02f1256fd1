import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { uuidv7 } from "uuidv7";
import type { Hop } from "#contract";
import { ask } from "../connection/ask.ts";
import type { Stream } from "../connection/connect.ts";
import { streamName } from "../streams/stream-names.ts";
import { purgeThrough, readStreamState, type StreamState } from "../streams/stream-state.ts";

const MINUTE_MS = 60_000;
/** What is kept takes at most this part of a stream's bytes: the rest is room for what is to be done. */
const KEPT_SHARE = 0.5;
/** The most look-ups of messages older than the window, in one window. */
const LOOKS_PER_WINDOW = 60;
/**
 * While no process knows who reads a stream, finished messages are purged only from one that is as full as
 * this.
 */
const FULL_SHARE = 0.75;
/** How long the server keeps a consumer that only asked for a place. */
const QUESTION_MS = 2_000;
/** How often a stream is looked at that holds what is not done: it may fill, and what is kept has to make room. */
const BYTES_LOOK_MS = 5_000;

/** Of one stream. */
interface Look {
  /** Up to here everything was done at the last look, of the stream that was made then. */
  readonly done: number;
  readonly created: string;
  /** When to look again although nothing more is done, by `performance.now()`. */
  readonly nextAt: number;
  /** When to ask again for messages older than the window. */
  readonly outlivedAt: number;
}

/**
 * Drops from streams what is done and older than the replay window. What is younger stays: a database that is restored to
 * an older moment has an older position, and reads on from there.
 *
 * What is kept never makes a stream refuse a message: where a stream is more than half full, what is done goes
 * earlier, the oldest first. What is not done is never dropped, however old it is.
 *
 * Crashes thought of: a purge that is lost, late or repeated takes away nothing that is not done. The next
 * owner of a partition knows nothing of earlier looks, and looks again.
 */
export class ReplayWindow {
  readonly #stream: Stream;
  readonly #windowMs: number;
  readonly #looks = new Map<string, Look>();
  /** How often each stream was forgotten: a purge that began before tells nothing of what came after. */
  readonly #forgotten = new Map<string, number>();

  /** @param minutes 0: what is done is dropped at once */
  constructor(stream: Stream, minutes: number) {
    this.#stream = stream;
    this.#windowMs = minutes * MINUTE_MS;
  }

  /** Whether there may be something to drop from a partition of which everything up to `done` is done. */
  isDue(hop: Hop, partition: number, done: number): boolean {
    if (done < 1) return false;
    const look = this.#looks.get(streamName(this.#stream, hop, partition));
    return look === undefined || look.done !== done || performance.now() >= look.nextAt;
  }

  /**
   * Drops what is done and need not be kept.
   * @param done everything up to this sequence is done, and the database says so
   * @param created the stream that `done` is of
   * @returns what the stream held before that; undefined: it is another one by now, and nothing was dropped
   */
  async purge(hop: Hop, partition: number, done: number, created: string): Promise<StreamState | undefined> {
    const name = streamName(this.#stream, hop, partition);
    const before = this.#looks.get(name);
    const forgotten = this.#forgotten.get(name);
    const state = await ask(this.#stream, () => readStreamState(this.#stream, hop, partition));
    if (state.created !== created) return undefined;
    const now = performance.now();
    const isAsked = before === undefined || now >= before.outlivedAt;
    const outlived = isAsked ? await this.#outlived(state) : state.first - 1;
    const through = Math.min(done, Math.max(outlived, excess(state, KEPT_SHARE)));
    if (this.#forgotten.get(name) !== forgotten) return state;
    if (through >= state.first)
      await ask(this.#stream, () => purgeThrough(this.#stream, hop, partition, through));
    if (this.#forgotten.get(name) !== forgotten) return state;
    const outlivedAt = isAsked ? now + this.#nextInMs(state) : before.outlivedAt;
    const isWhole = through >= state.last;
    const nextAt = isWhole ? Number.POSITIVE_INFINITY : done < state.last ? now + BYTES_LOOK_MS : outlivedAt;
    this.#looks.set(name, { done, created, nextAt, outlivedAt });
    return state;
  }

  /** A partition is taken over, at a place that may be an older one: nothing is done of it but what is told from now on. */
  forget(hop: Hop, partition: number): void {
    const name = streamName(this.#stream, hop, partition);
    this.#looks.delete(name);
    this.#forgotten.set(name, (this.#forgotten.get(name) ?? 0) + 1);
  }

  /**
   * Makes room in the streams of partitions that this process has read and whose database does not answer: they have no reader, and what
   * is to be done gathers in them, and what is kept must not make them refuse any. It goes as late as it can, because the database
   * may come back as an older one.
   *
   * Crashes and races thought of: it goes up to what was done by the last word of that database. Another process may have taken
   * the partition over meanwhile, in a database that was restored: its consumer shows that, and then nothing is dropped here. If it
   * begins at this very moment, it finds less than the whole window, as after any full stream, and counts what it lacks.
   */
  async makeRoom(hop: Hop, partitions: readonly number[]): Promise<void> {
    if (!this.#stream.connected()) return;
    for (const partition of partitions) {
      const look = this.#looks.get(streamName(this.#stream, hop, partition));
      if (look === undefined) continue;
      const state = await ask(this.#stream, () => readStreamState(this.#stream, hop, partition));
      if (state.created !== look.created || state.consumers > 0) continue;
      const through = Math.min(look.done, excess(state, FULL_SHARE));
      if (through >= state.first) {
        await ask(this.#stream, () => purgeThrough(this.#stream, hop, partition, through));
      }
    }
  }

  /** The last sequence that is older than the window, or a lower one. */
  async #outlived({ name, first, last, firstAtMs, nowMs }: StreamState): Promise<number> {
    if (this.#windowMs === 0) return last;
    if (firstAtMs === undefined || nowMs - firstAtMs < this.#windowMs) return first - 1;
    const since = new Date(nowMs - this.#windowMs);
    return ask(this.#stream, () => lastBefore(this.#stream, name, since));
  }

  /** Milliseconds until some message may have grown older than the window, and is worth a question. */
  #nextInMs({ firstAtMs, nowMs }: StreamState): number {
    if (this.#windowMs === 0) return 0;
    const step = this.#windowMs / LOOKS_PER_WINDOW;
    return firstAtMs === undefined ? step : Math.max(step, firstAtMs + this.#windowMs - nowMs);
  }
}

/** The sequence up to which messages have to go for the rest to take this share of the bytes at most. */
function excess({ first, messages, bytes, maxBytes }: StreamState, share: number): number {
  const over = bytes - maxBytes * share;
  if (maxBytes <= 0 || over <= 0) return first - 1;
  // By their mean size: what is too little now goes at the next look.
  return first - 1 + Math.ceil((over * messages) / bytes);
}

/** The sequence of the last message that was stored before this time. Only a new consumer can be asked for that. */
export async function lastBefore(stream: Stream, name: string, since: Date): Promise<number> {
  const consumer = uuidv7();
  const { delivered } = await stream.manager.consumers.add(name, {
    name: consumer,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    inactive_threshold: nanos(QUESTION_MS),
    mem_storage: true,
    num_replicas: 1,
  });
  await stream.manager.consumers.delete(name, consumer).catch(() => {});
  return delivered.stream_seq;
}
