import { FLOW } from "#contract";
import { readStreamState, type Stream } from "#nats";
import { Gathering } from "#runtime";
import type { Place } from "./batch-places.ts";

/** How long an answer waits for the second look. Then it goes by the first: NATS is away, and what it stored is stored. */
const LOOK_MS = 1_000;

/**
 * When each ingest stream was made: a sequence means nothing without it. A stream that stores a message does not say which one
 * it is, and it may be recreated at any moment, unseen where the connection stays. So it is asked before a message leaves for it
 * and again before an id names the place: if both answers are the same, the message is in that one.
 */
export class StreamAges {
  readonly #stream: Stream;
  /** Recreated with the connection: answers to what was asked before it broke come to nothing. */
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

  /** To be asked before a message leaves. Asks the stream, where that is not known. Rejects when it does not say. */
  async before(partition: number): Promise<string> {
    return this.#known.get(partition) ?? (await this.#look(partition));
  }

  /** The places as an id may name them, once all of it is stored: each without the stream where that is another one by now. */
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

  /** Those who ask at the same time share an answer that is newer than their questions. */
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
