import { setTimeout as delay } from "node:timers/promises";
import { FLOW } from "#contract";
import { retryDelayMs } from "#domain";
import { acknowledgedMessages, type MessageHandler, type Stream } from "#nats";
import type { Log } from "#runtime";

interface RecheckParts {
  readonly stream: Stream;
  readonly handler: MessageHandler;
  readonly log: Log;
}

/**
 * Applies, once and beside everything else, the programs and deals of CONFIG that were acknowledged before this process
 * started. Nearly always all of them are stored and nothing changes. But a database that was restored from a backup is older
 * than the consumer: messages that were acknowledged since the backup would never come again, and nobody would notice until
 * the platform changed the same program.
 *
 * They are applied one after the other, in some milliseconds each: a thousand take seconds, and take no lane of the consumer.
 * @returns ends this, and waits for the message under way
 */
export function startConfigRecheck({ stream, handler, log }: RecheckParts): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const once = async () => {
    let seen = 0;
    let missed = 0;
    for await (const message of acknowledgedMessages(stream, FLOW.config)) {
      if (signal.aborted) return;
      const { kind } = await handler(message);
      seen++;
      if (kind === "done") missed++;
    }
    if (missed === 0) return log.debug({ seen }, "the database has all configuration that was acknowledged");
    log.warn(
      { seen, missed },
      "the database was older than the acknowledged configuration, which was applied again",
    );
  };
  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        return await once();
      } catch (error) {
        log.warn({ err: error }, "configuration was not compared; trying again");
        await delay(retryDelayMs(++failures, Math.random()), undefined, { signal }).catch(() => {});
      }
    }
  };
  const running = run();
  return async () => {
    ending.abort();
    await running;
  };
}
