import { EVENTS_KICK_SUBJECT, LIMITS } from "#contract";
import type { IngestReply } from "#contract/ingest";
import { kick, LostPartitions, type Stream, type StreamMessage } from "#nats";
import { refusalOfData, type Store, type Transaction } from "#postgres";
import { FencedError, movePositions } from "./ingest-position.ts";
import { collectRejections, keepRejections } from "./keep-rejections.ts";
import { NewKeys } from "./known-keys.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { Mark, Positions } from "./positions.ts";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";
import { recordBatchParts } from "./record-batch-parts.ts";
import { collectParts, collectReplies, type ReportedPart } from "./report.ts";
import { tellRejections } from "./tell-rejections.ts";
import { applyEvents, everyOrd } from "./transactions/apply-events.ts";
import { applyIsolated, type IsolatedBatch } from "./transactions/apply-isolated.ts";
import { decideAtOnce, writeAtOnce } from "./transactions/write-at-once.ts";
import type { MessageOutcomes } from "./unreported.ts";

/** What the edges are told of a batch, and what is recorded of it, by message. */
export interface Reports {
  readonly replies: readonly IngestReply[];
  readonly parts: readonly (readonly ReportedPart[])[];
}

/** A batch whose effects are in the database, and the positions of its partitions behind it. */
export interface CommittedBatch {
  readonly applied: IsolatedBatch;
  readonly reports: Reports;
}

interface CommitterParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly positions: Positions;
  readonly metrics: Pick<IngestMetrics, "contradicted">;
  /** Subject on which the edges say what they told. */
  readonly confirm: string;
  /** The database's time. */
  readonly now: () => Date;
}

/** After a small batch that turned out to name an unknown member, so many look at their members before they write. */
const LOOKS_FIRST = 100;

/**
 * Commits batches: their rows and the positions behind them, all or nothing, in one of three ways.
 *
 * - At once: a few events, whose callers all wait for them, in one statement (`writeAtOnce`).
 * - In bulk: in a transaction that copies what is new.
 * - Looking everything up, where one of these was refused: for what an event says, or because it was decided upon something
 *   that is not so. What the database refuses is taken out.
 */
export class BatchCommitter {
  readonly #parts: CommitterParts;
  #looksFirst = 0;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /**
   * @throws LostPartitions when a partition is not of the ownership any more that its messages were read under; nothing is
   * written then
   */
  async commit(batch: Batch): Promise<CommittedBatch> {
    const { positions, metrics } = this.#parts;
    const { prepared, marks } = batch;
    const keysOf = marks.map(({ ownership }) => ownership.keys);
    const keys = new NewKeys(prepared, keysOf);
    try {
      const committed = await this.#commitTrusting(batch, keys).catch((error) => {
        if (refusalOfData(error) === undefined) throw error;
        metrics.contradicted();
        this.#looksFirst = LOOKS_FIRST;
        return this.#inTransaction(batch, (sql) => applyIsolated(sql, prepared.events));
      });
      keys.committed();
      positions.boundKeys();
      return committed;
    } catch (error) {
      throw error instanceof FencedError ? new LostPartitions(error.partitions, error) : error;
    }
  }

  /** What is owed to messages that are applied already. */
  reportsOf(prepared: PreparedBatch, { outcomes }: Pick<IsolatedBatch, "outcomes">): Reports {
    const replies = collectReplies(prepared, outcomes, this.#parts.confirm);
    return { replies, parts: collectParts(prepared.heads, replies) };
  }

  #commitTrusting(batch: Batch, keys: NewKeys): Promise<CommittedBatch> {
    const { events, heads } = batch.prepared;
    const isAwaited = heads.every((head) => head?.parts.every(({ awaited }) => awaited) ?? true);
    if (events.count <= LIMITS.rowsAtOnce && isAwaited) return this.#atOnce(batch, keys);
    return this.#inTransaction(batch, async (sql) => {
      await keys.learn(sql);
      const applied = await applyEvents(sql, events, everyOrd(events), (ord) => keys.has(ord));
      return { ...applied, poison: [] };
    });
  }

  async #atOnce({ messages, marks, prepared }: Batch, keys: NewKeys): Promise<CommittedBatch> {
    const { store, positions } = this.#parts;
    const { events } = prepared;
    await keys.learn(store);
    const looksFirst = this.#looksFirst > 0;
    if (looksFirst) this.#looksFirst--;
    const decided = await decideAtOnce(store, events, (ord) => keys.has(ord), looksFirst);
    const outcomes = outcomesByMessage(prepared, { ...decided, poison: [] });
    const rejections = collectRejections(prepared, decided.outcomes);
    const move = await positions.move(messages, marks, outcomes);
    try {
      const written = await writeAtOnce(store, events, decided, move.rows, rejections);
      const applied = { ...written, poison: [] };
      move.committed();
      return { applied, reports: this.reportsOf(prepared, applied) };
    } catch (error) {
      // Also where it is committed and the answer, or the look at the links behind it, got lost: then the next attempt finds
      // the position moved, and the partition is taken over anew, with what is still to be told.
      move.givenUp();
      throw error;
    }
  }

  async #inTransaction(
    { messages, marks, prepared, traceparent }: Batch,
    apply: (sql: Transaction) => Promise<IsolatedBatch>,
  ): Promise<CommittedBatch> {
    const { store, stream, positions, now } = this.#parts;
    let move: Awaited<ReturnType<Positions["move"]>> | undefined;
    try {
      const { hasEvents, ...committed } = await store.begin(async (sql) => {
        const applied = await apply(sql);
        const reports = this.reportsOf(prepared, applied);
        const unawaited = reports.parts.flat().filter(({ awaited }) => !awaited);
        const told = await tellRejections(
          sql,
          unawaited.map(({ part }) => part),
          now(),
        );
        move = await positions.move(messages, marks, outcomesByMessage(prepared, applied));
        // Sent at once, and then the commit: what the first two lock others wait for, of whatever partition. In this order,
        // because the lock of webhook events comes last (`recordBatchParts`).
        await Promise.all([
          keepRejections(sql, collectRejections(prepared, applied.outcomes)),
          recordBatchParts(sql, told, traceparent),
          movePositions(sql, move.rows),
        ]);
        return { applied, reports, hasEvents: told.some(({ events }) => events.length > 0) };
      });
      move?.committed();
      if (hasEvents) kick(stream, EVENTS_KICK_SUBJECT);
      return committed;
    } catch (error) {
      move?.givenUp();
      throw error;
    }
  }
}

interface Batch {
  /** In the order of their streams. */
  readonly messages: readonly StreamMessage[];
  readonly marks: readonly Mark[];
  readonly prepared: PreparedBatch;
  /** Of the span that writes it. */
  readonly traceparent: string | undefined;
}

/** What is kept of each message until it is reported and published. */
function outcomesByMessage(
  prepared: PreparedBatch,
  { outcomes, poison }: Pick<IsolatedBatch, "outcomes" | "poison">,
): MessageOutcomes[] {
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
