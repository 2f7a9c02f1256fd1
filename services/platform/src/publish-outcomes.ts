import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { nameUuid, retryDelayMs } from "#domain";
import { messagingAttributes, publishOrThrow, type Stream, subjectName } from "#nats";
import type { Store } from "#postgres";
import { type Log, type Repeated, repeat, type Tracing, untilDone } from "#runtime";
import { takeOutcomes } from "./halves/outcome-queue.ts";
import type { MatchingMetrics } from "./metrics.ts";

/** How often the publisher looks for outcomes that a crash or an outage left in the queue. */
const POLL_MS = 250;
/** Under load, messages are at least so far apart, so that one holds the outcomes of several batches. */
const SPACING_MS = 20;

interface OutcomePublisherParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly metrics: MatchingMetrics;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/**
 * Brings outcomes from their queue to the stream: at once after a kick, and every 250 ms those that a crash or an outage
 * left. Several processes may do this at once; the order of outcomes does not matter.
 *
 * Crashes thought of: before the stream has a message, its outcomes are still in the queue. After that, and before the commit
 * that takes them out, they are published again, perhaps together with others; rewards recognises them by what they are
 * about.
 */
export class OutcomePublisher {
  readonly #parts: OutcomePublisherParts;
  readonly #loop: Repeated;

  constructor(parts: OutcomePublisherParts) {
    this.#parts = parts;
    this.#loop = repeat({
      name: "outcomes",
      everyMs: POLL_MS,
      spacingMs: SPACING_MS,
      againMs: (failures) => Math.min(LIMITS.publishRetryMs, retryDelayMs(failures, Math.random())),
      work: (stop) => this.#drain(stop),
      failed: "outcomes were not published; trying again",
      log: parts.log,
    });
  }

  /** To be called when outcomes were queued. */
  kick(): void {
    this.#loop.kick();
  }

  /** Waits for the message that is being published; the rest stays in the queue. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #drain(stop: AbortSignal): Promise<void> {
    const { store, metrics, stream } = this.#parts;
    let taken: number = LIMITS.outcomesPerMessage;
    while (taken === LIMITS.outcomesPerMessage && !stop.aborted && stream.connected()) {
      taken = await takeOutcomes(store, LIMITS.outcomesPerMessage, (outcomes, traceparents) =>
        publish(this.#parts, outcomes, traceparents),
      );
      metrics.published(taken);
    }
  }
}

/**
 * Part of every message's id. A restored database may queue the same outcomes again, within the time in which the stream
 * drops repeated ids, and they must not be dropped.
 */
const PROCESS = uuidv7();

/**
 * The id is made of the process and of the whole content. Positions in the queue would not do: with several processes, two
 * different sets of outcomes may begin and end alike, and the second would be dropped as a repetition of the first.
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
