import { FLOW, type Issue } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import type { PlatformRecord } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import {
  decodeId,
  encodeId,
  type IdPrefix,
  microsecondsOf,
  nameUuid,
  stateOf,
  toUtcMicroseconds,
} from "#domain";
import {
  mergeRecord,
  type PurchaseRecord,
  type RecordRoute,
  type RouteIndex,
  routeTransaction,
} from "#domain/platform";
import {
  type BatchHandler,
  bury,
  readPacked,
  type Stream,
  type StreamMessage,
  toMessageResult,
  type UnreadReason,
} from "#nats";
import { isolateRefused, type Store } from "#postgres";
import type { Log, Span } from "#runtime";
import type { ConfigurationCache } from "./configuration/configuration.ts";
import type { Judge } from "./halves/judge.ts";
import type { QueuedOutcomes } from "./halves/outcome-queue.ts";
import { pairHalves } from "./halves/pair-halves.ts";
import { pairReleased } from "./halves/release-payments.ts";
import { type RevertedElsewhere, revertRecords } from "./halves/revert-records.ts";
import { storeRecords } from "./halves/store-records.ts";
import {
  hasHadOwner,
  keepUnrouted,
  mayEarn,
  type Named,
  type UnroutedRecord,
} from "./halves/unrouted-records.ts";
import type { MatchingMetrics, Routing } from "./metrics.ts";

/** How many characters of an invalid record's transaction id are kept: it may be any text. */
const NAME_LENGTH = 64;

interface RecordHandlerParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly configuration: ConfigurationCache;
  readonly metrics: MatchingMetrics;
  /** To be called with the outcomes of a database transaction that has committed. */
  readonly onOutcomes: (queued: readonly QueuedOutcomes[]) => void;
  readonly log: Log;
}

/**
 * Handles records of the publisher, a batch at a time: read, route, store what is routed and commit; then look for payments
 * that were there before, and bury what is invalid. Outcomes are queued by the database transactions that decide them.
 *
 * After a crash anywhere the whole batch comes again. A record that was stored says nothing new then, and is not judged a
 * second time; one that was not paired looks again.
 */
export function createRecordHandler(parts: RecordHandlerParts): BatchHandler {
  const { store, configuration, metrics } = parts;
  return async (messages, span) => {
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
    return { outcomes: read.faults.map(toMessageResult) };
  };
}

/** Stores and pairs in separate database transactions: `pairHalves` says why. */
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
  // Together: of purchases that a new clip makes count at once, one may be paired only now and still be the newest.
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
 * Buries a record as a dead letter. Only the id of its transaction may be kept outside of the tables, so an operator cannot
 * put the record back; the publisher sends it again when the transaction changes.
 *
 * The letter's id is made of what it is about, and not only of the sequence: a stream that was wiped gives the same sequence
 * to another message.
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

/** A record to store, and where it came from, in case it has to be buried. */
interface PlacedRecord {
  /** Index of its message in the batch. */
  readonly message: number;
  readonly record: PurchaseRecord;
}

/** An entry that the schema refuses. */
interface InvalidRecord {
  readonly message: number;
  /** Its index in the message. */
  readonly entry: number;
  /** As it came, if it is a text. Nothing else of the entry may be kept. */
  readonly transactionId: string | undefined;
  readonly issues: readonly Issue[];
}

interface ReadRecords {
  /** For each message, why nothing of it can be read; undefined if it can. */
  readonly faults: readonly (UnreadReason | undefined)[];
  /** One for each transaction, merged from its records in this batch. */
  readonly routed: readonly PlacedRecord[];
  /** Transactions that a record reverted which is routed nowhere; another record of the transaction may be routed. */
  readonly revertedElsewhere: readonly RevertedElsewhere[];
  /** Those that may be a retailer's yet, as they came. */
  readonly unrouted: readonly UnroutedRecord[];
  /** Records by where they were routed. The others that are routed nowhere are counted and not kept. */
  readonly counts: ReadonlyMap<Routing, number>;
  readonly invalid: readonly InvalidRecord[];
}

/** Takes the messages of a batch apart, validates each record by itself, and routes it. Nine of ten records end there. */
export function readRecords(
  messages: readonly Uint8Array[],
  configuration: Named & { readonly routes: RouteIndex },
): ReadRecords {
  const { routes } = configuration;
  const routed = new Map<string, PlacedRecord>();
  const revertedElsewhere = new Map<string, RevertedElsewhere>();
  const unrouted: UnroutedRecord[] = [];
  const counts = new Map<Routing, number>();
  const invalid: InvalidRecord[] = [];
  const take = (record: PlatformRecord, transactionId: string, message: number) => {
    const authedAt = microsecondsOf(toUtcMicroseconds(record.authed_at));
    const route = routeTransaction(routes, record.merchant_id, record.statement_descriptor ?? null, authedAt);
    counts.set(route.outcome, (counts.get(route.outcome) ?? 0) + 1);
    if (route.outcome === "routed") {
      const read = toPurchaseRecord(transactionId, record, route);
      const before = routed.get(transactionId);
      const merged = before === undefined ? read : mergeRecord(before.record, read, false);
      routed.set(transactionId, { message, record: merged });
      return;
    }
    const isReverted = record.reverted_at !== undefined;
    if (route.outcome === "unknown_merchant" && !hasHadOwner(routes, record.merchant_id)) {
      if (mayEarn(configuration, record, authedAt)) unrouted.push({ transactionId, record });
    }
    if (isReverted) {
      // A transaction's merchant id never changes: where no retailer has it, none of its records is routed.
      revertedElsewhere.set(transactionId, {
        transactionId,
        authedAt,
        mayBeRouted: route.outcome !== "unknown_merchant",
      });
    }
  };
  const faults = messages.map((data, message) => {
    const entries = readPacked(data, "records");
    if (typeof entries === "string") return entries;
    for (const [entry, said] of entries.entries()) {
      const judged = judgeRecord(said);
      if (typeof judged === "string") take(said as PlatformRecord, judged, message);
      else invalid.push({ message, entry, transactionId: nameOf(said), issues: judged });
    }
    return undefined;
  });
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

/** The UUID of its transaction if the entry is a valid record, else what is wrong with it. */
function judgeRecord(said: unknown): string | readonly Issue[] {
  const validate = MESSAGE_VALIDATORS.platformRecord;
  if (!validate(said)) return (validate.errors ?? []).map(describeViolation);
  const id = decodeId("tx", (said as PlatformRecord).transaction_id);
  return id ?? [{ path: "/transaction_id", message: "must be the id of a transaction" }];
}

function nameOf(said: unknown): string | undefined {
  const { transaction_id: name } = (said ?? {}) as { transaction_id?: unknown };
  return typeof name === "string" ? name : undefined;
}

function toPurchaseRecord(transactionId: string, said: PlatformRecord, route: RecordRoute): PurchaseRecord {
  return {
    transactionId,
    route: { retailerId: route.retailerId, shared: route.shared },
    state: stateOf({ clearedAt: said.cleared_at ?? null, revertedAt: said.reverted_at ?? null }),
    merchantId: said.merchant_id,
    statementDescriptor: said.statement_descriptor ?? null,
    isFirstDescriptor: said.cleared_at === undefined && said.reverted_at === undefined,
    authedAt: microsecondsOf(toUtcMicroseconds(said.authed_at)),
    identifiers: [...new Set(said.identifiers)].sort(),
    clips: readLinks(said.clips, (link) => [link.clip_id, link.deal_id], "clip", "deal"),
    enrolments: readLinks(
      said.enrolments,
      (link) => [link.stamp_collection_id, link.loyalty_program_id],
      "sc",
      "lp",
    ),
  };
}

/** A link with an id of another form leads to nothing known; it is left out, and earns nothing. */
function readLinks<T>(
  links: readonly T[],
  idsOf: (link: T) => readonly [string, string],
  prefix: IdPrefix,
  targetPrefix: IdPrefix,
): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const link of links) {
    const [said, saidTarget] = idsOf(link);
    const id = decodeId(prefix, said);
    const target = decodeId(targetPrefix, saidTarget);
    if (id !== undefined && target !== undefined) read.set(id, target);
  }
  return read;
}
