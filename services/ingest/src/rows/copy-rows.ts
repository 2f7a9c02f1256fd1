import type { EventRow } from "#publisher-db";

/*
 * Rows in the binary format of `copy` (PostgreSQL manual, "Binary Format" under COPY), for `staged_events`. The server
 * reads them at 1.3 µs a row where the same rows as JSON take 9 µs.
 */

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const COLUMNS = 16;
/** The length of a null. */
const NULL = -1;
/** Postgres counts microseconds from 2000-01-01, not from 1970. */
const EPOCH_2000_MS = Date.UTC(2000, 0, 1);
const TWO_TO_32 = 2 ** 32;
/** Everything of fixed width with its length words, and three bytes for each UTF-16 unit of what varies. */
const FIXED_BYTES = 400;
const UTF8_BYTES_PER_UNIT = 3;

/** The columns are those of `STAGED_COLUMNS`, in its order. */
export function encodeCopyRows(rows: readonly EventRow[]): Uint8Array {
  const writer = new CopyWriter(sizeBound(rows));
  for (const row of rows) {
    writer.int16(COLUMNS);
    writer.int32(row.ord);
    writer.uuid(row.id);
    writer.uuid(row.organisation_id);
    writer.uuid(row.member_id);
    writer.text(row.external_id);
    writer.text(row.state);
    writer.text(row.network);
    writer.text(row.merchant_id);
    writer.text(row.statement_descriptor);
    writer.int64(row.amount);
    writer.text(row.currency);
    writer.timestamp(row.authed_at);
    writer.timestamp(row.cleared_at);
    writer.timestamp(row.reverted_at);
    writer.bytes(row.identifier_6);
    writer.bytes(row.identifier_8);
  }
  return writer.finish();
}

function sizeBound(rows: readonly EventRow[]): number {
  let bytes = SIGNATURE.length + 2;
  for (const row of rows) {
    const units = row.external_id.length + row.merchant_id.length + (row.statement_descriptor?.length ?? 0);
    bytes += FIXED_BYTES + units * UTF8_BYTES_PER_UNIT;
  }
  return bytes;
}

/** Writes fields, each with its length before it. */
class CopyWriter {
  readonly #buffer: Buffer;
  #at: number;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafeSlow(size);
    SIGNATURE.copy(this.#buffer);
    this.#at = SIGNATURE.length;
  }

  int16(value: number): void {
    this.#at = this.#buffer.writeInt16BE(value, this.#at);
  }

  int32(value: number): void {
    this.#length(4);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  /** A number that JavaScript holds exactly. */
  int64(value: number | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      this.#length(8);
      const high = Math.floor(value / TWO_TO_32);
      this.#at = this.#buffer.writeInt32BE(high, this.#at);
      this.#at = this.#buffer.writeUInt32BE(value - high * TWO_TO_32, this.#at);
    }
  }

  uuid(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      this.#length(16);
      this.#hex(value, 0, 8);
      this.#hex(value, 9, 13);
      this.#hex(value, 14, 18);
      this.#hex(value, 19, 23);
      this.#hex(value, 24, 36);
    }
  }

  text(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
      return;
    }
    const start = this.#at + 4;
    // Most are short and ASCII, and then the way out of JavaScript costs more than the copy.
    const written = this.#ascii(value, start) ? value.length : this.#buffer.write(value, start);
    this.#length(written);
    this.#at += written;
  }

  /** @param value `2026-01-31T09:30:00.123456Z` */
  timestamp(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      const seconds = Date.UTC(
        decimal(value, 0, 4),
        decimal(value, 5, 7) - 1,
        decimal(value, 8, 10),
        decimal(value, 11, 13),
        decimal(value, 14, 16),
        decimal(value, 17, 19),
      );
      this.int64((seconds - EPOCH_2000_MS) * 1000 + decimal(value, 20, 26));
    }
  }

  /** @param value `\x…` */
  bytes(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      this.#length((value.length - 2) / 2);
      this.#hex(value, 2, value.length);
    }
  }

  finish(): Uint8Array {
    this.int16(-1);
    return this.#buffer.subarray(0, this.#at);
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

  /** False, with rubbish written, if it is not ASCII. */
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

/** Character code → value of the hex digit. */
const HEX_VALUES = new Uint8Array(128);
for (const [value, digit] of [..."0123456789abcdef"].entries()) HEX_VALUES[digit.charCodeAt(0)] = value;

const DIGIT_0 = 48;

function decimal(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 10 + text.charCodeAt(i) - DIGIT_0;
  return value;
}
