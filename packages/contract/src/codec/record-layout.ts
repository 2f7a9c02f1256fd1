import type { StoredTransaction } from "#domain";
import type { PlatformRecord } from "../schemas/platform-messages.ts";
import type { MadeField, NullableField, Same } from "./transaction-columns.ts";

/*
 * Records for the platform in their binary form (`PlatformRecord` describes the content). They never become
 * texts: ingest copies them out of the edge's messages, and the platform drops nine of ten at their merchant
 * id. docs/platform-api.md explains the layout to integrators who read it with their own software.
 *
 *   message version (1 byte), one record or more
 *   record its length without these (4 bytes), transaction id (16), parts that it has (1), authed_at (8),
 *   identifier over six
 *             digits (32), identifier over eight (32), cleared_at (8), reverted_at (8), merchant_id,
 *             statement_descriptor, clips,
 *             enrolments
 *   text its length (2 bytes), UTF-8
 *   instant microseconds since 2000-01-01T00:00:00Z
 *   links how many (2 bytes), and of each the id of the clip or stamp collection (16), and of the deal or
 *   program (16)
 *
 * Numbers are big-endian, without a sign.
 */

interface RecordField {
  readonly name: keyof PlatformRecord;
  /** The fields of a transaction that it is made of. None: links, which ingest adds after the commit. */
  readonly from: readonly (keyof StoredTransaction)[];
}

/**
 * The fields of a record. Writer, reader and the platform name each field by itself, because a loop over this list would be slower
 * there; the compiler compares them with it.
 */
export const RECORD_FIELDS = [
  { name: "transaction_id", from: ["id"] },
  { name: "identifiers", from: ["identifier6", "identifier8"] },
  { name: "merchant_id", from: ["merchantId"] },
  { name: "statement_descriptor", from: ["statementDescriptor"] },
  { name: "authed_at", from: ["authedAt"] },
  { name: "cleared_at", from: ["clearedAt"] },
  { name: "reverted_at", from: ["revertedAt"] },
  { name: "clips", from: [] },
  { name: "enrolments", from: [] },
] as const satisfies readonly RecordField[];

type Listed = (typeof RECORD_FIELDS)[number];
/** Does not compile if the list and the schema of a record name different fields. */
export const EVERY_FIELD_IS_IN_THE_SCHEMA: Same<Listed["name"], keyof PlatformRecord> = true;

/** The part of a transaction that is published to the platform. */
export type Published = Pick<StoredTransaction, Listed["from"][number]>;
/** Its fields that ingest makes. The others are copied from the event. */
export type PublishedMade = Pick<Published, MadeField & keyof Published>;
export type PublishedSent = Exclude<keyof Published, MadeField>;

/** The first byte of a message. Raise it with every change of the layout after it. Version 1 was JSON. */
export const RECORDS_VERSION = 2;

/** Bits of the byte that names the parts of a record. Every record has the parts without a bit. */
export const HAS_SECOND = 1;
export const HAS_CLEARED_AT = 2;
export const HAS_REVERTED_AT = 4;
export const HAS_DESCRIPTOR = 8;
const PARTS = {
  identifier8: HAS_SECOND,
  clearedAt: HAS_CLEARED_AT,
  revertedAt: HAS_REVERTED_AT,
  statementDescriptor: HAS_DESCRIPTOR,
} satisfies Record<NullableField & keyof Published, number>;
export const HAS_ALL = Object.values(PARTS).reduce((all, part) => all | part);

export const VERSION_BYTES = 1;
export const LENGTH_BYTES = 4;
export const UUID_BYTES = 16;
export const INSTANT_BYTES = 8;
export const IDENTIFIER_BYTES = 32;
export const TEXT_LENGTH_BYTES = 2;
export const COUNT_BYTES = 2;
/** A clip or an enrolment in a record. */
export const LINK_BYTES = 2 * UUID_BYTES;
/** Offsets, counted from the beginning of a record's transaction id. */
export const NO_LINKS_BYTES = 2 * COUNT_BYTES;

/* The position of the parts byte, counted from the transaction id. */
export const PARTS_AT = UUID_BYTES;
export const AUTHED_AT = PARTS_AT + 1;
export const IDENTIFIERS_AT = AUTHED_AT + INSTANT_BYTES;
export const BEHIND_FIRST = IDENTIFIERS_AT + IDENTIFIER_BYTES;
export const LEAST_BYTES = BEHIND_FIRST + TEXT_LENGTH_BYTES + 2 * COUNT_BYTES;
