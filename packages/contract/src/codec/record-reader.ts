import { isUtf8 } from "node:buffer";
import { encodeId } from "#domain";
import type { PlatformRecord } from "../schemas/platform-messages.ts";
import { isInstantAt, microsecondsAt, timestampAt, uuidAt } from "./fields.ts";
import {
  AUTHED_AT,
  BEHIND_FIRST,
  COUNT_BYTES,
  HAS_ALL,
  HAS_CLEARED_AT,
  HAS_DESCRIPTOR,
  HAS_REVERTED_AT,
  HAS_SECOND,
  IDENTIFIER_BYTES,
  IDENTIFIERS_AT,
  INSTANT_BYTES,
  LEAST_BYTES,
  LENGTH_BYTES,
  LINK_BYTES,
  NO_LINKS_BYTES,
  PARTS_AT,
  RECORDS_VERSION,
  TEXT_LENGTH_BYTES,
  UUID_BYTES,
  VERSION_BYTES,
} from "./record-layout.ts";
import type { Same } from "./transaction-columns.ts";

/** Why a record is invalid. The others of its message can still be read. */
export class RecordFault extends RangeError {
  override readonly name = "RecordFault";
  /** The field of a `PlatformRecord`; empty: the whole record. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** JSON may begin with white space. */
const WHITE_SPACE = new Set([9, 10, 13]);
/** Other bytes below this one begin no JSON: they are versions, current or later ones. */
const FIRST_PRINTABLE = 32;

/** The version of a binary message with records; undefined: the message is not binary. */
export function recordsVersionOf([first]: Uint8Array): number | undefined {
  if (first === undefined || first < RECORDS_VERSION || first >= FIRST_PRINTABLE) return undefined;
  return WHITE_SPACE.has(first) ? undefined : first;
}

/**
 * Reads the records of a message one after the other, in place. `next` checks a whole record, so that later
 * reads stay within it and give valid values. Nothing is decoded unless it is asked for.
 */
export class RecordReader {
  /** Microseconds since 1970. */
  authedAt = 0;
  isCleared = false;
  isReverted = false;
  hasLinks = false;
  readonly #bytes: Buffer;
  /** The position of the next record. */
  #position = VERSION_BYTES;
  #begin = 0;
  #parts = 0;
  #clearedAt = 0;
  #revertedAt = 0;
  #merchantStart = 0;
  #merchantEnd = 0;
  #descriptorStart = 0;
  #descriptorEnd = 0;
  #clipsAt = 0;
  #enrolmentsAt = 0;

  /** @throws RangeError unless it has this version and consists of records to its last byte */
  constructor(message: Uint8Array) {
    this.#bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    if (this.#bytes[0] !== RECORDS_VERSION) throw new RangeError("a message of another version");
    let at = VERSION_BYTES;
    do at += LENGTH_BYTES + this.#bytes.readUInt32BE(at);
    while (at < this.#bytes.length);
    if (at > this.#bytes.length) throw new RangeError("the last record is cut off");
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** Moves to the next record. @throws RecordFault if it is invalid; the one after it can then be read */
  next(): void {
    const bytes = this.#bytes;
    const begin = this.#position + LENGTH_BYTES;
    const end = begin + bytes.readUInt32BE(this.#position);
    this.#begin = begin;
    this.#position = end;
    if (end - begin < LEAST_BYTES) throw cutOff();
    const parts = bytes[begin + PARTS_AT] as number;
    if (parts > HAS_ALL) throw new RecordFault("", "must not have parts that are not known");
    this.#parts = parts;
    this.#checkInstant(begin + AUTHED_AT, "/authed_at");
    this.authedAt = microsecondsAt(bytes, begin + AUTHED_AT);
    let at = begin + BEHIND_FIRST;
    if ((parts & HAS_SECOND) !== 0) at += IDENTIFIER_BYTES;
    this.#clearedAt = at;
    this.isCleared = (parts & HAS_CLEARED_AT) !== 0;
    if (this.isCleared) at += INSTANT_BYTES;
    this.#revertedAt = at;
    this.isReverted = (parts & HAS_REVERTED_AT) !== 0;
    if (this.isReverted) at += INSTANT_BYTES;
    if (at + TEXT_LENGTH_BYTES > end) throw cutOff();
    if (this.isCleared) this.#checkInstant(this.#clearedAt, "/cleared_at");
    if (this.isReverted) this.#checkInstant(this.#revertedAt, "/reverted_at");
    this.#merchantStart = at + TEXT_LENGTH_BYTES;
    this.#merchantEnd = at = this.#endOfText(at, end, "/merchant_id");
    if ((parts & HAS_DESCRIPTOR) !== 0) {
      this.#descriptorStart = at + TEXT_LENGTH_BYTES;
      this.#descriptorEnd = at = this.#endOfText(at, end, "/statement_descriptor");
    }
    this.#clipsAt = at;
    this.#enrolmentsAt = at = this.#endOfLinks(at, end);
    at = this.#endOfLinks(at, end);
    if (at !== end) throw new RecordFault("", "must end with its last part");
    this.hasLinks = end - this.#clipsAt > NO_LINKS_BYTES;
  }

  /** UUID. */
  transactionId(): string {
    return uuidAt(this.#bytes, this.#begin);
  }

  /** The same for an invalid record; undefined: even the id is cut off. */
  transactionIdIfAny(): string | undefined {
    return this.#position - this.#begin < UUID_BYTES ? undefined : this.transactionId();
  }

  /** Whether a filter accepts its merchant id, which the filter reads in place. */
  mayBeOf(filter: { mayHave(bytes: Uint8Array, start: number, end: number): boolean }): boolean {
    return filter.mayHave(this.#bytes, this.#merchantStart, this.#merchantEnd);
  }

  merchantId(): string {
    return this.#bytes.toString("utf8", this.#merchantStart, this.#merchantEnd);
  }

  statementDescriptor(): string | null {
    if ((this.#parts & HAS_DESCRIPTOR) === 0) return null;
    return this.#bytes.toString("utf8", this.#descriptorStart, this.#descriptorEnd);
  }

  /** One or two, the one over six digits first. */
  identifiers(): string[] {
    const second = this.#begin + BEHIND_FIRST;
    const identifiers = [this.#bytes.toString("hex", this.#begin + IDENTIFIERS_AT, second)];
    if ((this.#parts & HAS_SECOND) !== 0) {
      identifiers.push(this.#bytes.toString("hex", second, second + IDENTIFIER_BYTES));
    }
    return identifiers;
  }

  /** UUIDs of its clips, with those of their deals. */
  clips(): ReadonlyMap<string, string> {
    return new Map(this.#links(this.#clipsAt, (id, dealId) => [id, dealId]));
  }

  /** UUIDs of its stamp collections, with those of their programs. */
  enrolments(): ReadonlyMap<string, string> {
    return new Map(this.#links(this.#enrolmentsAt, (id, programId) => [id, programId]));
  }

  /** The whole record. */
  record() {
    const bytes = this.#bytes;
    const begin = this.#begin;
    const statement_descriptor = this.statementDescriptor();
    return {
      transaction_id: encodeId("tx", uuidAt(bytes, begin)),
      identifiers: this.identifiers(),
      merchant_id: this.merchantId(),
      ...(statement_descriptor !== null && { statement_descriptor }),
      authed_at: timestampAt(bytes, begin + AUTHED_AT),
      ...(this.isCleared && { cleared_at: timestampAt(bytes, this.#clearedAt) }),
      ...(this.isReverted && { reverted_at: timestampAt(bytes, this.#revertedAt) }),
      clips: this.#links(this.#clipsAt, (id, dealId) => ({
        clip_id: encodeId("clip", id),
        deal_id: encodeId("deal", dealId),
      })),
      enrolments: this.#links(this.#enrolmentsAt, (id, programId) => ({
        stamp_collection_id: encodeId("sc", id),
        loyalty_program_id: encodeId("lp", programId),
      })),
    };
  }

  #checkInstant(at: number, path: string): void {
    if (!isInstantAt(this.#bytes, at)) throw new RecordFault(path, "must be of the years 2000 to 2100");
  }

  /** @param at the position of its length */
  #endOfText(at: number, end: number, path: string): number {
    const bytes = this.#bytes;
    if (at + TEXT_LENGTH_BYTES > end) throw cutOff();
    const start = at + TEXT_LENGTH_BYTES;
    const textEnd = start + bytes.readUInt16BE(at);
    if (textEnd > end) throw cutOff();
    for (let i = start; i < textEnd; i++) {
      const byte = bytes[i] as number;
      if (byte !== 0 && byte < 128) continue;
      const rest = bytes.subarray(i, textEnd);
      if (!rest.includes(0) && isUtf8(rest)) break;
      throw new RecordFault(path, "must be UTF-8 without NUL");
    }
    return textEnd;
  }

  /** @param at the position of their count */
  #endOfLinks(at: number, end: number): number {
    if (at + COUNT_BYTES > end) throw cutOff();
    const linksEnd = at + COUNT_BYTES + this.#bytes.readUInt16BE(at) * LINK_BYTES;
    if (linksEnd > end) throw cutOff();
    return linksEnd;
  }

  #links<T>(at: number, make: (id: string, targetId: string) => T): T[] {
    const bytes = this.#bytes;
    const made: T[] = [];
    const count = bytes.readUInt16BE(at);
    for (let i = 0, link = at + COUNT_BYTES; i < count; i++, link += LINK_BYTES) {
      made.push(make(uuidAt(bytes, link), uuidAt(bytes, link + UUID_BYTES)));
    }
    return made;
  }
}

/** Does not compile if `record` lacks a field. */
export const EVERY_FIELD_IS_READ: Same<keyof ReturnType<RecordReader["record"]>, keyof PlatformRecord> = true;

function cutOff(): RecordFault {
  return new RecordFault("", "must be as long as its parts");
}

/**
 * All records of a message.
 * @throws RangeError if it is no such message, or one of its records is invalid
 */
export function decodeRecords(message: Uint8Array): PlatformRecord[] {
  const reader = new RecordReader(message);
  const records: PlatformRecord[] = [];
  while (!reader.isAtEnd) {
    reader.next();
    records.push(reader.record());
  }
  return records;
}
