import { open } from "node:fs/promises";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
  type TimeUnit,
} from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { CommandError } from "../command-error.ts";
import type { SourceRow } from "./source-row.ts";

/** Rows that are decoded at a time, of a file with an offset index, as most writers add: only their pages are read. */
const INDEXED_ROWS = 10_000;
/** Of a file without one: each time all bytes of the row group are read, and the pages before these rows skipped. */
const UNINDEXED_ROWS = 50_000;
/** Rows that are handed over at a time, so that these are not held while the next ones are decoded. */
const HANDED_ROWS = 1_000;

interface ParquetFile {
  readonly path: string;
  /** How many rows there are. */
  readonly rows: number;
  readonly columns: readonly string[];
  /**
   * Reads these columns, part of a row group by part of a row group. Decimals and timestamps come as text, exactly.
   * @param skip rows at the beginning that are left out
   */
  read(columns: readonly string[], skip: number): AsyncGenerator<SourceRow[]>;
  close(): Promise<void>;
}

/** @throws CommandError if it is no Parquet file */
export async function openParquet(path: string): Promise<ParquetFile> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const file: AsyncBuffer = {
      byteLength: size,
      async slice(start, end = size) {
        const buffer = new ArrayBuffer(end - start);
        const { bytesRead } = await handle.read(new Uint8Array(buffer), 0, end - start, start);
        if (bytesRead < end - start) throw new Error("it is shorter than it was");
        return buffer;
      },
    };
    const stored = await parquetMetadataAsync(file);
    const leaves = flatColumns(stored.schema);
    const types = new Map(leaves.map((element) => [element.name, columnTypeOf(element)]));
    const metadata = { ...stored, schema: stored.schema.map((element) => plain(element, types)) };
    return {
      path,
      rows: Number(stored.num_rows),
      columns: leaves.map(({ name }) => name),
      read: (columns, skip) => readRows(path, file, metadata, types, columns, skip),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw asCommandError(path, error);
  }
}

function asCommandError(path: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(`${path}: cannot be read as Parquet (${reason})`, { cause: error });
}

/** Columns with one value in each row. Lists and groups cannot be fields. */
function flatColumns(schema: readonly SchemaElement[]): SchemaElement[] {
  const columns: SchemaElement[] = [];
  const [root, ...elements] = schema;
  let i = 0;
  const skipChildren = (count: number): void => {
    for (let child = 0; child < count; child++) skipChildren(elements[i++]?.num_children ?? 0);
  };
  for (let child = 0; child < (root?.num_children ?? 0); child++) {
    const element = elements[i++] as SchemaElement;
    const children = element.num_children ?? 0;
    if (children === 0 && element.repetition_type !== "REPEATED") columns.push(element);
    skipChildren(children);
  }
  return columns;
}

/**
 * The element without its logical type, if its values are converted here: the library would turn decimals into floating point
 * numbers, and cut timestamps to milliseconds.
 */
function plain(element: SchemaElement, types: ReadonlyMap<string, ColumnType | undefined>): SchemaElement {
  if (types.get(element.name) === undefined || element.num_children) return element;
  const { converted_type: _, logical_type: __, ...rest } = element;
  return rest;
}

async function* readRows(
  path: string,
  file: AsyncBuffer,
  metadata: FileMetaData,
  types: ReadonlyMap<string, ColumnType | undefined>,
  columns: readonly string[],
  skip: number,
): AsyncGenerator<SourceRow[]> {
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    const isIndexed = group.columns.every(({ offset_index_offset: offset }) => offset !== undefined);
    const step = isIndexed ? INDEXED_ROWS : UNINDEXED_ROWS;
    for (let start = Math.max(groupStart, skip); start < groupEnd; start += step) {
      const end = Math.min(start + step, groupEnd);
      const options = {
        file,
        metadata,
        compressors,
        utf8: false,
        useOffsetIndex: isIndexed,
        parsers: PARSERS,
      };
      const rows = await parquetReadObjects({
        ...options,
        columns: [...columns],
        rowStart: start,
        rowEnd: end,
      }).catch((error: unknown) => {
        throw asCommandError(path, error);
      });
      for (let line = start + 1; rows.length > 0; line += HANDED_ROWS) {
        const handed = rows.splice(0, HANDED_ROWS);
        for (const row of handed) convert(row, columns, types);
        yield handed.map((row, i) => ({ line: line + i, row }));
      }
    }
    groupStart = groupEnd;
  }
}

/** INT96, which the library takes for nanoseconds, as exact text. */
const PARSERS = { timestampFromNanoseconds: (nanos: bigint) => instantText(nanos, "NANOS") };

function convert(
  row: Record<string, unknown>,
  columns: readonly string[],
  types: ReadonlyMap<string, ColumnType | undefined>,
): void {
  for (const column of columns) {
    const value = row[column];
    const type = types.get(column);
    if (value !== null && value !== undefined && type !== undefined) row[column] = type(value);
    else if (value instanceof Uint8Array) row[column] = Buffer.from(value).toString("utf8");
    else if (value instanceof Date) row[column] = value.toISOString();
  }
}

/** Turns a stored value into text. */
type ColumnType = (value: unknown) => string;

/** How the values of a column become exact text; undefined for a type whose values the library leaves unchanged. */
function columnTypeOf(element: SchemaElement): ColumnType | undefined {
  const { logical_type: logical, converted_type: converted } = element;
  if (logical?.type === "DECIMAL" || converted === "DECIMAL") {
    const scale = element.scale ?? (logical?.type === "DECIMAL" ? logical.scale : 0);
    return (value) => decimalText(unscaled(value), scale);
  }
  if (logical?.type === "TIMESTAMP") {
    const { unit, isAdjustedToUTC } = logical;
    return (value) => (isAdjustedToUTC ? instantText : localText)(value as bigint, unit);
  }
  // By the format's rules these older names mean UTC.
  if (converted === "TIMESTAMP_MILLIS") return (value) => instantText(value as bigint, "MILLIS");
  if (converted === "TIMESTAMP_MICROS") return (value) => instantText(value as bigint, "MICROS");
  return undefined;
}

/** The integer that a decimal is stored as: a number, or its bytes in two's complement, the highest first. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as bigint | number);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString("hex")}`));
}

/** 1250 with scale 2 is `12.50`. */
function decimalText(units: bigint, scale: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const DIGITS: Readonly<Record<TimeUnit, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** `2026-03-01T10:00:00.123456Z`. @param units since 1970 */
function instantText(units: bigint, unit: TimeUnit): string {
  return `${localText(units, unit)}Z`;
}

function localText(units: bigint, unit: TimeUnit): string {
  const digits = DIGITS[unit];
  const perSecond = 10n ** BigInt(digits);
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const seconds = Number((units - fraction) / perSecond);
  // A time that a Date cannot hold is no time of a purchase; the schema refuses its text.
  const date = new Date(seconds * 1000);
  const text = Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().slice(0, -5);
  return `${text}.${String(fraction).padStart(digits, "0")}`;
}
