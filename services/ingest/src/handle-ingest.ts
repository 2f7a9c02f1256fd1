import { EVENTS_KICK_SUBJECT } from "#contract";
import type { IngestReply } from "#contract/ingest";
import {
  type BatchHandler,
  type HandledBatch,
  kick,
  LostPartitions,
  type MessageResult as Outcome,
  type Stream,
  type StreamMessage,
  sendReply,
} from "#nats";
import { refusalOfData, type Store, type Transaction } from "#postgres";
import { inSpan, type Span, type SpanAttributes } from "#runtime";
import { buryPoison } from "./bury-poison.ts";
import type { HashPool } from "./hash-pool.ts";
import { FencedError, movePositions } from "./ingest-position.ts";
import type { IngestMetrics, Step } from "./metrics.ts";
import { NewKeys } from "./new-keys.ts";
import type { Mark, Positions } from "./positions.ts";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";
import { publishChanges } from "./publish-changes.ts";
import { recallBatch } from "./recall-batch.ts";
import { recordBatchParts } from "./record-batch-parts.ts";
import { collectParts, collectReplies, type ReportedPart } from "./report.ts";
import { tellRejections } from "./tell-rejections.ts";
import { applyEvents, everyOrd } from "./transactions/apply-events.ts";
import { applyIsolated, type IsolatedBatch } from "./transactions/apply-isolated.ts";
import type { Unconfirmed } from "./unconfirmed.ts";
import type { MessageOutcomes } from "./unreported.ts";

const SPANS: Readonly<Record<Step, { kind: "internal" | "client"; attributes: SpanAttributes }>> = {
  hash: { kind: "internal", attributes: {} },
  commit: { kind: "client", attributes: { "db.system.name": "postgresql" } },
  publish: { kind: "internal", attributes: { "messaging.system": "nats" } },
};

/** Messages whose effects are committed, by this process or by an owner before it. */
interface AppliedMessages {
  readonly messages: readonly StreamMessage[];
  readonly marks: readonly Mark[];
  readonly prepared: PreparedBatch;
  readonly applied: IsolatedBatch;
  readonly reports: Reports;
}

/** What the edges are told of a batch, and what is recorded of it, by message. */
interface Reports {
  readonly replies: readonly IngestReply[];
  readonly parts: readonly (readonly ReportedPart[])[];
}

/**
 * The hot path, one batch at a time: hash, apply and move the position in one transaction, report. What follows is
 * published beside the next batch, and the position moves past a message once that is done and its callers are told.
 *
 * A crash before the commit leaves nothing. After it the position holds what was found out, and whoever takes over reports
 * and publishes the same. A report that gets lost costs its caller the answer, not the outcome: the edge answers 202 when
 * none comes, and what it does not confirm to have told is recorded.
 */
export function createIngestHandler(parts: {
  store: Store;
  stream: Stream;
  pool: HashPool;
  positions: Positions;
  unconfirmed: Unconfirmed;
  metrics: IngestMetrics;
  /** The database's time. */
  now: () => Date;
}): BatchHandler {
  const { store, stream, pool, positions, unconfirmed, metrics, now } = parts;
  const step = <T>(span: Span | undefined, name: Step, work: (own: Span | undefined) => Promise<T>) => {
    const { kind, attributes } = SPANS[name];
    return inSpan(span, name, (own) => metrics.timed(name, () => work(own)), kind, attributes);
  };
  const prepare = (messages: readonly StreamMessage[], span: Span | undefined) =>
    step(span, "hash", () => pool.prepare(messages));

  const collectReports = (prepared: PreparedBatch, { outcomes }: IsolatedBatch): Reports => {
    const replies = collectReplies(prepared, outcomes, unconfirmed.subject);
    return { replies, parts: collectParts(prepared.heads, replies) };
  };

  /** Applies messages and moves their partitions behind them, or does nothing. */
  const commit = async (
    messages: readonly StreamMessage[],
    prepared: PreparedBatch,
    apply: (sql: Transaction) => Promise<IsolatedBatch>,
    traceparent: string | undefined,
  ): Promise<{ applied: IsolatedBatch; reports: Reports }> => {
    let move: Awaited<ReturnType<Positions["move"]>> | undefined;
    try {
      const { hasEvents, ...committed } = await store.begin(async (sql) => {
        const applied = await apply(sql);
        const reports = collectReports(prepared, applied);
        const unawaited = reports.parts.flat().filter(({ awaited }) => !awaited);
        const told = await tellRejections(
          sql,
          unawaited.map(({ part }) => part),
          now(),
        );
        await recordBatchParts(sql, told, traceparent);
        move = await positions.move(messages, collectOutcomes(prepared, applied));
        await movePositions(sql, move.rows);
        return { applied, reports, hasEvents: told.some(({ events }) => events.length > 0) };
      });
      move?.committed();
      if (hasEvents) kick(stream, EVENTS_KICK_SUBJECT);
      return committed;
    } catch (error) {
      move?.givenUp();
      if (error instanceof FencedError) throw new LostPartitions(error.partitions, error);
      throw error;
    }
  };

  const apply = async (messages: readonly StreamMessage[], span: Span | undefined) => {
    const traceparent = span?.traceparent;
    const prepared = await prepare(messages, span);
    const { events } = prepared;
    const fresh = new NewKeys(
      prepared,
      messages.map(({ partition }) => positions.keysOf(partition)),
    );
    const fast = async (sql: Transaction) => {
      await fresh.learn(sql);
      const applied = await applyEvents(sql, events, everyOrd(events), (ord) => fresh.has(ord));
      return { ...applied, poison: [] };
    };
    const commitBy = (apply: (sql: Transaction) => Promise<IsolatedBatch>) =>
      step(span, "commit", () => commit(messages, prepared, apply, traceparent));
    // Something in it is refused for good, or is stored although it was known to be new: once more by looking everything up,
    // so that the one is found and the other is put right.
    const committed = await commitBy(fast).catch((error) => {
      if (refusalOfData(error) === undefined) throw error;
      return commitBy((sql) => applyIsolated(sql, events));
    });
    fresh.committed();
    return { prepared, ...committed };
  };

  /** Tells the edges that wait; the marks are done when all has been told or recorded, and published. */
  const report = ({ messages, marks, prepared, reports }: AppliedMessages): Array<() => void> => {
    const { replies, parts } = reports;
    return messages.map((_message, i) => {
      const awaited = (parts[i] as readonly ReportedPart[]).filter((part) => part.awaited);
      let open = awaited.length + 1;
      const settled = () => {
        if (--open === 0) (marks[i] as Mark).finish();
      };
      const head = prepared.heads[i];
      for (const { part, outcome } of awaited) {
        unconfirmed.expect({ reply: head?.reply as string, outcome, part }, settled);
      }
      if (head !== undefined && awaited.length > 0) sendReply(stream, head.reply, JSON.stringify(replies[i]));
      return settled;
    });
  };

  const finish = (done: AppliedMessages, span: Span | undefined): Required<HandledBatch> => {
    const settled = report(done);
    return {
      outcomes: done.prepared.heads.map(
        (head): Outcome =>
          head === undefined ? { kind: "dead", reason: "unreadable_message" } : { kind: "done" },
      ),
      publish: () =>
        step(span, "publish", async (own) => {
          await publishChanges(stream, done.messages, done.prepared, done.applied, own?.traceparent);
          await buryPoison(stream, done.messages, done.prepared.heads, done.applied.poison);
        }),
      published: () => {
        for (const one of settled) one();
      },
    };
  };

  const handleFresh = async (messages: readonly StreamMessage[], marks: readonly Mark[], span?: Span) => {
    const done = await apply(messages, span);
    metrics.batch(messages, done.applied);
    return finish({ messages, marks, ...done }, span);
  };

  /** Of messages that an owner before this one applied, and perhaps did not report and publish. */
  const handleApplied = async (messages: readonly StreamMessage[], marks: readonly Mark[], span?: Span) => {
    const prepared = await prepare(messages, span);
    const known = marks.map((mark) => mark.known as MessageOutcomes);
    const applied = await recallBatch(store, prepared, known);
    const reports = collectReports(prepared, applied);
    return finish({ messages, marks, prepared, applied, reports }, span);
  };

  return async (batch, span) => {
    const marks = batch.map((message) => {
      const mark = positions.mark(message);
      if (mark === undefined) throw new LostPartitions([message.partition]);
      return mark;
    });
    const handled = new Map<StreamMessage, Outcome>();
    const parts: Required<HandledBatch>[] = [];
    // Those that are applied come first in every partition.
    for (const state of ["applied", "fresh"] as const) {
      const chosen = batch.filter((_message, i) => (marks[i] as Mark).state === state);
      if (chosen.length === 0) continue;
      const own = marks.filter((mark) => mark.state === state);
      const part = await (state === "fresh" ? handleFresh : handleApplied)(chosen, own, span);
      parts.push(part);
      for (const [i, message] of chosen.entries()) handled.set(message, part.outcomes[i] as Outcome);
    }
    return {
      outcomes: batch.map((message) => handled.get(message) ?? { kind: "skip", reason: "done_before" }),
      publish: async () => {
        await Promise.all(parts.map((part) => part.publish()));
      },
      published: () => {
        for (const part of parts) part.published();
      },
    };
  };
}

/** What is kept of each message until it is reported and published. */
function collectOutcomes(prepared: PreparedBatch, { outcomes, poison }: IsolatedBatch): MessageOutcomes[] {
  const starts = firstOrds(prepared.heads);
  const refusedAt = new Map(poison.map(({ event, error }) => [event.ord, error]));
  return prepared.heads.map((head, i) => {
    const start = starts[i] as number;
    const refused = new Map<number, string>();
    const own = Array.from({ length: head?.events ?? 0 }, (_, at) => outcomes[start + at]);
    for (const at of refusedAt.size > 0 ? own.keys() : []) {
      const error = refusedAt.get(start + at);
      if (error !== undefined) refused.set(at, error);
    }
    return { outcomes: own, refused };
  });
}
