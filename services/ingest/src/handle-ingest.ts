import type { IngestReply, PartKey } from "#contract/ingest";
import {
  type BatchHandler,
  type HandledBatch,
  type MessageResult,
  type Stream,
  type StreamMessage,
  sendReply,
} from "#nats";
import type { Store } from "#postgres";
import { inSpan, type Span, type SpanAttributes } from "#runtime";
import { buryPoison } from "./bury-poison.ts";
import { BatchCommitter, type CommittedBatch } from "./commit-batch.ts";
import type { HashPool } from "./hash-pool.ts";
import type { IngestMetrics, Step } from "./metrics.ts";
import type { Mark, Positions } from "./positions.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import type { ChangePublisher } from "./publish-changes.ts";
import { recallBatch } from "./recall-batch.ts";
import type { ReportedPart } from "./report.ts";
import type { Unconfirmed } from "./unconfirmed.ts";
import type { MessageOutcomes } from "./unreported.ts";

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
  readonly unconfirmed: Unconfirmed;
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
interface AppliedMessages extends Share, CommittedBatch {
  readonly prepared: PreparedBatch;
}

/** For an edge whose callers do not wait: it only counts what is not committed. */
function withoutOutcomes({ parts }: IngestReply): IngestReply {
  return { confirm: "", parts: [], committed: parts.map(({ batch, first }): PartKey => [batch, first]) };
}

interface ForeseenBatch {
  readonly messages: readonly StreamMessage[];
  readonly prepared: Promise<PreparedBatch>;
}

/**
 * The hot path, one batch at a time: hash, commit, report. What follows is published beside the next batch, and the position
 * moves past a message once that is done and its callers are told.
 *
 * A crash before the commit leaves nothing. After it the position holds what was found out, and whoever takes over reports
 * and publishes the same. A report that gets lost costs its caller the answer, not the outcome: the edge answers 202 when
 * none comes, and what it does not confirm to have told is recorded.
 */
export class IngestHandler {
  readonly #parts: IngestParts;
  readonly #committer: BatchCommitter;
  /** Batches that come next and are being prepared, by their first messages. */
  readonly #foreseen = new WeakMap<StreamMessage, ForeseenBatch>();

  constructor(parts: IngestParts) {
    this.#parts = parts;
    this.#committer = new BatchCommitter({ ...parts, confirm: parts.unconfirmed.subject });
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
    const outcomes = new Map<StreamMessage, MessageResult>();
    const handled: Required<HandledBatch>[] = [];
    // Those that are applied come first in every partition.
    for (const state of ["applied", "fresh"] as const) {
      const messages = batch.filter((_message, i) => (marks[i] as Mark).state === state);
      if (messages.length === 0) continue;
      const share = { messages, marks: marks.filter((mark) => mark.state === state) };
      const part = await (state === "fresh" ? this.#handleFresh(share, span) : this.#recall(share, span));
      handled.push(part);
      for (const [i, message] of messages.entries()) outcomes.set(message, part.outcomes[i] as MessageResult);
    }
    return {
      outcomes: batch.map((message) => outcomes.get(message) ?? { kind: "skip", reason: "done_before" }),
      publish: async () => {
        await Promise.all(handled.map((part) => part.publish()));
      },
      published: () => {
        for (const part of handled) part.published();
      },
    };
  };

  async #handleFresh(share: Share, span: Span | undefined): Promise<Required<HandledBatch>> {
    const { messages, marks } = share;
    const prepared = await this.#prepare(messages, span);
    const committed = await this.#step(span, "commit", () =>
      this.#committer.commit({ messages, marks, prepared, traceparent: span?.traceparent }),
    );
    this.#parts.metrics.batch(messages, committed.applied);
    return this.#finish({ ...share, prepared, ...committed }, span);
  }

  /** Of messages that an owner before this one applied, and perhaps did not report and publish. */
  async #recall(share: Share, span: Span | undefined): Promise<Required<HandledBatch>> {
    const prepared = await this.#prepare(share.messages, span);
    const known = share.marks.map((mark) => mark.known as MessageOutcomes);
    const applied = await recallBatch(this.#parts.store, prepared, known);
    const reports = this.#committer.reportsOf(prepared, applied);
    return this.#finish({ ...share, prepared, applied, reports }, span);
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

  #finish(done: AppliedMessages, span: Span | undefined): Required<HandledBatch> {
    const { stream, changes } = this.#parts;
    const { messages, prepared, applied } = done;
    const settled = this.#report(done);
    return {
      outcomes: prepared.heads.map(
        (head): MessageResult =>
          head === undefined ? { kind: "dead", reason: "unreadable_message" } : { kind: "done" },
      ),
      publish: () =>
        this.#step(span, "publish", async (own) => {
          await changes.publish({ messages, prepared, applied, traceparent: own?.traceparent });
          await buryPoison(stream, messages, prepared.heads, applied.poison);
        }),
      published: () => {
        for (const one of settled) one();
      },
    };
  }

  /** Tells the edges that wait; the marks are done when all has been told or recorded, and published. */
  #report({ messages, marks, prepared, reports }: AppliedMessages): Array<() => void> {
    const { stream, unconfirmed } = this.#parts;
    return messages.map((_message, i) => {
      const awaited = (reports.parts[i] as readonly ReportedPart[]).filter((part) => part.awaited);
      let open = awaited.length + 1;
      const settled = () => {
        if (--open === 0) (marks[i] as Mark).finish();
      };
      const head = prepared.heads[i];
      for (const { part, outcome } of awaited) {
        unconfirmed.expect({ reply: head?.reply as string, outcome, part }, settled);
      }
      // Nobody waits for events that were put back from the dead letters.
      if (head !== undefined && head.reply !== "") {
        const reply = reports.replies[i] as IngestReply;
        sendReply(stream, head.reply, JSON.stringify(awaited.length > 0 ? reply : withoutOutcomes(reply)));
      }
      return settled;
    });
  }

  #step<T>(span: Span | undefined, name: Step, work: (own: Span | undefined) => Promise<T>): Promise<T> {
    const { kind, attributes } = SPANS[name];
    const timed = (own: Span | undefined) => this.#parts.metrics.timed(name, () => work(own));
    return inSpan(span, name, timed, kind, attributes);
  }
}
