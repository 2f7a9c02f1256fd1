/*
 * Records for the platform (`PlatformRecord` says what each says), as they travel. It is never made a text: ingest copies
 * them out of what the edge has sent, and the platform drops nine of ten at their merchant id. docs/platform-api.md explains the
 * layout to those who read it with a program of their own.
 *
 *   message   version (1 byte), one record or more
 *   record    its length without these (4 bytes), transaction id (16), parts that it has (1), authed_at (8), identifier over six
 *             digits (32), identifier over eight (32), cleared_at (8), reverted_at (8), merchant_id, statement_descriptor, clips,
 *             enrolments
 *   text      its length (2 bytes), UTF-8
 *   instant   microseconds since 2000-01-01T00:00:00Z
 *   links     how many (2 bytes), and of each the id of the clip or stamp collection (16), and of the deal or program (16)
 *
 * Numbers are big-endian, without a sign.
 */

/** The first byte of a message. To be raised whenever what follows it is laid out otherwise. Version 1 was JSON. */
export const RECORDS_VERSION = 2;

/** Bits of the byte that says which parts a record has. What has no bit here every record has. */
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
/** How a record without links ends: with two counts. */
export const NO_LINKS_BYTES = 2 * COUNT_BYTES;

/* From where a record's transaction id begins. */
export const PARTS_AT = UUID_BYTES;
export const AUTHED_AT = PARTS_AT + 1;
export const IDENTIFIERS_AT = AUTHED_AT + INSTANT_BYTES;
export const BEHIND_FIRST = IDENTIFIERS_AT + IDENTIFIER_BYTES;
export const LEAST_BYTES = BEHIND_FIRST + TEXT_LENGTH_BYTES + 2 * COUNT_BYTES;
