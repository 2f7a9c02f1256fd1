import { open } from "node:fs/promises";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { CommandError } from "../command-error.ts";
import { type ColumnType, columnTypeOf, instantText } from "./parquet-types.ts";
import type { SourceRow } from "./source-row.ts";

/**
 * Rows that are decoded at a time, of a file that knows where its pages begin (an offset index, which most writers
 * add): only the pages with these rows are read.
 */
const INDEXED_ROWS = 10_000;
/** Of one that does not know: each time all bytes of the row group are read, and the pages before these rows skipped. */
const UNINDEXED_ROWS = 50_000;
/** Rows that are handed over at a time: what was handed over is not held while the next ones are decoded. */
const HANDED_ROWS = 1_000;

export interface ParquetFile {
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

/** Columns that hold one value in each row. Others, lists and groups, cannot be fields. */
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
 * The element without the meaning of its values, for those that are converted here: the library would make floating
 * point numbers of decimals, and cut timestamps to milliseconds.
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

/** What the library gives for INT96, which it takes for nanoseconds: text, exactly. */
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
