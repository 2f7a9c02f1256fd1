import { FieldWriter, SHORT_TEXT_BYTES } from "./fields.ts";
import { type EventReader, placeOf } from "./ingest-codec.ts";
import type { Packed } from "./packed.ts";
import {
  HAS_CLEARED_AT,
  HAS_DESCRIPTOR,
  HAS_REVERTED_AT,
  HAS_SECOND,
  INSTANT_BYTES,
  LENGTH_BYTES,
  LINK_BYTES,
  NO_LINKS_BYTES,
  type Published,
  type PublishedMade,
  type PublishedSent,
  RECORDS_VERSION,
  TEXT_LENGTH_BYTES,
  VERSION_BYTES,
} from "./record-layout.ts";

/** Enough for most records without links, so that the buffer need not grow. */
const RECORD_BYTES = 160;

/** The record of a transaction, without links. @throws RangeError if a text is too long */
export function writeRecord(transaction: Published): Uint8Array {
  const writer = new FieldWriter(Buffer.allocUnsafe(RECORD_BYTES));
  writeRow(writer, transaction);
  return writer.written();
}

function writeRow(writer: FieldWriter, transaction: Published): void {
  const { clearedAt, revertedAt, statementDescriptor } = transaction;
  const begin = beginRecord(
    writer,
    transaction,
    (clearedAt === null ? 0 : HAS_CLEARED_AT) |
      (revertedAt === null ? 0 : HAS_REVERTED_AT) |
      (statementDescriptor === null ? 0 : HAS_DESCRIPTOR),
  );
  writer.plainTimestamptz(transaction.authedAt);
  writeIdentifiers(writer, transaction);
  if (clearedAt !== null) writer.plainTimestamptz(clearedAt);
  if (revertedAt !== null) writer.plainTimestamptz(revertedAt);
  writer.shortText(transaction.merchantId);
  if (statementDescriptor !== null) writer.shortText(statementDescriptor);
  endRecord(writer, begin);
}

/** @returns its position: its length is known at its end */
function beginRecord(writer: FieldWriter, { id, identifier8 }: PublishedMade, parts: number): number {
  const begin = writer.length;
  writer.int4(0);
  writer.plainUuid(id);
  writer.int1(parts | (identifier8 === null ? 0 : HAS_SECOND));
  return begin;
}

function writeIdentifiers(writer: FieldWriter, { identifier6, identifier8 }: PublishedMade): void {
  writer.plainBytea(identifier6);
  if (identifier8 !== null) writer.plainBytea(identifier8);
}

function endRecord(writer: FieldWriter, begin: number): void {
  writer.int2(0);
  writer.int2(0);
  writer.setInt4(begin, writer.length - begin - LENGTH_BYTES);
}

const SENT = {
  merchantId: placeOf("merchantId"),
  statementDescriptor: placeOf("statementDescriptor"),
  authedAt: placeOf("authedAt"),
  clearedAt: placeOf("clearedAt"),
  revertedAt: placeOf("revertedAt"),
} satisfies Record<PublishedSent, number>;

/**
 * Writes records of members without links, one after the other; links are known only after the commit
 * (`linkRecord`). It names each field, so that no other field gets in.
 */
export class RecordPacker {
  readonly #writer: FieldWriter;
  readonly #ends: Uint32Array;
  #count = 0;

  constructor(count: number) {
    // Not from Node's pool, as in `RowPacker`.
    this.#writer = new FieldWriter(Buffer.allocUnsafeSlow(count * RECORD_BYTES));
    this.#ends = new Uint32Array(count);
  }

  /** The number of records written. */
  get count(): number {
    return this.#count;
  }

  /** @throws RangeError if a text is too long */
  row(transaction: Published): void {
    writeRow(this.#writer, transaction);
    this.#ends[this.#count++] = this.#writer.length;
  }

  /**
   * The same for an event, read from its message.
   * @param reader positioned at the event
   * @throws RangeError if a text is too long
   */
  sent(made: PublishedMade, reader: EventReader): void {
    const isCleared = !reader.isNull(SENT.clearedAt);
    const isReverted = !reader.isNull(SENT.revertedAt);
    const isDescribed = !reader.isNull(SENT.statementDescriptor);
    const writer = this.#writer;
    const begin = beginRecord(
      writer,
      made,
      (isCleared ? HAS_CLEARED_AT : 0) |
        (isReverted ? HAS_REVERTED_AT : 0) |
        (isDescribed ? HAS_DESCRIPTOR : 0),
    );
    this.#sentInstant(reader, SENT.authedAt);
    writeIdentifiers(writer, made);
    if (isCleared) this.#sentInstant(reader, SENT.clearedAt);
    if (isReverted) this.#sentInstant(reader, SENT.revertedAt);
    this.#sentText(reader, SENT.merchantId);
    if (isDescribed) this.#sentText(reader, SENT.statementDescriptor);
    endRecord(writer, begin);
    this.#ends[this.#count++] = writer.length;
  }

  packed(): Packed {
    return { bytes: this.#writer.written(), ends: this.#ends };
  }

  #sentInstant(reader: EventReader, place: number): void {
    const start = reader.startOf(place);
    this.#writer.fewBytes(reader.bytes, start, start + INSTANT_BYTES);
  }

  /** The length has four bytes there and two here: the last two are the length. */
  #sentText(reader: EventReader, place: number): void {
    const start = reader.startOf(place);
    const end = reader.endOf(place);
    if (end - start > SHORT_TEXT_BYTES) throw new RangeError("a text is too long");
    this.#writer.fewBytes(reader.bytes, start - TEXT_LENGTH_BYTES, end);
  }
}

/** The links that count for a purchase. UUIDs. */
export interface RecordLinks {
  readonly clips: readonly { readonly id: string; readonly dealId: string }[];
  readonly enrolments: readonly { readonly id: string; readonly loyaltyProgramId: string }[];
}

/** @param record without links, as `RecordPacker` writes it */
export function linkRecord(record: Uint8Array, { clips, enrolments }: RecordLinks): Uint8Array {
  const links = clips.length + enrolments.length;
  const writer = new FieldWriter(Buffer.allocUnsafe(record.length + links * LINK_BYTES));
  const { buffer, byteOffset, byteLength } = record;
  writer.bytes(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), 0, byteLength - NO_LINKS_BYTES);
  writer.int2(clips.length);
  for (const { id, dealId } of clips) {
    writer.plainUuid(id);
    writer.plainUuid(dealId);
  }
  writer.int2(enrolments.length);
  for (const { id, loyaltyProgramId } of enrolments) {
    writer.plainUuid(id);
    writer.plainUuid(loyaltyProgramId);
  }
  writer.setInt4(0, writer.length - LENGTH_BYTES);
  return writer.written();
}

/** @param records one or more, each separately or joined with adjacent ones */
export function packRecordMessage(records: readonly Uint8Array[]): Uint8Array {
  const message = Buffer.allocUnsafe(records.reduce((sum, { length }) => sum + length, VERSION_BYTES));
  message.writeUInt8(RECORDS_VERSION, 0);
  let at = VERSION_BYTES;
  for (const bytes of records) {
    message.set(bytes, at);
    at += bytes.length;
  }
  return message;
}
