import type { UnorderedLoop } from "#nats";
import { ExpectedWait } from "#postgres";
import { type Log, repeat } from "#runtime";

/** How soon a loop reads on once it may. */
const INTERVAL_MS = 500;

type Loop = Pick<UnorderedLoop, "hop" | "feedOf" | "takeOver" | "remove" | "stop">;

/**
 * Has a loop take partitions over that may have to wait, while others read them already: the partition is owned meanwhile. If it is
 * taken away, or the process ends, it is waited for no more.
 */
export class LateTakeOver {
  readonly #loop: Loop;
  readonly #log: Log;
  /** Partitions, each with why it waits. */
  readonly #waiting = new Map<number, string>();
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

  /** As that of the loop. */
  feedOf(partition: number): { readonly fault: string | undefined } | undefined {
    const fault = this.#waiting.get(partition);
    return fault === undefined ? this.#loop.feedOf(partition) : { fault };
  }

  async takeOver(partition: number): Promise<void> {
    this.#waiting.set(partition, "it is being taken over");
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
    const { stream: hop } = this.#loop.hop;
    try {
      await this.#loop.takeOver(partition);
    } catch (error) {
      const { message: cause } = error as Error;
      if (this.#waiting.has(partition)) this.#waiting.set(partition, cause);
      if (error instanceof ExpectedWait)
        this.#log.info({ hop, partition, cause }, "partition is read a little later");
      else this.#log.warn({ hop, partition, err: error }, "partition is not read yet");
      return;
    }
    // It was taken away meanwhile.
    if (!this.#waiting.delete(partition)) await this.#loop.remove(partition, false);
  }
}
