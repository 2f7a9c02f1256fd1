import type { Issue } from "#contract";
import { RECORDS_VERSION, RecordFault, RecordReader, recordsVersionOf } from "#contract/codec";
import type { PlatformRecord } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId, encodeId, type IdPrefix, microsecondsOf, toUtcMicroseconds } from "#domain";
import { readPacked, type UnreadReason } from "#nats";
import type { MerchantFilter } from "../rules/merchant-filter.ts";

/**
 * A valid record for routing. Its methods parse on demand, because nine of ten records need hardly any of
 * them. It is valid only until the next one is read.
 */
export interface SaidRecord {
  /** Microseconds since 1970. */
  readonly authedAt: number;
  readonly isCleared: boolean;
  readonly isReverted: boolean;
  readonly hasLinks: boolean;
  /** False: no retailer has had its merchant id. */
  mayBeOf(merchants: MerchantFilter): boolean;
  /** UUID. */
  transactionId(): string;
  merchantId(): string;
  statementDescriptor(): string | null;
  /** In any order. */
  identifiers(): readonly string[];
  /** UUIDs of clips and their deals, of stamp collections and their programs. */
  clips(): ReadonlyMap<string, string>;
  enrolments(): ReadonlyMap<string, string>;
  /** The whole record, to be kept. */
  record(): PlatformRecord;
}

/** An entry that is not a valid record. */
export interface InvalidRecord {
  /** Its index in the message. */
  readonly entry: number;
  /** Its original text; undefined: it was no text. Nothing else of the entry is kept. */
  readonly transactionId: string | undefined;
  readonly issues: readonly Issue[];
}

/**
 * A message that this platform cannot read, from an ingest of another version. It waits in the stream for a
 * platform that can: as a dead letter its records would be lost.
 */
export class OtherVersionError extends Error {
  override readonly name = "OtherVersionError";

  constructor(version: number) {
    super(
      `records of version ${version}, and this process reads versions 1 and ${RECORDS_VERSION}: ` +
        "start the platform of the version of the ingest that wrote them",
    );
  }
}

/**
 * Reads all records of a message, each separately. Ingest writes bytes; JSON comes from records that the
 * platform kept in its database, and came from ingest before 0.1.0.
 * @returns why the message cannot be read; undefined: it can
 */
export function readMessage(
  data: Uint8Array,
  take: (said: SaidRecord) => void,
  refuse: (invalid: InvalidRecord) => void,
): UnreadReason | OtherVersionError | undefined {
  const version = recordsVersionOf(data);
  if (version === undefined) return readJson(data, take, refuse);
  return version === RECORDS_VERSION ? readBytes(data, take, refuse) : new OtherVersionError(version);
}

const readBytes: typeof readMessage = (data, take, refuse) => {
  const reader = openBytes(data);
  if (reader === undefined) return "unreadable_message";
  for (let entry = 0; !reader.isAtEnd; entry++) {
    try {
      reader.next();
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error;
      const { path, message } = error;
      const id = reader.transactionIdIfAny();
      const transactionId = id === undefined ? undefined : encodeId("tx", id);
      refuse({ entry, transactionId, issues: [{ path, message }] });
      continue;
    }
    take(reader);
  }
  return undefined;
};

function openBytes(data: Uint8Array): RecordReader | undefined {
  try {
    return new RecordReader(data);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readJson: typeof readMessage = (data, take, refuse) => {
  const entries = readPacked(data, "records");
  if (typeof entries === "string") return entries;
  for (const [entry, said] of entries.entries()) {
    const judged = judgeRecord(said);
    if (typeof judged === "string") take(jsonRecord(said as PlatformRecord, judged));
    else refuse({ entry, transactionId: nameOf(said), issues: judged });
  }
  return undefined;
};

/** The UUID of the transaction if the entry is a valid record, else its faults. */
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

function jsonRecord(record: PlatformRecord, transactionId: string): SaidRecord {
  return {
    authedAt: microsecondsOf(toUtcMicroseconds(record.authed_at)),
    isCleared: record.cleared_at !== undefined,
    isReverted: record.reverted_at !== undefined,
    hasLinks: record.clips.length + record.enrolments.length > 0,
    mayBeOf: () => true,
    transactionId: () => transactionId,
    merchantId: () => record.merchant_id,
    statementDescriptor: () => record.statement_descriptor ?? null,
    identifiers: () => record.identifiers,
    clips: () => readLinks(record.clips, (link) => [link.clip_id, link.deal_id], "clip", "deal"),
    enrolments: () =>
      readLinks(record.enrolments, (link) => [link.stamp_collection_id, link.loyalty_program_id], "sc", "lp"),
    record: () => record,
  };
}

/** A link with an id of another form leads to nothing stored: it is left out, and earns nothing. */
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
