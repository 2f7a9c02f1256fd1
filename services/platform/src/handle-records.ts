import { FLOW } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import type { PlatformRecord } from "#contract/platform";
import { encodeId, nameUuid, type RoutingOutcome } from "#domain";
import {
  type BatchHandler,
  bury,
  type MessageResult,
  type Stream,
  type StreamMessage,
  toMessageResult,
  type UnreadReason,
} from "#nats";
import { isolateRefused, type Store } from "#postgres";
import type { Log, Span } from "#runtime";
import type { ConfigurationCache } from "./configuration/configuration.ts";
import type { Judge } from "./matching/judge.ts";
import type { QueuedOutcomes } from "./matching/outcome-queue.ts";
import { pairHalves } from "./matching/pair-halves.ts";
import { pairReleased, type RevertedElsewhere, revertRecords } from "./matching/revert-records.ts";
import {
  type InvalidRecord,
  OtherVersionError,
  readMessage,
  type SaidRecord,
} from "./matching/said-record.ts";
import { storeRecords } from "./matching/store-records.ts";
import {
  hasHadOwner,
  keepUnrouted,
  mayEarn,
  type Named,
  type UnroutedRecord,
} from "./matching/unrouted-records.ts";
import type { MatchingMetrics } from "./metrics.ts";
import type { MerchantFilter } from "./rules/merchant-filter.ts";
import { mergeRecord, type PurchaseRecord, type RecordRoute } from "./rules/merge-record.ts";
import { type RouteIndex, routeTransaction, UNKNOWN_MERCHANT } from "./rules/route-transaction.ts";

/** The length to which an invalid record's transaction id, which may be any text, is cut. */
const NAME_LENGTH = 64;

interface RecordHandlerParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly configuration: ConfigurationCache;
  readonly metrics: MatchingMetrics;
  /** Called with the outcomes of a committed database transaction. */
  readonly onOutcomes: (queued: readonly QueuedOutcomes[]) => void;
  /**
   * Throws unless the server is the one in which the messages' partitions were taken over: in a restored one
   * a record that was read before could take the payment of an earlier record, which comes again. Optional:
   * without it nothing is asserted.
   */
  readonly assertSameServer?: (messages: readonly StreamMessage[]) => Promise<void>;
  readonly log: Log;
}

/**
 * Handles records of the publisher, a batch at a time: reads and routes them, stores the routed ones and
 * commits; then searches for stored payments, and buries invalid records. The database transactions that
 * decide outcomes also queue them.
 *
 * After a crash at any point the stream repeats the whole batch. A stored record then has no new content, and
 * is not judged again; an unpaired one searches again.
 */
export function createRecordHandler(parts: RecordHandlerParts): BatchHandler {
  const { store, configuration, metrics, assertSameServer } = parts;
  return async (messages, span) => {
    await assertSameServer?.(messages);
    const current = await configuration.current();
    const { judge } = current;
    const read = readRecords(
      messages.map(({ data }) => data),
      current,
    );
    await keepUnrouted(store, read.unrouted);
    const { refused } = await isolateRefused(read.routed, (placed) => match(parts, placed, judge, span));
    const reverted = await revertRecords(store, read.revertedElsewhere);
    if (reverted.length > 0) await matchReleased(parts, reverted, judge, span);
    for (const { message, entry, transactionId, issues } of read.invalid) {
      const source = messages[message] as StreamMessage;
      const { partition, sequence } = source;
      parts.log.error({ partition, sequence, entry, issues }, "record is dead");
      await buryRecord(parts.stream, source, `${entry}`, { reason: "invalid_record", transactionId });
    }
    for (const { item, error } of refused) {
      const source = messages[item.message] as StreamMessage;
      const { partition, sequence } = source;
      const transactionId = encodeId("tx", item.record.transactionId);
      parts.log.error({ partition, sequence, transactionId, error }, "record is dead");
      await buryRecord(parts.stream, source, transactionId, {
        reason: "refused_by_database",
        transactionId,
        error,
      });
    }
    metrics.records(read.counts, { invalid: read.invalid.length, refused: refused.length });
    return { results: read.faults.map(toResult) };
  };
}

function toResult(fault: ReadRecords["faults"][number]): MessageResult {
  return fault instanceof OtherVersionError ? { kind: "retry", error: fault } : toMessageResult(fault);
}

/** Stores and pairs in separate database transactions (`pairHalves` says why). */
async function match(
  { store, metrics, onOutcomes }: RecordHandlerParts,
  placed: readonly PlacedRecord[],
  judge: Judge,
  span: Span | undefined,
): Promise<void> {
  const records = placed.map(({ record }) => record);
  const traceparent = span?.traceparent;
  const stored = await metrics.timed("store_records", () => storeRecords(store, records, judge, traceparent));
  metrics.judged(stored);
  const ids = records.map(({ transactionId }) => transactionId);
  const pairing = await metrics.timed("pair_records", () =>
    pairHalves(store, "records", ids, judge, traceparent),
  );
  metrics.paired(pairing);
  // Handed over together: if a new clip makes several purchases count, the newest may be paired only now.
  onOutcomes([...stored.queued, ...pairing.queued]);
  const reverted = records.filter(({ state }) => state === "reverted");
  if (reverted.length === 0) return;
  await matchReleased(
    { store, metrics, onOutcomes },
    reverted.map(({ transactionId }) => transactionId),
    judge,
    span,
  );
}

/** @param reverted UUIDs of transactions */
async function matchReleased(
  { store, metrics, onOutcomes }: Pick<RecordHandlerParts, "store" | "metrics" | "onOutcomes">,
  reverted: readonly string[],
  judge: Judge,
  span: Span | undefined,
): Promise<void> {
  const pairing = await metrics.timed("pair_records", () =>
    pairReleased(store, reverted, judge, span?.traceparent),
  );
  if (pairing === undefined) return;
  metrics.paired(pairing);
  onOutcomes(pairing.queued);
}

/**
 * Buries a record as a dead letter. Only its transaction id may be kept outside the tables, so an operator cannot put the record back;
 * the publisher sends it again when the transaction changes.
 *
 * The letter's id is computed from its content, and not from the sequence alone: a stream that was wiped gives the same sequence to
 * another message.
 */
async function buryRecord(
  stream: Stream,
  { partition, sequence }: StreamMessage,
  part: string,
  said: Pick<DeadLetter, "reason" | "error"> & { readonly transactionId: string | undefined },
): Promise<void> {
  const { transactionId, ...rest } = said;
  const letter: DeadLetter = {
    ...rest,
    hop: FLOW.platformTransactions.stream,
    partition,
    sequence,
    ...(transactionId !== undefined && { transactionId: transactionId.slice(0, NAME_LENGTH) }),
  };
  await bury(stream, letter, nameUuid(`${part} ${transactionId}`));
}

/** A record to store, with the index of its message, for a dead letter. */
interface PlacedRecord {
  /** Index of its message in the batch. */
  readonly message: number;
  readonly record: PurchaseRecord;
}

interface ReadRecords {
  /** For each message, why it cannot be read; undefined: it can. */
  readonly faults: readonly (UnreadReason | OtherVersionError | undefined)[];
  /** One for each transaction, merged from its records in this batch. */
  readonly routed: readonly PlacedRecord[];
  /** Transactions reverted by a record without a retailer; another record of the transaction may be routed. */
  readonly revertedElsewhere: readonly RevertedElsewhere[];
  /** Unchanged records that may get a retailer later. */
  readonly unrouted: readonly UnroutedRecord[];
  /** The number of records by route. Other records without a retailer are only counted. */
  readonly counts: ReadonlyMap<RoutingOutcome, number>;
  /** Each with the index of its message. */
  readonly invalid: readonly (InvalidRecord & { readonly message: number })[];
}

/**
 * Splits the messages of a batch into records, checks each separately, and routes it. Nine of ten records end
 * here.
 */
export function readRecords(
  messages: readonly Uint8Array[],
  configuration: Named & { readonly routes: RouteIndex; readonly merchants: MerchantFilter },
): ReadRecords {
  const { routes, merchants } = configuration;
  const routed = new Map<string, PlacedRecord>();
  const revertedElsewhere = new Map<string, RevertedElsewhere>();
  const unrouted: UnroutedRecord[] = [];
  const counts = new Map<RoutingOutcome, number>();
  const invalid: (InvalidRecord & { readonly message: number })[] = [];
  const take = (said: SaidRecord, message: number) => {
    const { authedAt, isReverted } = said;
    const isUnknown = !said.mayBeOf(merchants);
    const route = isUnknown
      ? UNKNOWN_MERCHANT
      : routeTransaction(routes, said.merchantId(), said.statementDescriptor(), authedAt);
    counts.set(route.outcome, (counts.get(route.outcome) ?? 0) + 1);
    if (route.outcome === "routed") {
      const transactionId = said.transactionId();
      const read = toPurchaseRecord(transactionId, said, route);
      const before = routed.get(transactionId);
      const merged = before === undefined ? read : mergeRecord(before.record, read, false);
      routed.set(transactionId, { message, record: merged });
      return;
    }
    const isUnheardOf =
      isUnknown || (route.outcome === "unknown_merchant" && !hasHadOwner(routes, said.merchantId()));
    if (isUnheardOf && mayEarn(configuration, said)) {
      unrouted.push({ transactionId: said.transactionId(), record: said.record() });
    }
    if (isReverted) {
      const transactionId = said.transactionId();
      // A transaction's merchant id never changes: if no retailer has it, none of its records is routed.
      revertedElsewhere.set(transactionId, {
        transactionId,
        authedAt,
        mayBeRouted: route.outcome !== "unknown_merchant",
      });
    }
  };
  const faults = messages.map((data, message) =>
    readMessage(
      data,
      (said) => take(said, message),
      (one) => invalid.push({ message, ...one }),
    ),
  );
  for (const transactionId of revertedElsewhere.keys()) {
    const placed = routed.get(transactionId);
    if (placed !== undefined) {
      routed.set(transactionId, { ...placed, record: { ...placed.record, state: "reverted" } });
    }
  }
  return {
    faults,
    routed: [...routed.values()],
    revertedElsewhere: [...revertedElsewhere.values()],
    unrouted,
    counts,
    invalid,
  };
}

/** The field of a purchase that holds each field of its record. Does not compile if a field of the record is in none. */
export const HELD_AS = {
  transaction_id: "transactionId",
  identifiers: "identifiers",
  merchant_id: "merchantId",
  statement_descriptor: "statementDescriptor",
  authed_at: "authedAt",
  cleared_at: "state",
  reverted_at: "state",
  clips: "clips",
  enrolments: "enrolments",
} satisfies Record<keyof PlatformRecord, keyof PurchaseRecord>;

function toPurchaseRecord(transactionId: string, said: SaidRecord, route: RecordRoute): PurchaseRecord {
  const { isCleared, isReverted } = said;
  return {
    transactionId,
    route: { retailerId: route.retailerId, shared: route.shared },
    state: isReverted ? "reverted" : isCleared ? "cleared" : "authorized",
    merchantId: said.merchantId(),
    statementDescriptor: said.statementDescriptor(),
    isFirstDescriptor: !isCleared && !isReverted,
    authedAt: said.authedAt,
    identifiers: [...new Set(said.identifiers())].sort(),
    clips: said.clips(),
    enrolments: said.enrolments(),
  };
}
