import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { nameUuid, retryDelayMs } from "#domain";
import { messagingAttributes, publishOrThrow, type Stream, subjectName } from "#nats";
import { takeOutcomes } from "#platform-store";
import { type Log, type Tracing, untilDone } from "#runtime";
import type { Store } from "#store";
import type { MatchingMetrics } from "./matching-metrics.ts";

/** How often what a crash or an outage left in the queue is looked for. */
const POLL_MS = 250;
/** Under load looks are at least so far apart, so that a message holds the outcomes of several batches. */
const SPACING_MS = 20;

export interface OutcomePublisherParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly metrics: MatchingMetrics;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/**
 * Brings outcomes from their queue to the stream, at once when it is kicked, and every 250 ms what a crash or an outage
 * left. Several processes may do it at once; the order in which outcomes come plays no part.
 *
 * Crashes thought of: before the stream has a message, its outcomes are in the queue; after that, and before the commit
 * that takes them out, they are published again, perhaps in other company, and the reward engine knows them by what they
 * are about.
 */
export class OutcomePublisher {
  readonly #parts: OutcomePublisherParts;
  readonly #running: Promise<void>;
  #isStopping = false;
  #isKicked = false;
  #failures = 0;
  #wake: () => void = () => {};

  constructor(parts: OutcomePublisherParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** Something was queued. */
  kick(): void {
    this.#isKicked = true;
    this.#wake();
  }

  /** Waits for the message that is being published; the rest stays in the queue. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isKicked = false;
      const startedAt = performance.now();
      await this.#drain();
      await sleep(Math.max(0, startedAt + SPACING_MS - performance.now()));
      await this.#pause(this.#failures === 0 ? POLL_MS : this.#retryDelayMs());
    }
  }

  #retryDelayMs(): number {
    return Math.min(LIMITS.publishRetryMs, retryDelayMs(this.#failures, Math.random()));
  }

  async #drain(): Promise<void> {
    const { store, metrics, log, stream } = this.#parts;
    try {
      let taken: number = LIMITS.outcomesPerMessage;
      while (taken === LIMITS.outcomesPerMessage && !this.#isStopping && stream.connected()) {
        taken = await takeOutcomes(store, LIMITS.outcomesPerMessage, (outcomes, traceparents) =>
          publish(this.#parts, outcomes, traceparents),
        );
        metrics.published(taken);
      }
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      log.warn({ err: error }, "outcomes were not published; trying again");
    }
  }

  /** Until the time is up, or something was queued, or the end. After a failure a kick does not shorten the wait. */
  #pause(ms: number): Promise<void> {
    if (this.#isStopping || (this.#isKicked && this.#failures === 0)) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wake = () => {
        if (this.#isStopping || this.#failures === 0) end();
      };
    });
  }
}

/** A restored database queues the same again, perhaps within the time in which the stream drops repetitions. */
const PROCESS = uuidv7();

/**
 * The id is made of the process and of all that is in the message. Positions in the queue would not do: with several processes two
 * different sets may have the same ends, and the second one would be dropped as a repetition of the first.
 */
function publish(
  { stream, tracing }: OutcomePublisherParts,
  outcomes: readonly string[],
  traceparents: readonly (string | null)[],
): Promise<void> {
  const list = outcomes.join(",");
  const sending = tracing?.follow({
    name: `send ${FLOW.outcomes.stream}`,
    kind: "producer",
    from: traceparents,
    attributes: { ...messagingAttributes("send", FLOW.outcomes), "stampede.rows": outcomes.length },
  });
  return untilDone(sending, (span) =>
    publishOrThrow(stream, {
      subject: subjectName(stream, FLOW.outcomes),
      payload: `{"v":1,"outcomes":[${list}]}`,
      id: `${FLOW.outcomes.stream}-${PROCESS}-${nameUuid(list)}`,
      headers: {
        [HEADERS.rows]: String(outcomes.length),
        ...(span !== undefined && { [HEADERS.traceparent]: span.traceparent }),
      },
    }),
  );
}
