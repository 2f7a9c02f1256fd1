import type { Issue } from "#contract";
import type { PlatformRecord } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId, type IdPrefix, microsecondsOf, stateOf, toUtcMicroseconds } from "#domain";
import {
  mergeRecord,
  type PurchaseRecord,
  type RecordRoute,
  type RouteIndex,
  routeTransaction,
} from "#domain/platform";
import { readPacked, type UnreadReason } from "#nats";
import type { RevertedElsewhere } from "./halves/revert-records.ts";

/** A record to store, and where it came from, in case it has to be buried. */
export interface PlacedRecord {
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

/** Where a record was routed, or why nowhere. Records that are routed nowhere are counted and not kept. */
export type Routing = "routed" | "unknown_merchant" | "no_descriptor_matches" | "ambiguous";

interface ReadRecords {
  /** For each message, why nothing of it can be read; undefined if it can. */
  readonly faults: readonly (UnreadReason | undefined)[];
  /** One for each transaction, merged from its records in this batch. */
  readonly routed: readonly PlacedRecord[];
  /** Transactions that a record reverted which is routed nowhere; another record of the transaction may be routed. */
  readonly revertedElsewhere: readonly RevertedElsewhere[];
  readonly counts: ReadonlyMap<Routing, number>;
  readonly invalid: readonly InvalidRecord[];
}

/** Takes the messages of a batch apart, validates each record by itself, and routes it. Nine of ten records end there. */
export function readRecords(messages: readonly Uint8Array[], routes: RouteIndex): ReadRecords {
  const routed = new Map<string, PlacedRecord>();
  const revertedElsewhere = new Map<string, RevertedElsewhere>();
  const counts = new Map<Routing, number>();
  const invalid: InvalidRecord[] = [];
  const take = (record: PlatformRecord, transactionId: string, message: number) => {
    const route = routeTransaction(routes, record.merchant_id, record.statement_descriptor ?? null);
    const routing = route.outcome === "unroutable" ? route.reason : route.outcome;
    counts.set(routing, (counts.get(routing) ?? 0) + 1);
    if (route.outcome === "routed") {
      const read = toPurchaseRecord(transactionId, record, route);
      const before = routed.get(transactionId);
      const merged = before === undefined ? read : mergeRecord(before.record, read, false);
      routed.set(transactionId, { message, record: merged });
    } else if (record.reverted_at !== undefined) {
      const authedAt = microsecondsOf(toUtcMicroseconds(record.authed_at));
      // A transaction's merchant id never changes: where no retailer has it, none of its records is routed.
      revertedElsewhere.set(transactionId, {
        transactionId,
        authedAt,
        mayBeRouted: routing !== "unknown_merchant",
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
