import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { uuidv7 } from "uuidv7";
import type { Hop } from "#contract";
import type { Stream } from "../connection/connect.ts";
import { ask } from "../connection/request.ts";
import { streamName } from "../streams/stream-names.ts";
import { purgeThrough, readStreamState, type StreamState } from "../streams/stream-state.ts";

const MINUTE_MS = 60_000;
/** Kept messages take at most this part of a stream's bytes: the rest is room for unfinished ones. */
const KEPT_SHARE = 0.5;
/** The most look-ups of messages older than the window, within one window. */
const LOOKS_PER_WINDOW = 60;
/** While the reader of a stream is unknown, finished messages are purged only if the stream is this full. */
const FULL_SHARE = 0.75;
/** How long the server keeps a consumer that was made only to find a place. */
const QUESTION_MS = 2_000;
/**
 * How often to look at a stream with unfinished messages: it may fill, and kept messages have to make room.
 */
const BYTES_LOOK_MS = 5_000;

/** The last look at one stream. */
interface Look {
  /** At that look, everything up to here was done, in the stream that was created at that time. */
  readonly done: number;
  readonly created: string;
  /** When to look again without further progress, by `performance.now()`. */
  readonly nextAt: number;
  /** When to look again for messages older than the window. */
  readonly outlivedAt: number;
}

/**
 * Drops finished messages older than the replay window from streams. Younger ones stay: a database that is
 * restored to an older moment has an older position, and reads on from there.
 *
 * Kept messages never make a stream refuse a new one: if a stream is more than half full, finished messages
 * are dropped earlier, the oldest first. Unfinished messages are never dropped, however old they are.
 *
 * Crashes considered: a purge that is lost, late or repeated removes no unfinished message. The next owner of
 * a partition knows nothing of earlier looks, and looks again.
 */
export class ReplayWindow {
  readonly #stream: Stream;
  readonly #windowMs: number;
  readonly #looks = new Map<string, Look>();
  /** How often each stream was forgotten: the result of an earlier purge no longer counts. */
  readonly #forgotten = new Map<string, number>();

  /** @param minutes 0: finished messages are dropped immediately */
  constructor(stream: Stream, minutes: number) {
    this.#stream = stream;
    this.#windowMs = minutes * MINUTE_MS;
  }

  /** Whether there may be something to drop from a partition that is done up to `done`. */
  isDue(hop: Hop, partition: number, done: number): boolean {
    if (done < 1) return false;
    const look = this.#looks.get(streamName(this.#stream, hop, partition));
    return look === undefined || look.done !== done || performance.now() >= look.nextAt;
  }

  /**
   * Drops finished messages that need not be kept.
   * @param done everything up to this sequence is done, according to the database
   * @param created the stream that `done` belongs to
   * @returns the stream's state before that; undefined: the stream has been replaced, and nothing was dropped
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

  /** A partition is taken over, at a place that may be older: only progress reported from now on counts. */
  forget(hop: Hop, partition: number): void {
    const name = streamName(this.#stream, hop, partition);
    this.#looks.delete(name);
    this.#forgotten.set(name, (this.#forgotten.get(name) ?? 0) + 1);
  }

  /**
   * Makes room in the streams of partitions that this process has read and whose database does not answer:
   * they have no reader, new messages collect in them, and kept messages must not make them refuse any. It
   * drops as late as it can, because the database may come back as an older one.
   *
   * Crashes and races considered: it goes up to the last progress reported by that database. Another process
   * may have taken the partition over meanwhile, in a restored database: its consumer shows that, and then
   * nothing is dropped here. If it begins at this very moment, it finds less than the whole window, as after
   * any full stream, and counts the missing messages.
   */
  async makeRoom(hop: Hop, partitions: readonly number[]): Promise<void> {
    if (!this.#stream.connected()) return;
    for (const partition of partitions) {
      const look = this.#looks.get(streamName(this.#stream, hop, partition));
      if (look === undefined) continue;
      const findRoom = async (isSure: boolean): Promise<number | undefined> => {
        const state = await ask(this.#stream, () => readStreamState(this.#stream, hop, partition, isSure));
        if (state.created !== look.created || state.consumers > 0) return undefined;
        const through = Math.min(look.done, excess(state, FULL_SHARE));
        return through >= state.first ? through : undefined;
      };
      if ((await findRoom(false)) === undefined) continue;
      // A node that was cut off may not know of another process's consumer.
      const through = await findRoom(true);
      if (through === undefined) continue;
      await ask(this.#stream, () => purgeThrough(this.#stream, hop, partition, through));
    }
  }

  /** The last sequence older than the window, or a lower one. */
  async #outlived({ name, first, last, firstAtMs, nowMs }: StreamState): Promise<number> {
    if (this.#windowMs === 0) return last;
    if (firstAtMs === undefined || nowMs - firstAtMs < this.#windowMs) return first - 1;
    const since = new Date(nowMs - this.#windowMs);
    return ask(this.#stream, () => lastBefore(this.#stream, name, since));
  }

  /**
   * Milliseconds until a message may have grown older than the window, and another look is worth its cost.
   */
  #nextInMs({ firstAtMs, nowMs }: StreamState): number {
    if (this.#windowMs === 0) return 0;
    const step = this.#windowMs / LOOKS_PER_WINDOW;
    return firstAtMs === undefined ? step : Math.max(step, firstAtMs + this.#windowMs - nowMs);
  }
}

/**
 * The sequence up to which messages have to be dropped, so that the rest takes at most this share of the
 * bytes.
 */
function excess({ first, messages, bytes, maxBytes }: StreamState, share: number): number {
  const over = bytes - maxBytes * share;
  if (maxBytes <= 0 || over <= 0) return first - 1;
  // By their mean size: if this drops too little, the next look drops more.
  return first - 1 + Math.ceil((over * messages) / bytes);
}

/** The sequence of the last message stored before this time. Only a new consumer can find it. */
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
