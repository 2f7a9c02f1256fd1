import { setTimeout as delay } from "node:timers/promises";
import { FLOW } from "#contract";
import { retryDelayMs } from "#domain";
import { acknowledgedMessages, type MessageHandler, type Stream } from "#nats";
import type { Log } from "#runtime";

/**
 * Applies, once and beside everything else, the programs and deals of CONFIG that were acknowledged before this process
 * started. Nearly always all of them are stored and nothing changes. But a database that was restored from a backup is older
 * than the consumer: messages that were acknowledged since the backup would never come again, and nobody would notice until
 * the platform changed the same program.
 *
 * They are applied one after the other, in some milliseconds each: a thousand take seconds, and take no lane of the consumer.
 */
export class ConfigRecheck {
  readonly #parts: { readonly stream: Stream; readonly handler: MessageHandler; readonly log: Log };
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(parts: { readonly stream: Stream; readonly handler: MessageHandler; readonly log: Log }) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await this.#once();
      } catch (error) {
        this.#parts.log.warn({ err: error }, "configuration was not compared; trying again");
        await delay(retryDelayMs(++failures, Math.random()), undefined, { signal }).catch(() => {});
      }
    }
  }

  async #once(): Promise<void> {
    const { stream, handler, log } = this.#parts;
    let seen = 0;
    let missed = 0;
    for await (const message of acknowledgedMessages(stream, FLOW.config)) {
      if (this.#ending.signal.aborted) return;
      const { kind } = await handler(message);
      seen++;
      if (kind === "done") missed++;
    }
    if (missed === 0) return log.debug({ seen }, "the database has all configuration that was acknowledged");
    log.warn(
      { seen, missed },
      "the database was older than the acknowledged configuration, which was applied again",
    );
  }
}
