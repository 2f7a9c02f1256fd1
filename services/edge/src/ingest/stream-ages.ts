import { FLOW } from "#contract";
import { readStreamState, type Stream } from "#nats";
import { Gathering } from "#runtime";
import type { Place } from "./batch-places.ts";

/**
 * How long an answer waits for the second look. After that the first one decides: NATS is away, and
 * everything it stored stays stored.
 */
const LOOK_MS = 1_000;

/**
 * When each ingest stream was created: a sequence has no meaning without it. A stream that stores a message
 * does not say which one it is, and it may be recreated at any moment, unnoticed if the connection stays. So
 * the stream is asked before a message is sent, and again before an id names the place: if both answers are
 * the same, the message is in that stream.
 */
export class StreamAges {
  readonly #stream: Stream;
  /** Replaced with the connection, so that answers from before the break are dropped. */
  #known = new Map<number, string>();
  #looks = new Map<number, Gathering<undefined, string>>();
  readonly #unlisten: () => void;

  constructor(stream: Stream) {
    this.#stream = stream;
    this.#unlisten = stream.onConnection(() => {
      this.#known = new Map();
      this.#looks = new Map();
    });
  }

  close(): void {
    this.#unlisten();
  }

  /**
   * Call it before a message is sent. Asks the stream if the answer is not known. Rejects if the stream does
   * not answer.
   */
  async before(partition: number): Promise<string> {
    return this.#known.get(partition) ?? (await this.#look(partition));
  }

  /**
   * The places as an id may name them, once everything is stored. A place has no stream if its stream has
   * been replaced.
   */
  confirmed(places: readonly Place[]): Promise<readonly Place[]> {
    return Promise.all(places.map((place) => this.#confirmed(place)));
  }

  async #confirmed(place: Place): Promise<Place> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), LOOK_MS);
    });
    const created = await Promise.race([this.#look(place.partition).catch(() => undefined), late]);
    clearTimeout(timer);
    return created === undefined || created === place.streamCreated
      ? place
      : { ...place, streamCreated: undefined };
  }

  /** Callers at the same time share one answer, which is newer than all their questions. */
  async #look(partition: number): Promise<string> {
    const known = this.#known;
    let looks = this.#looks.get(partition);
    if (looks === undefined) {
      looks = new Gathering({
        work: async (all) => {
          const { created } = await readStreamState(this.#stream, FLOW.ingest, partition);
          return all.map(() => created);
        },
      });
      this.#looks.set(partition, looks);
    }
    const created = await looks.add(undefined);
    known.set(partition, created);
    return created;
  }
}
