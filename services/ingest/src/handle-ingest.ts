import type { IngestReply, PartKey } from "#contract/ingest";
import { type BatchHandler, type MessageResult, type Stream, type StreamMessage, sendReply } from "#nats";
import type { Store } from "#postgres";
import { inSpan, type Span, type SpanAttributes } from "#runtime";
import { BatchCommitter } from "./commit-batch.ts";
import type { HashPool } from "./hash-pool.ts";
import type { IngestMetrics, Step } from "./metrics.ts";
import type { Mark, Positions } from "./positions.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import type { ChangePublisher } from "./publish-changes.ts";
import { recallBatch } from "./recall-batch.ts";
import { collectCommitted, collectReplies } from "./report.ts";
import type { AppliedBatch } from "./transactions/apply-events.ts";

const SPANS: Readonly<Record<Step, { kind: "internal" | "client"; attributes: SpanAttributes }>> = {
  hash: { kind: "internal", attributes: {} },
  commit: { kind: "client", attributes: { "db.system.name": "postgresql" } },
  publish: { kind: "internal", attributes: { "messaging.system": "nats" } },
};

interface IngestParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly pool: HashPool;
  readonly changes: ChangePublisher;
  readonly positions: Positions;
  readonly metrics: IngestMetrics;
  /** The database's time. */
  readonly now: () => Date;
}

/** Messages of a batch that are handled in the same way. */
interface Share {
  readonly messages: readonly StreamMessage[];
  readonly marks: readonly Mark[];
}

/** Messages whose effects are committed, by this process or by an owner before it. */
interface AppliedShare extends Share {
  readonly prepared: PreparedBatch;
  readonly applied: AppliedBatch;
}

interface ForeseenBatch {
  readonly messages: readonly StreamMessage[];
  readonly prepared: Promise<PreparedBatch>;
}

/**
 * The hot path, one batch at a time: hash, commit, report. What follows is published beside the next batch, and the position
 * moves past a message once that is done.
 *
 * A crash before the commit leaves nothing. After it the position says what is applied and not published, and whoever takes
 * over reads that again and publishes what follows from the rows. A report that is lost costs its caller the answer, not the
 * outcome: the edge answers 202 when none comes, with an id that says where to look.
 */
export class IngestHandler {
  readonly #parts: IngestParts;
  readonly #committer: BatchCommitter;
  /** Batches that come next and are being prepared, by their first messages. */
  readonly #foreseen = new WeakMap<StreamMessage, ForeseenBatch>();

  constructor(parts: IngestParts) {
    this.#parts = parts;
    this.#committer = new BatchCommitter(parts);
  }

  /** Has a worker thread prepare a batch while the one before is being written. */
  readonly foresee = (messages: readonly StreamMessage[]): void => {
    const prepared = this.#parts.pool.prepare(messages);
    // Looked at when its turn has come.
    prepared.catch(() => {});
    this.#foreseen.set(messages[0] as StreamMessage, { messages, prepared });
  };

  readonly handle: BatchHandler = async (batch, span) => {
    const marks = this.#parts.positions.mark(batch);
    // Those that are applied come first in every partition.
    const recalled = await this.#recall(shareOf(batch, marks, true), span);
    const fresh = await this.#apply(shareOf(batch, marks, false), span);
    const done = [recalled, fresh].filter((share) => share !== undefined);
    const results = new Map(done.flatMap(resultsOf));
    return {
      outcomes: batch.map((message) => results.get(message) as MessageResult),
      publish: async () => {
        await Promise.all(done.map((share) => this.#publish(share, span)));
      },
      published: () => {
        for (const { finish } of marks) finish();
      },
    };
  };

  async #apply(share: Share, span: Span | undefined): Promise<AppliedShare | undefined> {
    const { messages } = share;
    if (messages.length === 0) return undefined;
    const prepared = await this.#prepare(messages, span);
    const applied = await this.#step(span, "commit", () =>
      this.#committer.commit({ ...share, prepared, traceparent: span?.traceparent }),
    );
    this.#parts.metrics.batch(messages, applied);
    this.#reply(prepared, collectReplies(prepared, applied.outcomes));
    return { ...share, prepared, applied };
  }

  /** Of messages that an owner before this one applied, and perhaps did not publish. */
  async #recall(share: Share, span: Span | undefined): Promise<AppliedShare | undefined> {
    if (share.messages.length === 0) return undefined;
    const prepared = await this.#prepare(share.messages, span);
    const applied = await recallBatch(this.#parts.store, prepared);
    this.#reply(prepared, collectCommitted(prepared));
    return { ...share, prepared, applied };
  }

  #prepare(messages: readonly StreamMessage[], span: Span | undefined): Promise<PreparedBatch> {
    return this.#step(span, "hash", () => this.#takeForeseen(messages) ?? this.#parts.pool.prepare(messages));
  }

  /** Once: a batch that is tried again is prepared again. */
  #takeForeseen(messages: readonly StreamMessage[]): Promise<PreparedBatch> | undefined {
    const [first] = messages;
    const foreseen = first && this.#foreseen.get(first);
    if (foreseen === undefined) return undefined;
    this.#foreseen.delete(first as StreamMessage);
    const isThis = foreseen.messages.length === messages.length;
    return isThis && messages.every((message, i) => message === foreseen.messages[i])
      ? foreseen.prepared
      : undefined;
  }

  /** Tells the edges. Nobody waits for events that were put back from the dead letters. */
  #reply({ heads }: PreparedBatch, replies: readonly IngestReply[]): void {
    for (const [i, head] of heads.entries()) {
      if (head === undefined || head.reply === "") continue;
      const reply = replies[i] as IngestReply;
      const isAwaited = head.parts.some(({ awaited }) => awaited);
      sendReply(this.#parts.stream, head.reply, JSON.stringify(isAwaited ? reply : withoutOutcomes(reply)));
    }
  }

  #publish({ messages, prepared, applied }: AppliedShare, span: Span | undefined): Promise<void> {
    return this.#step(span, "publish", (own) =>
      this.#parts.changes.publish({ messages, prepared, applied, traceparent: own?.traceparent }),
    );
  }

  #step<T>(span: Span | undefined, name: Step, work: (own: Span | undefined) => Promise<T>): Promise<T> {
    const { kind, attributes } = SPANS[name];
    const timed = (own: Span | undefined) => this.#parts.metrics.timed(name, () => work(own));
    return inSpan(span, name, timed, kind, attributes);
  }
}

function shareOf(messages: readonly StreamMessage[], marks: readonly Mark[], isApplied: boolean): Share {
  const isOf = (_: unknown, i: number) => marks[i]?.isApplied === isApplied;
  return { messages: messages.filter(isOf), marks: marks.filter(isOf) };
}

function resultsOf({ messages, prepared }: AppliedShare): [StreamMessage, MessageResult][] {
  return messages.map((message, i) => [
    message,
    prepared.heads[i] === undefined ? { kind: "dead", reason: "unreadable_message" } : { kind: "done" },
  ]);
}

/** For an edge whose callers do not wait: it only counts what is not committed. */
function withoutOutcomes({ parts, committed }: IngestReply): IngestReply {
  return {
    confirm: "",
    parts: [],
    committed: committed ?? parts.map(({ batch, first }): PartKey => [batch, first]),
  };
}
