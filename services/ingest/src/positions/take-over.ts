import { FLOW, LIMITS } from "#contract";
import {
  type CountLost,
  type Gap,
  readStreamState,
  type Stream,
  type StreamState,
  stateOfSame,
  tellReplay,
  timesOfGap,
} from "#nats";
import type { Store } from "#postgres";
import type { Log } from "#runtime";
import { raiseSettledOrder } from "../batch/settled-order.ts";
import {
  type IngestPosition,
  noteReplay,
  type Replay,
  resetPosition,
  takeOverPosition,
} from "./ingest-position.ts";
import { adjust, isDoubtful, isShorter } from "./stream-gap.ts";

export interface PositionObserver {
  /**
   * Counts messages that are gone from a stream before they were applied, or before what follows from them
   * was published.
   */
  readonly gap: CountLost;
}

/** Messages that are gone from a stream, up to this one, and not necessarily from its beginning. */
export interface Gone {
  readonly streamCreated: string;
  readonly through: number;
}

/** A partition at the moment of its take-over. */
interface TakenOver extends IngestPosition {
  readonly epoch: number;
  /** Undefined: a new installation. */
  readonly replay: Replay | undefined;
}

/** Takes partitions over, each at the place where position and stream agree. */
export class PartitionTaker {
  readonly #store: Store;
  readonly #stream: Stream;
  readonly #log: Log;
  readonly #observer: PositionObserver;
  /** When each stream was first seen behind its position. */
  readonly #rewoundSince = new Map<number, number>();

  constructor(options: { store: Store; stream: Stream; log: Log; observer: PositionObserver }) {
    this.#store = options.store;
    this.#stream = options.stream;
    this.#log = options.log;
    this.#observer = options.observer;
  }

  /**
   * Makes this process the only owner.
   * @param gone the gap that the reader found
   * @returns the position in the present stream
   * @throws if the stream or the database does not answer, or the stream's answer is impossible
   */
  async takeOver(partition: number, gone?: Gone): Promise<TakenOver> {
    const row = await takeOverPosition(this.#store, partition);
    // Read after the epoch was raised: from then on no earlier owner moves the position.
    // The end of the stream bounds the replay after a restore. A node that was cut off may know less of the
    // stream, so the leader is asked.
    let state = await this.#readState(partition, gone, row.isServerNew);
    if (!row.isServerNew && isDoubtful(row, state)) state = await this.#readState(partition, gone, true);
    const hasGrown = await this.#hasGrownAnew(partition, row, state);
    const gap = hasGrown ? "stream_rewound" : this.#findGap(partition, row, state);
    if (gap === "unsure") {
      throw new Error(`the stream ends at ${state.last} and ${row.applied} is applied; asking again`);
    }
    const { epoch, published: done, storedAtMs } = row;
    if (gap === undefined) {
      const { name, last, nowMs } = state;
      tellReplay(this.#log, { stream: name, place: { done, storedAtMs }, last, nowMs });
    }
    const position = gap === undefined ? row : await this.#reset(partition, row, state, gap, hasGrown);
    const replay = await noteReplay(this.#store, {
      partition,
      epoch,
      isOther: gap !== undefined,
      replay: row.streamCreated === "" ? undefined : { through: state.last, sinceMs: storedAtMs },
    });
    // Done at every take-over, in case an earlier owner died in between. The stream had stored all repeated
    // messages by then.
    if (replay !== undefined && replay.order !== null) {
      await this.#store.begin((sql) => raiseSettledOrder(sql, Math.ceil(state.nowMs * 1000)));
    }
    return { ...position, epoch, replay };
  }

  /** Reads the stream's state. With a gap, the rest of the stream begins after it. */
  async #readState(partition: number, gone?: Gone, isSure?: boolean): Promise<StreamState> {
    const state = await readStreamState(this.#stream, FLOW.ingest, partition, isSure);
    const isThat = gone?.streamCreated === state.created && state.last >= gone.through;
    return isThat ? { ...state, first: Math.max(state.first, gone.through + 1) } : state;
  }

  /**
   * Whether a stream that was restored from an older copy has passed the position again, with other messages.
   */
  async #hasGrownAnew(partition: number, row: IngestPosition, state: StreamState): Promise<boolean> {
    const { applied: last, streamCreated: created, storedAtMs } = row;
    if (created !== state.created || state.last < last || storedAtMs === null) return false;
    const known = { created, last, lastStoredAtMs: storedAtMs };
    return !(await stateOfSame(this.#stream, FLOW.ingest, partition, known));
  }

  /** "unsure": ask again later, because the stream's answer may change. */
  #findGap(partition: number, row: IngestPosition, state: StreamState): Gap | "unsure" | undefined {
    if (row.streamCreated !== state.created) return "stream_remade";
    if (state.last >= row.applied) {
      this.#rewoundSince.delete(partition);
      return isShorter(row, state) ? "stream_shorter" : undefined;
    }
    const since = this.#rewoundSince.get(partition) ?? performance.now();
    this.#rewoundSince.set(partition, since);
    if (performance.now() - since < LIMITS.rewoundPatienceMs) return "unsure";
    this.#rewoundSince.delete(partition);
    return "stream_rewound";
  }

  /**
   * Continues with what there is, if the stream is not the position's stream or not all of it. A new
   * installation comes here, too, and loses nothing.
   */
  async #reset(
    partition: number,
    row: IngestPosition & { readonly epoch: number },
    state: StreamState,
    gap: Gap,
    hasGrown: boolean,
  ): Promise<IngestPosition> {
    const { position, lost, lostThrough } = adjust(row, state, gap, hasGrown);
    if (lost > 0) {
      const { applied, storedAtMs } = row;
      const facts = {
        partition,
        gap,
        messages: lost,
        applied,
        first: state.first,
        last: state.last,
        // Applied messages need not be sent again.
        ...(gap === "stream_shorter" && state.first - 1 > applied && timesOfGap(storedAtMs, state)),
      };
      this.#log.error(
        facts,
        "messages that were not applied are gone from the stream; continuing after them",
      );
      this.#observer.gap(gap, lost);
    } else if (gap === "stream_remade" && row.streamCreated !== "") {
      const { streamCreated: before, applied } = row;
      this.#log.warn(
        { partition, before, applied },
        "the stream was recreated: messages of the previous stream that were not applied are lost",
      );
    }
    await resetPosition(this.#store, { partition, epoch: row.epoch, from: row, to: position, lostThrough });
    return position;
  }
}
