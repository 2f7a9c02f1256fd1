import { checkColumns } from "./check-columns.ts";
import { type ImportMap, PLAIN_MAP } from "./import-map.ts";
import type { Input } from "./input.ts";
import type { RowMapper } from "./map-row.ts";
import { readCsv } from "./read-csv.ts";
import { readJsonl } from "./read-jsonl.ts";
import { openParquet } from "./read-parquet.ts";
import type { SourceRow } from "./source-row.ts";

/** Rows of an input, as its format has them, and how much of it was read. */
export interface RowReader {
  rows(skip: number): AsyncGenerator<readonly SourceRow[]>;
  /** From 0 to 1; undefined where the end is not known. @param rowsRead with those that were left out */
  shareRead(rowsRead: number): number | undefined;
  close(): Promise<void>;
}

/** @throws CommandError if the input has not the columns that the map names */
export async function openRows(
  input: Input,
  map: ImportMap | undefined,
  mapper: RowMapper,
): Promise<RowReader> {
  const close = async () => {};
  const { size } = input.identity;
  const shareRead = () => (size === null ? undefined : size === 0 ? 1 : input.bytesRead() / size);
  switch (input.format) {
    case "jsonl":
      return { rows: (skip) => readJsonl(input.bytes(), skip), shareRead, close };
    case "csv": {
      const { csv: dialect } = map ?? PLAIN_MAP;
      const isTabs = dialect.delimiter === undefined && /\.tsv(\.gz)?$/i.test(input.name);
      const file = {
        name: input.name,
        dialect: isTabs ? { ...dialect, delimiter: "\t" } : dialect,
        onColumns: (columns: readonly string[]) => checkColumns(input.name, columns, map ?? PLAIN_MAP),
      };
      return { rows: (skip) => readCsv({ ...file, bytes: input.bytes() }, skip), shareRead, close };
    }
    case "parquet": {
      const file = await openParquet(input.path as string);
      const { rows } = file;
      try {
        checkColumns(input.name, file.columns, map ?? PLAIN_MAP);
      } catch (error) {
        await file.close();
        throw error;
      }
      const wanted = new Set(mapper.columns);
      const columns = file.columns.filter((column) => wanted.has(column));
      return {
        rows: (skip) => file.read(columns, skip),
        shareRead: (read) => (rows === 0 ? 1 : read / rows),
        close: () => file.close(),
      };
    }
  }
}
