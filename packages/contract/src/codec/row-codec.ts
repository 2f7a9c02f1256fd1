import type { StoredTransaction } from "#domain";
import { FieldWriter, int8At, microsecondsAt, NULL, timestampAt, uuidAt } from "./fields.ts";
import { type Packed, piecesAt } from "./packed.ts";
import {
  type ColumnType,
  type MadeField,
  TRANSACTION_COLUMNS,
  type TransactionColumn,
} from "./transaction-columns.ts";

/*
 * Transactions as tuples of PostgreSQL's binary copy (its manual, "Binary Format" under COPY): a field is its
 * length and its bytes. The server reads a tuple in 1.3 µs, and the same as JSON in 9 µs. The few tuples that
 * need a decision of their own are read back here.
 */

const COLUMNS: readonly TransactionColumn[] = TRANSACTION_COLUMNS;

/** Columns that the event contains are adjacent, so that they are copied as one piece. */
const FIRST_SENT = COLUMNS.findIndex(({ made }) => made === undefined);
const LAST_SENT = COLUMNS.findLastIndex(({ made }) => made === undefined);
/** In the order of the columns. */
export const SENT_COLUMNS: readonly TransactionColumn[] = COLUMNS.slice(FIRST_SENT, LAST_SENT + 1);
const BEFORE_SENT = COLUMNS.slice(0, FIRST_SENT) as readonly MadeColumn[];
const BEHIND_SENT = COLUMNS.slice(LAST_SENT + 1) as readonly MadeColumn[];

/** The fields that ingest adds to those of an event. */
export type MadeFields = Pick<StoredTransaction, MadeField>;
type MadeColumn = TransactionColumn & { readonly field: keyof MadeFields };

/** Comes before the tuples of a copy. */
export const COPY_HEADER: Uint8Array = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
/** Comes after the tuples of a copy. */
export const COPY_TRAILER: Uint8Array = Buffer.from([0xff, 0xff]);

/** Enough for most tuples, so that the buffer need not grow. */
const TUPLE_BYTES = 400;

/** The number of columns, in front of a tuple, and the length in front of each of its fields. */
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

export function packRows(rows: readonly StoredTransaction[]): Packed {
  const packer = new RowPacker(rows.length);
  for (const row of rows) packer.row(row);
  return packer.packed();
}

/** Reads back one tuple. */
export function rowAt(rows: Packed, index: number): StoredTransaction {
  const reader = new TupleReader(piecesAt(rows, index, index));
  const row: Record<string, string | number | null> = {};
  for (const { field, type } of COLUMNS) row[field] = reader[type]();
  return row as unknown as StoredTransaction;
}

const matches = (form: RegExp) => (value: unknown) => typeof value === "string" && form.test(value);

/** Whether a value of JSON is one of the column's type, in the form that rows have in memory. */
const IS_VALUE: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  uuid: matches(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  // No half of a surrogate pair.
  text: matches(/^\P{Surrogate}*$/u),
  // Beyond the safe ones too: the database refuses what is too large, and its event alone is dead.
  int8: Number.isInteger,
  timestamptz: matches(/^2\d{3}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{6}Z$/),
  bytea: matches(/^([0-9a-f]{2})*$/),
};

/**
 * A row that was stored as JSON, perhaps before one of its columns existed: missing columns are null.
 * @throws RangeError if it lacks a required column, or a value is none of its column
 */
export function completeRow(kept: Partial<StoredTransaction>): StoredTransaction {
  const row: Record<string, string | number | null> = {};
  for (const { field, type, nullable } of COLUMNS) {
    const value = kept[field] ?? null;
    if (value === null && nullable === undefined) throw new RangeError(`a row without ${field}`);
    if (value !== null && !IS_VALUE[type](value)) throw new RangeError(`a row with another ${field}`);
    row[field] = value;
  }
  return row as unknown as StoredTransaction;
}

const AUTHED_AT = COLUMNS.findIndex(({ name }) => name === "authed_at");

/** The `authed_at` of one tuple, in microseconds since 1970. Reads nothing else of it. */
export function authedAtOf(rows: Packed, index: number): number {
  const { buffer, byteOffset, byteLength } = piecesAt(rows, index, index);
  const tuple = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  let at = COUNT_BYTES;
  for (let column = 0; column < AUTHED_AT; column++) at += LENGTH_BYTES + Math.max(0, tuple.readInt32BE(at));
  return microsecondsAt(tuple, at + LENGTH_BYTES);
}

/** Writes tuples one after the other. */
export class RowPacker {
  readonly #writer: FieldWriter;
  readonly #ends: Uint32Array;
  #count = 0;

  constructor(count: number) {
    // Not from Node's pool: the buffer goes to another thread, and would take its neighbours in the pool along.
    this.#writer = new FieldWriter(Buffer.allocUnsafeSlow(count * TUPLE_BYTES));
    this.#ends = new Uint32Array(count);
  }

  row(row: StoredTransaction): void {
    this.#writer.int2(COLUMNS.length);
    for (const { field, type } of COLUMNS) this.#writer.field(type, row[field]);
    this.#end();
  }

  /** @param sent bytes that hold the fields of `SENT_COLUMNS` from `start` to `end` */
  sent(made: MadeFields, sent: Buffer, start: number, end: number): void {
    this.#writer.int2(COLUMNS.length);
    for (const { field, type } of BEFORE_SENT) this.#writer.field(type, made[field]);
    this.#writer.bytes(sent, start, end);
    for (const { field, type } of BEHIND_SENT) this.#writer.field(type, made[field]);
    this.#end();
  }

  packed(): Packed {
    return { bytes: this.#writer.written(), ends: this.#ends };
  }

  #end(): void {
    this.#ends[this.#count++] = this.#writer.length;
  }
}

/** Reads fields in their order; null if the length is that of a null. */
class TupleReader {
  readonly #buffer: Buffer;
  #at = COUNT_BYTES;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#buffer = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  }

  int8(): number | null {
    const at = this.#next();
    return at < 0 ? null : int8At(this.#buffer, at);
  }

  uuid(): string | null {
    const at = this.#next();
    return at < 0 ? null : uuidAt(this.#buffer, at);
  }

  text(): string | null {
    const at = this.#next();
    return at < 0 ? null : this.#buffer.toString("utf8", at, this.#at);
  }

  timestamptz(): string | null {
    const at = this.#next();
    return at < 0 ? null : timestampAt(this.#buffer, at);
  }

  bytea(): string | null {
    const at = this.#next();
    return at < 0 ? null : this.#buffer.toString("hex", at, this.#at);
  }

  /** Returns the position of the next field's value, and moves past the value; -1 if it is null. */
  #next(): number {
    const length = this.#buffer.readInt32BE(this.#at);
    const start = this.#at + LENGTH_BYTES;
    this.#at = length === NULL ? start : start + length;
    return length === NULL ? -1 : start;
  }
}
