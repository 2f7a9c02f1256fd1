import { setTimeout as delay } from "node:timers/promises";
import { EVENTS_KICK_SUBJECT, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { kick, type Stream } from "#nats";
import type { Log } from "#runtime";
import { recordBatchParts, type Store } from "#store";
import type { LatePart } from "./report.ts";
import { tellRejections } from "./tell-rejections.ts";

/** Parts that one statement records. */
const PARTS_AT_ONCE = 500;

/**
 * Records parts that turned out late, for `transaction.batch/get` and the webhooks, many at a time, until the database takes
 * them. A part that is recorded twice is recorded once.
 */
export class LateRecorder {
  readonly #store: Store;
  readonly #stream: Stream;
  readonly #now: () => Date;
  readonly #log: Log;
  readonly #queue: { readonly part: LatePart; readonly recorded: () => void }[] = [];
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  /** @param now the database's time */
  constructor(store: Store, stream: Stream, now: () => Date, log: Log) {
    this.#store = store;
    this.#stream = stream;
    this.#now = now;
    this.#log = log;
  }

  record(part: LatePart, recorded: () => void): void {
    this.#queue.push({ part, recorded });
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends after the attempt under way. What is not recorded is unreported still, and its successor's. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #drain(): Promise<void> {
    const { signal } = this.#stopping;
    for (let attempt = 1; this.#queue.length > 0 && !signal.aborted; ) {
      const taken = this.#queue.slice(0, PARTS_AT_ONCE);
      try {
        const parts = await tellRejections(
          this.#store,
          taken.map(({ part }) => part),
          this.#now(),
        );
        await recordBatchParts(this.#store, parts);
        if (parts.some(({ events }) => events.length > 0)) kick(this.#stream, EVENTS_KICK_SUBJECT);
      } catch (error) {
        this.#log.warn(
          { err: error, parts: taken.length, attempt },
          "late outcomes are not recorded; trying again",
        );
        const wait = Math.min(LIMITS.publishRetryMs, retryDelayMs(attempt++, Math.random()));
        await delay(wait, undefined, { signal }).catch(() => {});
        continue;
      }
      attempt = 1;
      this.#queue.splice(0, taken.length);
      for (const { recorded } of taken) recorded();
    }
  }
}
