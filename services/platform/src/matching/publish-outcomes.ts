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
/**
 * Under load, messages are sent at least this far apart, so that one holds the outcomes of several batches.
 */
const SPACING_MS = 20;
/** For this time only this process publishes the outcomes that it queued, from its memory … */
const OWN_MS = 1_000;
/** … and after this time any process publishes it from the queue. The time in between is for a publication under way. */
const LEFT_MS = 2_000;
/**
 * Steps through the queue in one turn while a partition takes nothing: its outcomes are read and passed over, and there may be
 * millions. Some 50 ms.
 */
const STEPS_PASSING_OVER = 20;

/** Partitions whose stream did not take a message, with the error. In the rest of the turn nothing more is sent there. */
type Refused = Map<number, unknown>;

interface OutcomePublisherParts {
  readonly store: Store;
  readonly stream: Stream;
  /** The partitions of OUTCOMES. */
  readonly partitions: number;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/**
 * Brings outcomes from their queue to the stream. A process still has its own outcomes in memory: it
 * publishes them immediately, and deletes the rows without reading them. Every 500 ms it looks for outcomes
 * that a crash or an outage left in the queue. Several processes may do this at the same time. The order of
 * outcomes matters only for the deals of one clip: outcomes that are handed over together are published in
 * their order, the newest purchase first, because that one must redeem the clip.
 *
 * The queue decides which outcomes to publish; memory only saves reading it. So memory keeps no outcome that
 * cannot be published immediately: after a failure, or without room, rows stay in the queue and are published
 * from there later. While the stream accepts nothing, the queue grows and the memory does not.
 *
 * Crashes and races considered:
 * - Until the stream has a message, its outcomes are in the queue. A crash between publication and deletion
 *   publishes them again,
 *   perhaps together with others; rewards recognises them by their transaction and target.
 * - A process finds rows in the queue that another one is about to publish. It leaves young rows alone, and a
 *   process leaves old
 *   outcomes in its memory to the queue, so outcomes are published twice only if a publication takes more
 *   than a second.
 * - It is unknown whether a commit happened: nothing is handed over, and committed outcomes are in the queue.
 * - The stream of one partition takes nothing, because it is full or has no leader: its outcomes stay in the
 *   queue, in their order, and those of the other partitions pass them. While a stream does not even refuse,
 *   each turn waits for it once, and the others move more slowly.
 */
export class OutcomePublisher {
  readonly #parts: OutcomePublisherParts;
  readonly #loop: Repeated;
  /** Committed outcomes in groups that were handed over together, in order. Bounded by `LIMITS.outcomesRemembered`. */
  #own: QueuedOutcomes[][] = [];
  #ownCount = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** How far the last turns came in the queue, and the partitions whose outcomes they passed over. */
  #passed: { readonly after: number; readonly over: Refused } = { after: 0, over: new Map() };

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

  /** Takes outcomes whose database transaction has committed, and publishes them soon. */
  publish(queued: readonly QueuedOutcomes[]): void {
    if (queued.length === 0) return;
    const count = this.#ownCount + countOf(queued);
    // All or none: a part would be published later from the queue, and might hold the newest purchase.
    if (count > LIMITS.outcomesRemembered) return;
    this.#ownCount = count;
    this.#own.push([...queued]);
    this.#loop.kick();
  }

  /** Waits for the message under way; the rest stays in the queue. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #publish(stop: AbortSignal): Promise<void> {
    const refused: Refused = new Map();
    await this.#publishOwn(stop, refused);
    if (performance.now() - this.#lookedAtMs >= POLL_MS) {
      this.#lookedAtMs = performance.now();
      // Failures above leave rows in the queue, so only this check shows that nothing moves.
      await this.#parts.stream.progress.watch("outcome queue", () => this.#publishLeft(stop, refused));
    }
    throwFirst(refused);
  }

  /** An outcome that this does not publish stays in the queue. */
  async #publishOwn(stop: AbortSignal, refused: Refused): Promise<void> {
    const { store, stream } = this.#parts;
    const own = this.#own;
    this.#own = [];
    this.#ownCount = 0;
    for (const message of toMessages(own)) {
      if (stop.aborted || !stream.connected()) return;
      // All or none: if pairing took long, outcomes queued before it are old.
      const young = message.filter((together) => together.some(isYoung)).flat();
      if (young.length === 0) continue;
      const outcomes = inPublishedOrder(
        young.flatMap(({ traceparent = null, outcomes }) =>
          outcomes.map(({ type, authedAt, json }) => ({ type, authedAt, json, traceparent })),
        ),
      );
      const texts = outcomes.map(({ json }) => json);
      const published = await publishAll(
        this.#parts,
        texts,
        outcomes.map(({ traceparent }) => traceparent),
        refused,
      );
      const isWhole = published.length === texts.length;
      await deleteQueued(store, young, isWhole ? undefined : published.map((i) => texts[i] as string));
    }
  }

  /**
   * Begins with the oldest outcomes, which show whether a partition that took nothing is back. If it is not,
   * this goes on where the last turn ended, without the partitions that were passed over: outcomes of a
   * partition leave in their order.
   */
  async #publishLeft(stop: AbortSignal, refused: Refused): Promise<void> {
    const { store, stream } = this.#parts;
    const limit = LIMITS.outcomesPerMessage;
    const take = async (after: number) => {
      const taken = await takeOutcomes(store, { limit, waitedMs: LEFT_MS, after }, (outcomes, traceparents) =>
        publishAll(this.#parts, outcomes, traceparents, refused),
      );
      return { ...taken, isMore: taken.count === limit && !stop.aborted && stream.connected() };
    };
    let taken = await take(0);
    if (refused.size > 0 && this.#passed.after > taken.last) {
      taken = { ...taken, last: this.#passed.after };
      for (const [partition, error] of this.#passed.over)
        if (!refused.has(partition)) refused.set(partition, error);
    }
    const isSomeTaken = () => refused.size < this.#parts.partitions;
    for (
      let steps = 1;
      taken.isMore && isSomeTaken() && (refused.size === 0 || steps < STEPS_PASSING_OVER);
      steps++
    ) {
      taken = await take(taken.last);
    }
    // From the beginning, if all refused: one that is back would otherwise stay among those that are passed over.
    this.#passed = { after: taken.isMore && isSomeTaken() ? taken.last : 0, over: refused };
    throwFirst(refused);
  }
}

function throwFirst(refused: Refused): void {
  for (const error of refused.values()) throw error;
}

const isYoung = ({ queuedAtMs }: QueuedOutcomes): boolean => performance.now() - queuedAtMs < OWN_MS;

function countOf(queued: readonly QueuedOutcomes[]): number {
  return queued.reduce((sum, { outcomes }) => sum + outcomes.length, 0);
}

/** Fills messages with groups that were handed over together; a group is never cut. */
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
 * Part of every message's id. A restored database may queue the same outcomes again while the stream still drops repeated ids, and
 * they must not be dropped.
 */
const PROCESS = uuidv7();

/** Finds the clip or card in an outcome's text: parsing it would cost more than sending it. */
const TARGET = /"(?:clip_id|stamp_collection_id)":"([^"]*)"/;

/**
 * One message for each partition, or several in sequence if they are too many. All outcomes of a clip or card are in one partition:
 * so the outcomes of a new link stay in order, and batches of two partitions share no card.
 * @returns the indexes of the published ones, in any order
 */
async function publishAll(
  parts: OutcomePublisherParts,
  outcomes: readonly string[],
  traceparents: readonly (string | null)[],
  refused: Refused,
): Promise<number[]> {
  const shares = groupBy(outcomes.keys(), (i) => {
    const outcome = outcomes[i] as string;
    return partitionOf(TARGET.exec(outcome)?.[1] ?? outcome, parts.partitions);
  });
  const publishing = [...shares].map(async ([partition, share]) => {
    const published: number[] = [];
    for (let at = 0; at < share.length && !refused.has(partition); at += LIMITS.outcomesPerMessage) {
      const some = share.slice(at, at + LIMITS.outcomesPerMessage);
      try {
        await publish(
          parts,
          partition,
          some.map((i) => outcomes[i] as string),
          some.map((i) => traceparents[i] ?? null),
        );
        published.push(...some);
      } catch (error) {
        refused.set(partition, error);
      }
    }
    return published;
  });
  return (await Promise.all(publishing)).flat();
}

/**
 * The id is computed from the process and the whole content. Positions in the queue would not do: with several processes, two
 * different sets of outcomes may begin and end alike, and the second would be dropped as a repetition.
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
