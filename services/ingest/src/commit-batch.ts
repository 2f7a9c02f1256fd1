import { EVENTS_KICK_SUBJECT, LIMITS } from "#contract";
import { kick, LostPartitions, type Stream, type StreamMessage } from "#nats";
import { refusalOfData, type Store, type Transaction } from "#postgres";
import { writeEvents } from "#publisher-db";
import { buryPoison } from "./bury-poison.ts";
import { collectFindings } from "./collect-findings.ts";
import { FencedError, movePositions } from "./ingest-position.ts";
import { keepFindings } from "./keep-findings.ts";
import { NewKeys } from "./known-keys.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { Mark, Positions } from "./positions.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { recordBatchParts } from "./record-batch-parts.ts";
import { composeRejections, isTold } from "./tell-rejections.ts";
import { applyEvents, everyOrd } from "./transactions/apply-events.ts";
import { applyIsolated, type IsolatedBatch } from "./transactions/apply-isolated.ts";
import { decideAtOnce, writeAtOnce } from "./transactions/write-at-once.ts";

interface CommitterParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly positions: Positions;
  readonly metrics: Pick<IngestMetrics, "contradicted">;
  /** The database's time. */
  readonly now: () => Date;
}

/** After a small batch that turned out to name an unknown member, so many look at their members before they write. */
const LOOKS_FIRST = 100;

/**
 * Commits batches: their rows and the positions behind them, all or nothing, in one of three ways.
 *
 * - At once: a few events, in one statement (`writeAtOnce`), unless webhooks are to be told of any.
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
  async commit(batch: Batch): Promise<IsolatedBatch> {
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

  #commitTrusting(batch: Batch, keys: NewKeys): Promise<IsolatedBatch> {
    const { events, heads } = batch.prepared;
    const isNamed = heads.every((head) => head?.named ?? true);
    return events.count <= LIMITS.rowsAtOnce && isNamed
      ? this.#atOnce(batch, keys)
      : this.#inBulk(batch, keys);
  }

  async #atOnce(batch: Batch, keys: NewKeys): Promise<IsolatedBatch> {
    const { messages, marks, prepared } = batch;
    const { store, positions } = this.#parts;
    const { events } = prepared;
    await keys.learn(store);
    const looksFirst = this.#looksFirst > 0;
    if (looksFirst) this.#looksFirst--;
    const decided = await decideAtOnce(store, events, (ord) => keys.has(ord), looksFirst);
    const findings = collectFindings(prepared, decided.outcomes);
    // Events for webhooks are written in a transaction, which ends with the lock that they take.
    if (findings.rejected.some(isTold)) return this.#inBulk(batch, keys);
    const move = await positions.move(messages, marks);
    try {
      const written = await writeAtOnce(store, events, decided, move.rows, findings);
      move.committed();
      return { ...written, poison: [] };
    } catch (error) {
      // Also where it is committed and the answer, or the look at the links behind it, got lost: then the next attempt finds
      // the position moved, and the partition is taken over anew, with what is still to be published.
      move.givenUp();
      throw error;
    }
  }

  #inBulk(batch: Batch, keys: NewKeys): Promise<IsolatedBatch> {
    const { events } = batch.prepared;
    return this.#inTransaction(batch, async (sql) => {
      await keys.learn(sql);
      const applied = await applyEvents(sql, events, everyOrd(events), (ord) => keys.has(ord));
      return { ...applied, poison: [] };
    });
  }

  async #inTransaction(
    { messages, marks, prepared, traceparent }: Batch,
    apply: (sql: Transaction) => Promise<IsolatedBatch>,
  ): Promise<IsolatedBatch> {
    const { store, stream, positions, now } = this.#parts;
    let move: Awaited<ReturnType<Positions["move"]>> | undefined;
    try {
      const { applied, hasEvents } = await store.begin(async (sql) => {
        const applied = await apply(sql);
        // Before the commit, behind which nobody could say what was refused. After a crash in between it is refused again.
        await buryPoison(stream, messages, prepared.heads, applied.poison);
        const findings = collectFindings(prepared, applied.outcomes);
        const told = await composeRejections(sql, findings.rejected.filter(isTold), now());
        move = await positions.move(messages, marks);
        // Sent at once, and then the commit: what the first two lock others wait for, of whatever partition. In this order,
        // because the lock of webhook events comes last (`writeEvents`).
        await Promise.all([
          keepFindings(sql, findings),
          recordBatchParts(sql, prepared, applied.outcomes),
          writeEvents(sql, told, traceparent),
          movePositions(sql, move.rows),
        ]);
        return { applied, hasEvents: told.length > 0 };
      });
      move?.committed();
      if (hasEvents) kick(stream, EVENTS_KICK_SUBJECT);
      return applied;
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
