import { EVENTS_KICK_SUBJECT, FLOW, LANES } from "#contract";
import { kick, type SharedBatchHandler, type SharedMessage, type Stream } from "#nats";
import { inSpan, type Log, type Span } from "#runtime";
import { applyRefusable, lockForOutcomes, type Store, withOpenTransactions, writeRewards } from "#store";
import { batchContext } from "./batch-context.ts";
import { buryEntry } from "./bury-entry.ts";
import { decideOutcomes } from "./decide-outcomes.ts";
import { type PlacedOutcome, readOutcomes } from "./read-outcomes.ts";
import type { RewardMetrics } from "./reward-metrics.ts";
import { splitByTarget } from "./split-by-target.ts";
import { toOutcome } from "./to-outcome.ts";

/**
 * What the platform found out, a batch at a time: read, lock and load, decide, write together with the events, commit,
 * in two parts side by side; then bury what cannot be applied. A message with a wrong outcome in it is done all the same: that outcome has a letter
 * of its own.
 *
 * A crash before the commit leaves nothing. After it all of the batch comes again: what was applied is recognised (the
 * transaction has its stamp, the clip is redeemed), and a letter that was stored has the same id.
 */
export function createOutcomeHandler(parts: {
  store: Store;
  stream: Stream;
  metrics: RewardMetrics["outcomes"];
  /** The database's time. */
  now: () => Date;
  log: Log;
}): SharedBatchHandler {
  const { store, stream, metrics, now, log } = parts;
  const apply = async (outcomes: readonly PlacedOutcome[], span: Span | undefined) => {
    const { results, writes } = await metrics.timed("transaction", () =>
      withOpenTransactions(store, async (sql, awaited) => {
        const loaded = await metrics.timed("load", () => lockForOutcomes(sql, outcomes, awaited));
        const decided = decideOutcomes(loaded, outcomes, batchContext(now()));
        await metrics.timed("write", () => writeRewards(sql, decided.writes, span?.traceparent));
        return decided;
      }),
    );
    metrics.committed(results, writes);
    if (writes.events.length > 0) kick(stream, EVENTS_KICK_SUBJECT);
  };
  const applyTraced = (some: readonly PlacedOutcome[], span: Span | undefined) =>
    inSpan(span, "transaction", (own) => apply(some, own), "client", { "db.system.name": "postgresql" });
  return async (messages, span) => {
    const { faults, outcomes, unknown, invalid } = readOutcomes(messages.map(({ data }) => data));
    const parts = splitByTarget(outcomes, LANES.rewardParts);
    const applied = parts.map((part) => applyRefusable(part, (some) => applyTraced(some, span)));
    const refused = (await Promise.all(applied)).flat();
    const placeOf = ({ message, said }: { message: number; said: unknown }) => {
      const { sequence } = messages[message] as SharedMessage;
      return { hop: FLOW.outcomes.stream, sequence, as: "outcome", entry: said } as const;
    };
    for (const one of invalid) {
      await buryEntry(stream, log, { reason: "invalid_outcome", ...placeOf(one), issues: one.issues });
    }
    for (const { item, error } of refused) {
      await buryEntry(stream, log, { reason: "refused_by_database", ...placeOf(item), error });
    }
    metrics.notApplied(unknown);
    metrics.notApplied(invalid.map(() => "invalid"));
    metrics.notApplied(refused.map(() => "refused"));
    return faults.map(toOutcome);
  };
}
