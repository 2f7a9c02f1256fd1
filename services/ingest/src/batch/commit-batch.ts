import { EVENTS_KICK_SUBJECT, LIMITS } from "#contract";
import { kick, LostPartitions, type Stream } from "#nats";
import { refusalOfData, type Store, type Transaction } from "#postgres";
import { writeEvents } from "#publisher-db";
import type { IngestMetrics } from "../metrics.ts";
import { FencedError, movePositions } from "../positions/ingest-position.ts";
import { hasReadAgain, type MarkedMessages } from "../positions/ownership.ts";
import type { Positions } from "../positions/positions.ts";
import { applyEvents, everyOrd } from "./apply-events.ts";
import { applyIsolated, buryPoison, type IsolatedBatch } from "./apply-isolated.ts";
import { collectFindings } from "./collect-findings.ts";
import type { DecidedBatch } from "./decide-events.ts";
import { keepFindings } from "./keep-findings.ts";
import { NewKeys } from "./known-keys.ts";
import { keepLostMembers } from "./lost-members.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { ReplayedSettlings } from "./replayed-settlings.ts";
import { composeRejections, isTold } from "./tell-rejections.ts";
import { decideAtOnce, writeAtOnce } from "./write-at-once.ts";

interface CommitterParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly positions: Positions;
  readonly metrics: Pick<IngestMetrics, "contradicted">;
  /** The database's time. */
  readonly now: () => Date;
}

/** After a small batch named an unknown member, this many batches look their members up before they write. */
const LOOKS_FIRST = 100;

/**
 * Commits batches: their rows together with the new positions, all or nothing, in one of three ways.
 *
 * - At once: one statement writes a few events (`writeAtOnce`), unless webhooks have to report one of them or
 *   a message is read again.
 * - In bulk: a transaction copies the new rows.
 * - With look-ups: if the database refused one of the other ways, either because of an event's content or
 *   because the state that the batch was decided on does not hold. The events that the database refuses again
 *   are taken out.
 */
export class BatchCommitter {
  readonly #parts: CommitterParts;
  #looksFirst = 0;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /**
   * @throws LostPartitions when this process has lost a partition since its messages were read; nothing is
   * written then
   */
  async commit(batch: Batch): Promise<IsolatedBatch> {
    const { prepared, marks } = batch;
    const keys = new NewKeys(
      prepared,
      marks.map(({ ownership }) => ownership.keys),
    );
    try {
      const committed = await this.#trusting(batch, keys).catch((error) => this.#doubting(batch, error));
      keys.committed();
      this.#parts.positions.boundKeys();
      return committed;
    } catch (error) {
      throw error instanceof FencedError ? new LostPartitions(error.partitions, error) : error;
    }
  }

  /** Commits a batch on the owners' knowledge of its keys. */
  async #trusting(batch: Batch, keys: NewKeys): Promise<IsolatedBatch> {
    if (!isSmall(batch) || hasReadAgain(batch)) return this.#inBulk(batch, keys);
    const decided = await this.#decideAtOnce(batch, keys);
    const findings = collectFindings(batch.prepared, decided.outcomes);
    // Webhook events are written in a transaction, which ends while it holds their lock.
    if (findings.rejected.some(isTold)) return this.#inBulk(batch, keys);
    return this.#parts.positions.moving(batch, async (rowsOfMove) => {
      const moves = await rowsOfMove();
      const written = await writeAtOnce(this.#parts.store, batch.prepared.events, decided, moves, findings);
      return { ...written, poison: [] };
    });
  }

  /** Looks everything up, after the database refused the batch. */
  #doubting(batch: Batch, error: unknown): Promise<IsolatedBatch> {
    if (refusalOfData(error) === undefined) throw error;
    this.#parts.metrics.contradicted();
    this.#looksFirst = LOOKS_FIRST;
    return this.#inTransaction(batch, (sql) => applyIsolated(sql, batch.prepared.events));
  }

  async #decideAtOnce({ prepared: { events } }: Batch, keys: NewKeys): Promise<DecidedBatch> {
    const { store } = this.#parts;
    await keys.learn(store);
    const looksFirst = this.#looksFirst > 0;
    if (looksFirst) this.#looksFirst--;
    return decideAtOnce(store, events, (ord) => keys.has(ord), looksFirst);
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
    batch: Batch,
    apply: (sql: Transaction) => Promise<IsolatedBatch>,
  ): Promise<IsolatedBatch> {
    const { store, stream, positions, now } = this.#parts;
    const { messages, prepared, traceparent } = batch;
    const settlings = ReplayedSettlings.of(batch);
    const { applied, hasEvents } = await positions.moving(batch, (rowsOfMove) =>
      store.begin(async (sql) => {
        await settlings?.begin(sql);
        const isolated = await apply(sql);
        await settlings?.write(sql, isolated.outcomes);
        const outcomes = await keepLostMembers(sql, batch, isolated.outcomes);
        const applied = { ...isolated, outcomes };
        // Before the commit: afterwards no process knows which events were refused. If this process crashes
        // in between, the database refuses them again.
        await buryPoison(stream, messages, prepared.heads, applied.poison);
        const findings = collectFindings(prepared, applied.outcomes);
        const told = await composeRejections(sql, findings.rejected.filter(isTold), now());
        const moves = await rowsOfMove();
        // Send these together, right before the commit: other partitions wait for the locks of the first two. The lock of
        // webhook events comes last (`writeEvents`).
        await Promise.all([
          keepFindings(sql, findings),
          writeEvents(sql, told, traceparent),
          movePositions(sql, moves),
          settlings?.keep(sql),
        ]);
        return { applied, hasEvents: told.length > 0 };
      }),
    );
    settlings?.committed();
    if (hasEvents) kick(stream, EVENTS_KICK_SUBJECT);
    return applied;
  }
}

/** Whether one statement can write the batch. */
function isSmall({ prepared: { events } }: Batch): boolean {
  return events.count <= LIMITS.rowsAtOnce;
}

interface Batch extends MarkedMessages {
  readonly prepared: PreparedBatch;
  /** Of the span in which the batch is written. */
  readonly traceparent: string | undefined;
}
