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

/** The first byte of a message. Raise it with every change of the layout after it. Version 1 was JSON. */
export const RECORDS_VERSION = 2;

/** Bits of the byte that names the parts of a record. Every record has the parts without a bit. */
export const HAS_SECOND = 1;
export const HAS_CLEARED_AT = 2;
export const HAS_REVERTED_AT = 4;
export const HAS_DESCRIPTOR = 8;
export const HAS_ALL = HAS_SECOND | HAS_CLEARED_AT | HAS_REVERTED_AT | HAS_DESCRIPTOR;

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
