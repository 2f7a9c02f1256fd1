import { FLOW } from "#contract";
import { readStreamState, type Stream } from "#nats";

interface KnownStream {
  readonly created: string;
  /** Sequence of the last message that this process has in it. */
  last: number;
}

/**
 * When each ingest stream was made: a sequence means nothing without it. It is read when something is published, and forgotten
 * whenever the stream may have become another one: with the connection, and when a sequence comes that is not above the last.
 * So what is known when an acknowledgement comes is of the stream that gave it.
 */
export class StreamAges {
  readonly #stream: Stream;
  /** Made anew with the connection: answers to what was asked before it broke come to nothing. */
  #known = new Map<number, KnownStream>();
  readonly #asked = new Map<number, Promise<void>>();
  readonly #unlisten: () => void;

  constructor(stream: Stream) {
    this.#stream = stream;
    this.#unlisten = stream.onConnection(() => {
      this.#known = new Map();
      this.#asked.clear();
    });
  }

  close(): void {
    this.#unlisten();
  }

  /** Undefined: it has to be learned first. */
  of(partition: number): string | undefined {
    return this.#known.get(partition)?.created;
  }

  /** Asks the server, where it is not known. Rejects when it does not say. */
  async learn(partition: number): Promise<void> {
    if (this.#known.has(partition)) return;
    const asked = this.#asked.get(partition) ?? this.#ask(partition);
    this.#asked.set(partition, asked);
    await asked;
  }

  /** The stream has stored a message. @returns when it was made; undefined: it has to be learned anew */
  stored(partition: number, sequence: number, duplicate: boolean): string | undefined {
    const known = this.#known.get(partition);
    if (known === undefined) return undefined;
    if (sequence <= known.last && !duplicate) {
      this.#known.delete(partition);
      return undefined;
    }
    known.last = Math.max(known.last, sequence);
    return known.created;
  }

  async #ask(partition: number): Promise<void> {
    const known = this.#known;
    try {
      const { created } = await readStreamState(this.#stream, FLOW.ingest, partition);
      known.set(partition, { created, last: 0 });
    } finally {
      if (known === this.#known) this.#asked.delete(partition);
    }
  }
}
