import type { UnorderedLoop } from "#nats";
import { ExpectedWait } from "#postgres";
import { type Log, repeat } from "#runtime";

/** The delay until a loop reads on once it may. */
const INTERVAL_MS = 500;

type Loop = Pick<UnorderedLoop, "hop" | "feedOf" | "takeOver" | "remove" | "stop">;

/** A wait is logged at most this often. */
const TELL_EVERY_MS = 10_000;

interface Waiting {
  fault: string;
  toldAtMs: number;
}

/**
 * Lets a loop take over a partition later, while other loops of this process read it already: the process owns the partition
 * meanwhile. The wait ends when the partition is taken away, or the process ends.
 */
export class LateTakeOver {
  readonly #loop: Loop;
  readonly #log: Log;
  /** Partitions that are owned and not read yet, with the reason. A partition that is lost and gained again gets a new entry. */
  readonly #waiting = new Map<number, Waiting>();
  /** Partitions with an attempt under way: a second one would remove what the first has taken over. */
  readonly #attempting = new Set<number>();
  readonly #polling: { readonly stop: () => Promise<void> };

  constructor(loop: Loop, log: Log) {
    this.#loop = loop;
    this.#log = log;
    this.#polling = repeat({
      name: `taking over of ${loop.hop.stream}`,
      everyMs: INTERVAL_MS,
      work: async () => {
        for (const partition of this.#waiting.keys()) await this.#attempt(partition);
      },
      failed: "partitions were not taken over",
      log,
    });
  }

  /** Like `feedOf` of the loop. */
  feedOf(partition: number): { readonly fault: string | undefined } | undefined {
    const waiting = this.#waiting.get(partition);
    return waiting === undefined ? this.#loop.feedOf(partition) : { fault: waiting.fault };
  }

  async takeOver(partition: number): Promise<void> {
    this.#waiting.set(partition, { fault: "it is being taken over", toldAtMs: Number.NEGATIVE_INFINITY });
    await this.#attempt(partition);
  }

  async remove(partition: number, finish: boolean): Promise<void> {
    this.#waiting.delete(partition);
    await this.#loop.remove(partition, finish);
  }

  async stop(): Promise<void> {
    this.#waiting.clear();
    await this.#polling.stop();
    await this.#loop.stop();
  }

  async #attempt(partition: number): Promise<void> {
    const entry = this.#waiting.get(partition);
    if (entry === undefined || this.#attempting.has(partition)) return;
    this.#attempting.add(partition);
    try {
      await this.#loop.takeOver(partition);
      // If the partition was lost meanwhile, this take-over belongs to an ownership that is over.
      if (this.#waiting.get(partition) === entry) this.#waiting.delete(partition);
      else await this.#loop.remove(partition, false);
    } catch (error) {
      entry.fault = (error as Error).message;
      this.#tell(partition, entry, error);
    } finally {
      this.#attempting.delete(partition);
    }
  }

  #tell(partition: number, entry: Waiting, error: unknown): void {
    const now = performance.now();
    if (now - entry.toldAtMs < TELL_EVERY_MS) return;
    entry.toldAtMs = now;
    const facts = { hop: this.#loop.hop.stream, partition };
    if (error instanceof ExpectedWait) {
      this.#log.info({ ...facts, cause: entry.fault }, "partition is read a little later");
    } else this.#log.warn({ ...facts, err: error }, "partition is not read yet");
  }
}
