import { EVENTS_KICK_SUBJECT, FLOW } from "#contract";
import { kick, type SharedBatchHandler, type SharedMessage, type Stream } from "#nats";
import { inSpan, type Log, type Span } from "#runtime";
import { applyRefusable, lockForSettlements, type Store, withOpenTransactions, writeRewards } from "#store";
import { batchContext } from "./batch-context.ts";
import { buryEntry } from "./bury-entry.ts";
import { decideSettlements } from "./decide-settlements.ts";
import { type PlacedSettlement, readSettlements } from "./read-settlements.ts";
import type { RewardMetrics } from "./reward-metrics.ts";
import { toOutcome } from "./to-outcome.ts";

/**
 * What ingest says of transactions that cleared, were reverted or learned an amount: tells it to what they have earned,
 * as `createOutcomeHandler` applies outcomes, with the same crashes in mind. What comes again finds its stamp voided or
 * its cashback settled, and changes nothing. Most transactions have earned nothing, so most batches write nothing.
 */
export function createSettlementHandler(parts: {
  store: Store;
  stream: Stream;
  metrics: RewardMetrics["settlements"];
  /** The database's time. */
  now: () => Date;
  log: Log;
}): SharedBatchHandler {
  const { store, stream, metrics, now, log } = parts;
  const apply = async (settlements: readonly PlacedSettlement[], span: Span | undefined) => {
    const { results, writes } = await metrics.timed("transaction", () =>
      withOpenTransactions(store, async (sql, awaited) => {
        const loaded = await metrics.timed("load", () => lockForSettlements(sql, settlements, awaited));
        const ids = settlements.map(({ transactionId }) => transactionId);
        const decided = decideSettlements(loaded, ids, batchContext(now()));
        await metrics.timed("write", () => writeRewards(sql, decided.writes, span?.traceparent));
        return decided;
      }),
    );
    metrics.committed(results, writes);
    if (writes.events.length > 0) kick(stream, EVENTS_KICK_SUBJECT);
  };
  const applyTraced = (some: readonly PlacedSettlement[], span: Span | undefined) =>
    inSpan(span, "transaction", (own) => apply(some, own), "client", { "db.system.name": "postgresql" });
  return async (messages, span) => {
    const { faults, settlements } = readSettlements(messages.map(({ data }) => data));
    const refused = await applyRefusable(settlements, (some) => applyTraced(some, span));
    for (const { item, error } of refused) {
      const { sequence } = messages[item.message] as SharedMessage;
      await buryEntry(stream, log, {
        reason: "refused_by_database",
        hop: FLOW.settlement.stream,
        sequence,
        as: "settlement",
        entry: item.said,
        error,
      });
    }
    metrics.notApplied(refused.map(() => "refused"));
    return faults.map(toOutcome);
  };
}
