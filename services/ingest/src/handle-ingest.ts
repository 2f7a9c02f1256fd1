import { LIMITS } from "#contract";
import type { IngestReply, PartKey, PartResult } from "#contract/ingest";
import {
  type FinalResult,
  type OrderedSteps,
  type PreparedMessages,
  type Stream,
  type StreamMessage,
  sendReply,
} from "#nats";
import type { Store } from "#postgres";
import { inSpan, type Span, type SpanAttributes } from "#runtime";
import { BatchCommitter } from "./batch/commit-batch.ts";
import type { HashPool } from "./batch/hash-pool.ts";
import type { PreparedBatch } from "./batch/prepare-batch.ts";
import { recallBatch } from "./batch/recall-batch.ts";
import { collectCommitted, collectReplies } from "./batch/report.ts";
import type { IngestMetrics, Step } from "./metrics.ts";
import type { Mark } from "./positions/ownership.ts";
import type { Positions } from "./positions/positions.ts";
import type { ChangePublisher, CommittedChanges } from "./publish/publish-changes.ts";

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

/** Messages with committed effects, by this process or an earlier owner. */
export interface CommittedBatch extends CommittedChanges {
  readonly marks: readonly Mark[];
  readonly results: readonly FinalResult[];
  /** The reports for the edges, one for each message. */
  readonly replies: readonly IngestReply[];
}

/**
 * The hot path, step by step; `OrderedLoop` calls the steps in this order. Either all messages of a batch are
 * fresh, or an earlier owner has applied them all: such a batch is recalled, not committed.
 *
 * A crash before the commit leaves nothing. After a crash behind the commit, the position shows which
 * messages are applied and not published; the next owner reads these again and publishes what follows from
 * their rows. A lost answer costs its caller little: when none comes, the edge answers 202 with an id under
 * which the outcome can be read.
 */
export class IngestSteps implements OrderedSteps<PreparedBatch, CommittedBatch> {
  readonly #parts: IngestParts;
  readonly #committer: BatchCommitter;

  constructor(parts: IngestParts) {
    this.#parts = parts;
    this.#committer = new BatchCommitter(parts);
  }

  prepare(messages: readonly StreamMessage[]): Promise<PreparedBatch> {
    return this.#parts.pool.prepare(messages);
  }

  async commit(batch: PreparedMessages<PreparedBatch>, span: Span | undefined): Promise<CommittedBatch> {
    const { positions, store, metrics } = this.#parts;
    const { messages } = batch;
    const marks = positions.mark(messages);
    const prepared = await this.#step(span, "hash", () => batch.prepared);
    const results = prepared.heads.map(resultOf);
    if (marks.every(({ isApplied }) => isApplied)) {
      const applied = await recallBatch(store, prepared);
      return { messages, marks, prepared, applied, results, replies: collectCommitted(prepared) };
    }
    const applied = await this.#step(span, "commit", () =>
      this.#committer.commit({ messages, marks, prepared, traceparent: span?.traceparent }),
    );
    metrics.batch(messages, applied);
    return {
      messages,
      marks,
      prepared,
      applied,
      results,
      replies: collectReplies(prepared, applied.outcomes),
    };
  }

  /** Events that were put back from the dead letters have no waiting caller. */
  answer({ prepared, replies }: CommittedBatch): void {
    const answers = replies.flatMap((reply, i): Answer[] => {
      const head = prepared.heads[i];
      if (head === undefined || head.reply === "") return [];
      const isAwaited = head.parts.some(({ awaited }) => awaited);
      return [{ to: head.reply, reply: isAwaited ? reply : withoutOutcomes(reply) }];
    });
    const isSmall = prepared.events.count <= LIMITS.rowsAtOnce;
    for (const { to, reply } of isSmall ? joinReplies(answers) : answers) {
      sendReply(this.#parts.stream, to, JSON.stringify(reply));
    }
  }

  publish(
    batch: CommittedBatch,
    again: ReadonlySet<number> | undefined,
    span: Span | undefined,
  ): Promise<void> {
    return this.#step(span, "publish", (own) =>
      this.#parts.changes.publish({ ...batch, traceparent: own?.traceparent }, again),
    );
  }

  move({ marks }: CommittedBatch, partitions: ReadonlySet<number>): void {
    for (const { ownership, finish } of marks) if (partitions.has(ownership.partition)) finish();
  }

  #step<T>(span: Span | undefined, name: Step, work: (own: Span | undefined) => Promise<T>): Promise<T> {
    const { kind, attributes } = SPANS[name];
    const timed = (own: Span | undefined) => this.#parts.metrics.timed(name, () => work(own));
    return inSpan(span, name, timed, kind, attributes);
  }
}

function resultOf(head: PreparedBatch["heads"][number]): FinalResult {
  return head === undefined ? { kind: "dead", reason: "unreadable_message" } : { kind: "done" };
}

/** The report to one edge process. */
interface Answer {
  readonly to: string;
  readonly reply: IngestReply;
}

/** Joins the replies of a small batch, whose messages mostly come from one edge: one report for each edge. */
function joinReplies(answers: readonly Answer[]): Iterable<Answer> {
  if (answers.length < 2) return answers;
  const joined = new Map<string, Answer & { reply: { parts: PartResult[]; committed: PartKey[] } }>();
  for (const { to, reply } of answers) {
    const all = joined.get(to) ?? { to, reply: { parts: [], committed: [] } };
    all.reply.parts.push(...reply.parts);
    all.reply.committed.push(...(reply.committed ?? []));
    joined.set(to, all);
  }
  return joined.values();
}

/** The reply for an edge whose callers do not wait: it only counts what is not committed yet. */
function withoutOutcomes({ parts, committed }: IngestReply): IngestReply {
  return {
    parts: [],
    committed: committed ?? parts.map(({ batch, first }): PartKey => [batch, first]),
  };
}
