import { FLOW } from "#contract";
import type { Settlement } from "#contract/ingest";
import { type BatchHandler, readPacked, type StreamMessage, toMessageResult, type UnreadReason } from "#nats";
import { batchApplier, buryEntry, type HandlerParts } from "./apply-batch.ts";
import { decideSettlements } from "./decide-rewards.ts";
import type { SettlementLabel } from "./metrics.ts";
import {
  type LoadedSettlements,
  lockForSettlements,
  type SettledTransaction,
} from "./rows/lock-for-settlements.ts";

/**
 * Handles what ingest says of transactions that cleared, were reverted or learned an amount, and applies it to what they have
 * earned, as `createOutcomeHandler` applies outcomes, with the same crashes in mind. A settlement that comes again finds its
 * stamp voided or its cashback settled, and changes nothing. Most transactions have earned nothing, so most batches write
 * nothing.
 */
export function createSettlementHandler(parts: HandlerParts<SettlementLabel>): BatchHandler {
  const { stream, metrics, log } = parts;
  const apply = batchApplier<PlacedSettlement, LoadedSettlements, SettlementLabel>(parts, {
    lock: lockForSettlements,
    decide: (loaded, settlements, context) => {
      const ids = settlements.map(({ transactionId }) => transactionId);
      return decideSettlements(loaded, ids, context);
    },
  });
  return async (messages, span) => {
    const { faults, settlements } = readSettlements(messages.map(({ data }) => data));
    const refused = await apply(settlements, span);
    for (const { item, error } of refused) {
      const { sequence } = messages[item.message] as StreamMessage;
      const place = { hop: FLOW.settlement.stream, sequence, as: "settlement", entry: item.said } as const;
      await buryEntry(stream, log, { reason: "refused_by_database", ...place, error });
    }
    metrics.notApplied(refused.map(() => "refused"));
    return { outcomes: faults.map(toMessageResult) };
  };
}

/** A settlement and where it came from, in case it has to be buried. */
interface PlacedSettlement extends SettledTransaction {
  /** Index of its message in the batch. */
  readonly message: number;
  readonly said: Settlement;
}

interface ReadSettlements {
  /** For each message, why nothing of it can be read; undefined if it can. */
  readonly faults: readonly (UnreadReason | undefined)[];
  /** Each transaction once: any number of settlements of it mean the same. */
  readonly settlements: readonly PlacedSettlement[];
}

/** Takes the messages of a batch apart. Ingest made them, so their entries are not validated. */
export function readSettlements(messages: readonly Uint8Array[]): ReadSettlements {
  const settlements = new Map<string, PlacedSettlement>();
  const faults = messages.map((data, message) => {
    const entries = readPacked(data, "settlements");
    if (typeof entries === "string") return entries;
    for (const said of entries as readonly Settlement[]) {
      const { organisation: organisationId, transaction: transactionId } = said;
      settlements.set(transactionId, { organisationId, transactionId, message, said });
    }
    return undefined;
  });
  return { faults, settlements: [...settlements.values()] };
}
