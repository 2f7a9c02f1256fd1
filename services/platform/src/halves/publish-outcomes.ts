import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { groupBy, nameUuid, partitionOf, retryDelayMs } from "#domain";
import { messagingAttributes, publishOrThrow, type Stream, subjectName } from "#nats";
import type { Store } from "#postgres";
import { type Log, type Repeated, repeat, type Tracing, untilDone } from "#runtime";
import { inPublishedOrder } from "./judge.ts";
import { deleteQueued, type QueuedOutcomes, takeOutcomes } from "./outcome-queue.ts";

/** How often the publisher looks for outcomes that a crash or an outage left in the queue. */
const POLL_MS = 500;
/** Under load, messages are at least so far apart, so that one holds the outcomes of several batches. */
const SPACING_MS = 20;
/** So long, what this process queued is published out of its memory, and only there … */
const OWN_MS = 1_000;
/**
 * … and after this time any process that finds it in the queue publishes it. In between is the time for a
 * publication under way.
 */
const LEFT_MS = 2_000;

interface OutcomePublisherParts {
  readonly store: Store;
  readonly stream: Stream;
  /** How many partitions OUTCOMES has. */
  readonly partitions: number;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/**
 * Brings outcomes from their queue to the stream. What this process queued it still has in memory: it publishes that at once,
 * and deletes the rows, without having read them. What a crash or an outage left in the queue is found there, every 500 ms.
 * Several processes may do this at once; the order of outcomes does not matter, but for the deals of one clip: what was handed
 * over together leaves in its order, the newest purchase first, since that one shall redeem it.
 *
 * The queue says what is to be published; memory only saves reading it. So nothing is kept in memory that could not be
 * published at once: after a failure, or where there is no room, rows stay behind and are taken from the queue later. A
 * stream that takes nothing fills the queue, and not the memory.
 *
 * Crashes and races thought of:
 * - Before the stream has a message, its outcomes are still in the queue. After that, and before they are deleted, they are
 *   published again, perhaps together with others; rewards recognises them by what they are about.
 * - A process that looks into the queue finds rows that another one is about to publish. It leaves young rows alone, and
 *   what has grown old in memory is left to the queue, so that outcomes are published twice only where a publication takes
 *   more than a second.
 * - A commit of which it is unknown whether it happened: nothing is handed over, and what there is is in the queue.
 */
export class OutcomePublisher {
  readonly #parts: OutcomePublisherParts;
  readonly #loop: Repeated;
  /** Committed, by what was handed over together, in that order. Bounded by `LIMITS.outcomesRemembered`. */
  #own: QueuedOutcomes[][] = [];
  #ownCount = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: OutcomePublisherParts) {
    this.#parts = parts;
    this.#loop = repeat({
      name: "outcomes",
      everyMs: POLL_MS,
      spacingMs: SPACING_MS,
      againMs: (failures) => Math.min(LIMITS.publishRetryMs, retryDelayMs(failures, Math.random())),
      work: (stop) => this.#publish(stop),
      failed: "outcomes were not published; trying again",
      log: parts.log,
    });
  }

  /** Takes over outcomes whose database transaction has committed. They leave soon. */
  publish(queued: readonly QueuedOutcomes[]): void {
    if (queued.length === 0) return;
    const count = this.#ownCount + countOf(queued);
    // All or nothing: what stays in the queue leaves later, and may hold the newest purchase.
    if (count > LIMITS.outcomesRemembered) return;
    this.#ownCount = count;
    this.#own.push([...queued]);
    this.#loop.kick();
  }

  /** Waits for the message that is being published; the rest stays in the queue. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #publish(stop: AbortSignal): Promise<void> {
    await this.#publishOwn(stop);
    if (performance.now() - this.#lookedAtMs < POLL_MS) return;
    this.#lookedAtMs = performance.now();
    // What fails of its own stays in the queue, so this is where it shows that nothing moves.
    await this.#parts.stream.progress.watch("outcome queue", () => this.#publishLeft(stop));
  }

  /** An outcome that is not published here stays in the queue. */
  async #publishOwn(stop: AbortSignal): Promise<void> {
    const { store, stream } = this.#parts;
    const own = this.#own;
    this.#own = [];
    this.#ownCount = 0;
    for (const message of toMessages(own)) {
      if (stop.aborted || !stream.connected()) return;
      // All or nothing: if pairing took long, what was queued before it is old.
      const young = message.filter((together) => together.some(isYoung)).flat();
      if (young.length === 0) continue;
      const outcomes = inPublishedOrder(
        young.flatMap(({ traceparent = null, outcomes }) =>
          outcomes.map(({ type, authedAt, json }) => ({ type, authedAt, json, traceparent })),
        ),
      );
      await publishAll(
        this.#parts,
        outcomes.map(({ json }) => json),
        outcomes.map(({ traceparent }) => traceparent),
      );
      await deleteQueued(store, young);
    }
  }

  async #publishLeft(stop: AbortSignal): Promise<void> {
    const { store, stream } = this.#parts;
    const limit = LIMITS.outcomesPerMessage;
    let taken = { count: limit as number, last: 0 };
    while (taken.count === limit && !stop.aborted && stream.connected()) {
      const some = { limit, waitedMs: LEFT_MS, after: taken.last };
      taken = await takeOutcomes(store, some, (outcomes, traceparents) =>
        publishAll(this.#parts, outcomes, traceparents),
      );
    }
  }
}

const isYoung = ({ queuedAtMs }: QueuedOutcomes): boolean => performance.now() - queuedAtMs < OWN_MS;

function countOf(queued: readonly QueuedOutcomes[]): number {
  return queued.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
}

/** Puts together what fits into one message. What was handed over together stays together. */
function toMessages(own: readonly QueuedOutcomes[][]): QueuedOutcomes[][][] {
  const messages: QueuedOutcomes[][][] = [];
  let room = 0;
  for (const together of own) {
    const count = countOf(together);
    if (count > room) {
      messages.push([]);
      room = LIMITS.outcomesPerMessage;
    }
    messages.at(-1)?.push(together);
    room -= count;
  }
  return messages;
}

/**
 * Part of every message's id. A restored database may queue the same outcomes again, within the time in which the stream
 * drops repeated ids, and they must not be dropped.
 */
const PROCESS = uuidv7();

/** Finds the clip or the card of an outcome in its text: reading the whole of it would cost more than sending it. */
const TARGET = /"(?:clip_id|stamp_collection_id)":"([^"]*)"/;

/**
 * One message for each partition, or several, one after the other, where they are too many: all outcomes of a clip, and all of a card,
 * are in the same partition. So what a new link makes count at once stays in order, and batches of two partitions lock no card in common.
 */
async function publishAll(
  parts: OutcomePublisherParts,
  outcomes: readonly string[],
  traceparents: readonly (string | null)[],
): Promise<void> {
  const shares = groupBy(outcomes.keys(), (i) => {
    const outcome = outcomes[i] as string;
    return partitionOf(TARGET.exec(outcome)?.[1] ?? outcome, parts.partitions);
  });
  const publishing = [...shares].map(async ([partition, share]) => {
    for (let at = 0; at < share.length; at += LIMITS.outcomesPerMessage) {
      const some = share.slice(at, at + LIMITS.outcomesPerMessage);
      await publish(
        parts,
        partition,
        some.map((i) => outcomes[i] as string),
        some.map((i) => traceparents[i] ?? null),
      );
    }
  });
  await Promise.all(publishing);
}

/**
 * The id is made of the process and of the whole content. Positions in the queue would not do: with several processes, two
 * different sets of outcomes may begin and end alike, and the second would be dropped as a repetition of the first.
 */
function publish(
  { stream, tracing }: OutcomePublisherParts,
  partition: number,
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
      subject: subjectName(stream, FLOW.outcomes, partition),
      payload: `{"v":1,"outcomes":[${list}]}`,
      id: `${FLOW.outcomes.stream}-${PROCESS}-${nameUuid(list)}`,
      headers: {
        [HEADERS.rows]: String(outcomes.length),
        ...(span !== undefined && { [HEADERS.traceparent]: span.traceparent }),
      },
    }),
  );
}
