/** A row of a file, as its format has it. */
export interface SourceRow {
  /** Where it begins, from 1, the header counted; in Parquet the row's number. */
  readonly line: number;
  /** By column; or, if it could not be read, its text. */
  readonly row: unknown;
  /** Why it is no row; the file goes on behind it. */
  readonly fault?: string;
}

/** Rows in the order of their file, some at a time: those that could be read without waiting. */
export type SourceRows = AsyncIterable<readonly SourceRow[]>;

/** Bytes of one row at most, in files of lines: a file with no line's end must not fill the memory. */
export const MAX_ROW_BYTES = 1024 * 1024;
