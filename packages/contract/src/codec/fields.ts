import { decodeIdInto, type IdPrefix } from "#domain";
import type { ColumnType } from "./transaction-columns.ts";

/*
 * Fields in the notation of PostgreSQL's binary copy: the length of the value in four bytes, big-endian, and
 * then the value. A null has only the length, -1.
 */

/** The length of a null. */
export const NULL = -1;
/** Postgres counts microseconds from 2000-01-01, not from 1970. */
const EPOCH_2000_MS = Date.UTC(2000, 0, 1);
const TWO_TO_32 = 2 ** 32;
const UTF8_BYTES_PER_UNIT = 3;
/** The largest length in two bytes. */
export const SHORT_TEXT_BYTES = 0xffff;

/**
 * Writes fields, each after its length; methods named `plain…` write no length. Each method makes room
 * itself, so that no caller can forget it.
 */
export class FieldWriter {
  #buffer: Buffer;
  #at = 0;

  /** @param buffer the first buffer; a larger one replaces it when it is full */
  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#at;
  }

  written(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }

  field(type: ColumnType, value: string | number | null): void {
    if (value === null) this.int4(NULL);
    else this[type](value as never);
  }

  /** Writes a field that is bytes already. */
  bytes(source: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start);
    this.#at += source.copy(this.#buffer, this.#at, start, end);
  }

  /** The same for few bytes: a call out of JavaScript costs more than copying them here. */
  fewBytes(source: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start);
    const buffer = this.#buffer;
    let at = this.#at;
    for (let from = start; from < end; from++) buffer[at++] = source[from] as number;
    this.#at = at;
  }

  /** Not a field: only the number. */
  int1(value: number): void {
    this.#makeRoom(1);
    this.#at = this.#buffer.writeUInt8(value, this.#at);
  }

  /** Not a field: only the number. */
  int2(value: number): void {
    this.#makeRoom(2);
    this.#at = this.#buffer.writeInt16BE(value, this.#at);
  }

  /** Not a field: only the number. */
  int4(value: number): void {
    this.#makeRoom(4);
    this.#length(value);
  }

  /** Overwrites a number. */
  setInt4(at: number, value: number): void {
    this.#buffer.writeInt32BE(value, at);
  }

  /** A number that JavaScript holds exactly. */
  int8(value: number): void {
    this.int4(8);
    this.plainInt8(value);
  }

  plainInt8(value: number): void {
    this.#makeRoom(8);
    const high = Math.floor(value / TWO_TO_32);
    this.#at = this.#buffer.writeInt32BE(high, this.#at);
    this.#at = this.#buffer.writeUInt32BE(value - high * TWO_TO_32, this.#at);
  }

  uuid(value: string): void {
    this.int4(16);
    this.plainUuid(value);
  }

  plainUuid(value: string): void {
    this.#makeRoom(16);
    this.#hex(value, 0, 8);
    this.#hex(value, 9, 13);
    this.#hex(value, 14, 18);
    this.#hex(value, 19, 23);
    this.#hex(value, 24, 36);
  }

  /** The UUID of an id; null if `decodeId` refuses it. */
  id(prefix: IdPrefix, id: string): void {
    this.#makeRoom(4 + 16);
    const isId = decodeIdInto(prefix, id, this.#buffer, this.#at + 4);
    this.#length(isId ? 16 : NULL);
    if (isId) this.#at += 16;
  }

  text(value: string): void {
    this.#makeRoom(4 + value.length * UTF8_BYTES_PER_UNIT);
    const written = this.#utf8(value, this.#at + 4);
    this.#length(written);
    this.#at += written;
  }

  /** A text with a length of two bytes. @throws RangeError if it is longer */
  shortText(value: string): void {
    this.#makeRoom(2 + value.length * UTF8_BYTES_PER_UNIT);
    const written = this.#utf8(value, this.#at + 2);
    if (written > SHORT_TEXT_BYTES) throw new RangeError("a text is too long");
    this.#at = this.#buffer.writeUInt16BE(written, this.#at) + written;
  }

  /** @param value a text for which `isUtc` holds; digits past the microsecond are cut */
  timestamptz(value: string): void {
    this.int8(since2000(value));
  }

  /** @param value as `timestamptz` */
  plainTimestamptz(value: string): void {
    this.plainInt8(since2000(value));
  }

  /** @param value lower-case hex */
  bytea(value: string): void {
    this.int4(value.length / 2);
    this.plainBytea(value);
  }

  plainBytea(value: string): void {
    this.#makeRoom(value.length / 2);
    this.#hex(value, 0, value.length);
  }

  /**
   * Writes UTF-8 and returns its number of bytes. Most texts are short and ASCII; for those, a call out of
   * JavaScript costs more than the copy.
   */
  #utf8(value: string, start: number): number {
    return this.#ascii(value, start) ? value.length : this.#buffer.write(value, start);
  }

  #length(value: number): void {
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  #hex(digits: string, start: number, end: number): void {
    const buffer = this.#buffer;
    let at = this.#at;
    for (let i = start; i < end; i += 2) {
      const high = HEX_VALUES[digits.charCodeAt(i)] as number;
      buffer[at++] = (high << 4) | (HEX_VALUES[digits.charCodeAt(i + 1)] as number);
    }
    this.#at = at;
  }

  /** False if the text is not ASCII; the bytes written until then mean nothing. */
  #ascii(value: string, start: number): boolean {
    const buffer = this.#buffer;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      buffer[start + i] = code;
    }
    return true;
  }
}

/** Microseconds between 2000 and a moment. @param milliseconds since 1970 */
export function microsecondsOf2000(milliseconds: number): number {
  return (milliseconds - EPOCH_2000_MS) * 1000;
}

function since2000(timestamp: string): number {
  const seconds = Date.UTC(
    decimal(timestamp, 0, 4),
    decimal(timestamp, 5, 7) - 1,
    decimal(timestamp, 8, 10),
    decimal(timestamp, 11, 13),
    decimal(timestamp, 14, 16),
    decimal(timestamp, 17, 19),
  );
  return microsecondsOf2000(seconds) + microsecondsIn(timestamp);
}

/** The microseconds in the fraction of a second, which has none to nine digits. */
function microsecondsIn(timestamp: string): number {
  const end = Math.min(timestamp.length - 1, FRACTION_END);
  return end > FRACTION ? decimal(timestamp, FRACTION, end) * 10 ** (FRACTION_END - end) : 0;
}

export function uuidAt(buffer: Buffer, at: number): string {
  const hex = buffer.toString("hex", at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** `2026-01-31T09:30:00.123456Z` */
export function timestampAt(buffer: Buffer, at: number): string {
  const since2000 = int8At(buffer, at);
  const day = Math.floor(since2000 / DAY_US);
  const us = since2000 - day * DAY_US;
  const seconds = Math.floor(us / 1_000_000);
  const minutes = Math.floor(seconds / 60);
  const hour = TWO_DIGITS[Math.floor(minutes / 60)];
  const time = `${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${dateOf(day)}T${time}.${String(us % 1_000_000).padStart(6, "0")}Z`;
}

/** Milliseconds since 1970, rounded down. */
export function millisecondsAt(buffer: Buffer, at: number): number {
  return Math.floor(int8At(buffer, at) / 1000) + EPOCH_2000_MS;
}

/** Microseconds since 1970. */
export function microsecondsAt(buffer: Buffer, at: number): number {
  return int8At(buffer, at) + EPOCH_2000_MS * 1000;
}

/** The first moment after the last that an event or a record may name: their years are 2000 to 2100. */
const INSTANT_END = microsecondsOf2000(Date.UTC(2101, 0, 1));

/** Whether the eight bytes are a moment that an event or a record may name. */
export function isInstantAt(buffer: Buffer, at: number): boolean {
  const instant = int8At(buffer, at);
  return instant >= 0 && instant < INSTANT_END;
}

const DAY_MS = 86_400_000;
const DAY_US = DAY_MS * 1000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Most timestamps are from a few days, and a calendar is slow. */
const dates = new Map<number, string>();
const DATES_MAX = 1000;

function dateOf(day: number): string {
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(EPOCH_2000_MS + day * DAY_MS).toISOString().slice(0, 10);
    if (dates.size >= DATES_MAX) dates.clear();
    dates.set(day, date);
  }
  return date;
}

export function int8At(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * TWO_TO_32 + buffer.readUInt32BE(at + 4);
}

/** Character code → value of the hex digit. */
const HEX_VALUES = new Uint8Array(128);
for (const [value, digit] of [..."0123456789abcdef"].entries()) HEX_VALUES[digit.charCodeAt(0)] = value;

const DIGIT_0 = 48;
/** The first digit of the fraction of a second, and the end of the six digits that are kept. */
const FRACTION = 20;
const FRACTION_END = 26;

function decimal(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 10 + text.charCodeAt(i) - DIGIT_0;
  return value;
}
