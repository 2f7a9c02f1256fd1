import { CommandError } from "../command-error.ts";
import { FIELDS, type ImportMap, PLAIN_MAP } from "./import-map.ts";
import type { Input } from "./input.ts";
import { readCsv } from "./read-csv.ts";
import { readJsonl } from "./read-jsonl.ts";
import type { SourceRow } from "./source-row.ts";

const SHOWN = 30;

/** Reads the rows of an input in its format. */
export interface RowReader {
  rows(skip: number): AsyncGenerator<readonly SourceRow[]>;
  /** From 0 to 1; undefined if the size is unknown. */
  shareRead(): number | undefined;
}

/** @throws CommandError, with the first rows, if the input lacks columns that the map names */
export function openRows(input: Input, map: ImportMap | undefined): RowReader {
  const { size } = input.identity;
  const shareRead = () => (size === null ? undefined : size === 0 ? 1 : input.bytesRead() / size);
  switch (input.format) {
    case "jsonl":
      return { rows: (skip) => readJsonl(input.bytes(), skip), shareRead };
    case "csv": {
      const { csv: dialect } = map ?? PLAIN_MAP;
      const isTabs = dialect.delimiter === undefined && /\.tsv(\.gz)?$/i.test(input.name);
      const file = {
        name: input.name,
        dialect: isTabs ? { ...dialect, delimiter: "\t" } : dialect,
        onColumns: (columns: readonly string[]) => checkColumns(input.name, columns, map ?? PLAIN_MAP),
      };
      return { rows: (skip) => readCsv({ ...file, bytes: input.bytes() }, skip), shareRead };
    }
  }
}

/**
 * Compares the columns of a file with its map, before any row is read.
 * @param file its name, for messages
 * @throws CommandError for a column that the map names and the file lacks, for one that the file has twice, and, without a
 * map, for one that is no field
 */
function checkColumns(file: string, found: readonly string[], map: ImportMap): void {
  const has = new Set(found);
  const [only = ""] = found;
  if (found.length === 1 && /[;,|\t]/.test(only)) {
    throw new CommandError(
      `${file}: its header is one column, "${only}": name the delimiter in the map (csv.delimiter)`,
    );
  }
  const repeated = new Set(found.filter((column, i) => found.indexOf(column) !== i));
  if (map.columns === undefined) {
    const unknown = found.find((column) => !(FIELDS as readonly string[]).includes(column));
    if (unknown !== undefined) {
      throw new CommandError(
        `${file}: column "${unknown}" is no field of an event: give a --map that names the columns to read (fields: ${FIELDS.join(", ")})`,
      );
    }
    for (const column of repeated) throw new CommandError(`${file}: column "${column}" is there twice`);
    return;
  }
  for (const [field, columns] of map.columns) {
    for (const column of columns) {
      const place = map.placeOf(column) ?? "the map";
      if (!has.has(column)) {
        throw new CommandError(
          `${place}: columns.${field} names "${column}", which ${file} does not have: ${list(found)}`,
        );
      }
      if (repeated.has(column)) throw new CommandError(`${place}: ${file} has column "${column}" twice`);
    }
  }
}

function list(found: readonly string[]): string {
  const shown = found.slice(0, SHOWN).map((column) => `"${column}"`);
  return `its columns are ${shown.join(", ")}${found.length > SHOWN ? ", …" : ""}`;
}
