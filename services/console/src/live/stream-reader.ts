import { readPartitions, readStream, type Stream, type StreamReading, streamPlaces } from "#nats";

/** The states of all streams. */
export interface StreamsRead {
  /** By name in the flow table; null: there is no such stream. A stream that did not answer is absent. */
  readonly streams: ReadonlyMap<string, StreamReading | null>;
  /** Why some are unknown. */
  readonly problem: string | null;
}

/** Streams that are asked for in one sample. If there are more, each is asked for less often. */
const AT_ONCE = 64;

/** Reads the state of all streams with a user that may do nothing else. */
export class StreamReader {
  readonly #stream: Stream;
  readonly #atOnce: number;
  readonly #read = new Map<string, StreamReading | null>();
  #partitions: number | undefined;
  /** Where the next round begins. */
  #next = 0;

  constructor(stream: Stream, atOnce = AT_ONCE) {
    this.#stream = stream;
    this.#atOnce = atOnce;
  }

  async read(): Promise<StreamsRead> {
    try {
      // Otherwise each question would wait for the connection.
      if (!this.#stream.connected()) throw new Error("no connection to NATS");
      this.#partitions ??= await readPartitions(this.#stream);
      return { streams: this.#read, problem: await this.#readSome(this.#partitions) };
    } catch (error) {
      this.#read.clear();
      return { streams: this.#read, problem: (error as Error).message };
    }
  }

  async #readSome(partitions: number): Promise<string | null> {
    const places = streamPlaces(partitions);
    const count = Math.min(this.#atOnce, places.length);
    const round = Array.from({ length: count }, (_, i) => places[(this.#next + i) % places.length]);
    this.#next = (this.#next + count) % places.length;
    const silent: string[] = [];
    await Promise.all(
      round.map(async (place) => {
        if (place === undefined) return;
        try {
          this.#read.set(place.name, (await readStream(this.#stream, place)) ?? null);
        } catch (error) {
          this.#read.delete(place.name);
          silent.push(`${place.name} does not answer (${(error as Error).message})`);
        }
      }),
    );
    const [first] = silent;
    if (first === undefined) return null;
    return silent.length === 1 ? first : `${first}, and ${silent.length - 1} more`;
  }
}
