import { streamName } from "../streams/stream-names.ts";
import { type StreamState, stateOfSame } from "../streams/stream-state.ts";
import type { FeedOptions } from "./feed.ts";
import { type Gap, timesOfGap } from "./lost-messages.ts";
import { lastBefore } from "./replay-window.ts";

/** Messages that are gone with the stream that held them. */
interface Lost extends ReturnType<typeof timesOfGap> {
  readonly gap: Gap;
  readonly messages: number;
  /** Those behind this one … */
  readonly after: number;
  /** … up to this one. */
  readonly through: number;
}

/** What a reader knows of the stream that it reads: the messages that it was to read, and how far it has come. */
export class SeenStream {
  readonly #options: Pick<FeedOptions, "stream" | "hop" | "partition">;
  /** The last message that was read. */
  #read: { readonly sequence: number; readonly storedAtMs: number } | undefined;
  #end = 0;
  /** When that end was known, by `performance.now()`. */
  #endAt = 0;

  constructor(options: Pick<FeedOptions, "stream" | "hop" | "partition">) {
    this.#options = options;
  }

  read(sequence: number, storedAtMs: number): void {
    if (sequence > (this.#read?.sequence ?? 0)) this.#read = { sequence, storedAtMs };
  }

  endsAt(sequence: number): void {
    if (sequence <= this.#end) return;
    this.#end = sequence;
    this.#endAt = performance.now();
  }

  /**
   * If the stream that was read has been replaced, or restored from an older copy: the messages that it is
   * known to have held and that were not read. Messages that were read are under way, or done. Then it is
   * forgotten.
   * @param created of the stream that was read
   * @param state of the present one
   */
  async lostOf(created: string, state: StreamState): Promise<Lost | undefined> {
    const read = this.#read;
    const gap = read && (await this.#gapOf(created, state, read));
    if (read === undefined || gap === undefined) return undefined;
    // An older copy may still have some of them; messages stored since the end was known are other ones.
    const knownAt = new Date(state.nowMs - (performance.now() - this.#endAt));
    const { stream, hop, partition } = this.#options;
    const left =
      gap === "stream_rewound"
        ? await lastBefore(stream, streamName(stream, hop, partition), knownAt)
        : read.sequence;
    const after = Math.max(read.sequence, left);
    const through = this.#end;
    this.#read = undefined;
    this.#end = 0;
    if (through <= after) return undefined;
    const times = timesOfGap(read.storedAtMs, { firstAtMs: undefined, nowMs: state.nowMs });
    return { gap, messages: through - after, after, through, ...times };
  }

  /**
   * Undefined: the stream is the one that was read. If a stream reports less than is known, the true leader
   * is asked (`stateOfSame`).
   */
  async #gapOf(
    before: string,
    { created }: StreamState,
    { sequence, storedAtMs }: { readonly sequence: number; readonly storedAtMs: number },
  ): Promise<Gap | undefined> {
    if (created !== before) return "stream_remade";
    const { stream, hop, partition } = this.#options;
    const end = { created, last: this.#end };
    const isWhole = (await stateOfSame(stream, hop, partition, end)) !== undefined;
    const read = { created, last: sequence, lastStoredAtMs: storedAtMs };
    return isWhole && (await stateOfSame(stream, hop, partition, read)) !== undefined
      ? undefined
      : "stream_rewound";
  }
}
