import { finished } from "node:stream/promises";
import { type CsvError, Parser } from "csv-parse";
import { CommandError } from "../command-error.ts";
import type { CsvDialect } from "./import-map.ts";
import { MAX_ROW_BYTES, type SourceRow } from "./source-row.ts";

interface CsvFile {
  /** For messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Buffer>;
  readonly dialect: CsvDialect;
  /** Called with the columns before the first row; an error that it throws ends the reading. */
  readonly onColumns: (columns: readonly string[]) => void;
}

/** A record of the parser. */
interface ParsedRecord {
  readonly values: readonly string[];
  /** The lines that the parser has read at the end of the record. */
  readonly linesRead: number;
}

/**
 * Reads CSV. A row with more or fewer values than columns is a row with a fault.
 * @param skip rows at the beginning that are left out
 * @throws CommandError with line and column for wrong quotes, after all rows before: where the next row begins is unknown
 */
export async function* readCsv(file: CsvFile, skip: number): AsyncGenerator<SourceRow[]> {
  const { name, dialect, onColumns } = file;
  const lineOf = lineCounter();
  let columns = dialect.header;
  if (columns !== undefined) onColumns(columns);
  let left = skip;
  for await (const { records, error } of parseRecords(file)) {
    const rows: SourceRow[] = [];
    for (const { values, linesRead } of records) {
      const line = lineOf(values, linesRead);
      if (columns === undefined) {
        columns = values;
        onColumns(columns);
      } else if (left > 0) left--;
      else rows.push(toRow(line, values, columns));
    }
    if (rows.length > 0) yield rows;
    if (error !== undefined) throw describe(name, error, columns);
  }
  if (columns === undefined) throw new CommandError(`${name}: is empty; its first line names the columns`);
}

interface Parsed {
  readonly records: readonly ParsedRecord[];
  readonly error: CsvError | undefined;
}

/**
 * The records that end in each chunk. They are taken where the parser makes them, within `write`: read from the stream, those
 * before an error would be lost.
 */
async function* parseRecords({ bytes, dialect }: CsvFile): AsyncGenerator<Parsed> {
  let records: ParsedRecord[] = [];
  const parser = newParser(dialect, (record) => records.push(record));
  const take = (): Parsed => {
    const parsed = { records, error: (parser.errored as CsvError | null) ?? undefined };
    records = [];
    return parsed;
  };
  try {
    for await (const chunk of recode(bytes, dialect.encoding)) {
      parser.write(chunk);
      yield take();
    }
    parser.end();
    await finished(parser).catch(() => {});
    yield take();
  } finally {
    parser.destroy();
  }
}

function newParser(
  { delimiter = ",", quote, trim }: CsvDialect,
  take: (record: ParsedRecord) => void,
): Parser {
  const parser = new Parser({
    bom: true,
    delimiter,
    quote: quote ?? false,
    escape: quote ?? null,
    trim,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    on_record: (values: string[], { lines }) => {
      take({ values, linesRead: lines });
      return undefined;
    },
  });
  // `take` looks at the error.
  parser.on("error", () => {});
  // The stream gives nothing but its end.
  return parser.resume();
}

/** In UTF-8, the only encoding that the parser reads in parts. */
async function* recode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  if (decoder.encoding === "utf-8") {
    yield* bytes;
    return;
  }
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

function toRow(line: number, values: readonly string[], columns: readonly string[]): SourceRow {
  if (values.length !== columns.length) {
    const fault = `has ${values.length} values, and there are ${columns.length} columns`;
    return { line, row: values, fault };
  }
  const row: Record<string, string> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as string;
  return { line, row };
}

/**
 * The line in which a record begins. The parser gives the line in which it ends, and counts a Windows line end within quotes
 * as two lines.
 */
function lineCounter(): (values: readonly string[], linesRead: number) => number {
  let before = 0;
  let excess = 0;
  return (values, linesRead) => {
    const isOneLine = linesRead === before + 1;
    before = linesRead;
    if (isOneLine) return linesRead - excess;
    let within = 0;
    for (const value of values) {
      excess += count(value, /\r\n/g);
      within += count(value, /\r\n|\r|\n/g);
    }
    return linesRead - excess - within;
  };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Not in the parser's words, which may hold characters of the row. */
function describe(name: string, error: CsvError, columns: readonly string[] | undefined): CommandError {
  const { lines, index } = error as unknown as { lines?: number; index?: number };
  const column = index === undefined ? undefined : (columns?.[index] ?? `number ${index + 1}`);
  const where = `${name}: line ${lines ?? "?"}${column === undefined ? "" : `, column "${column}"`}`;
  const what = FAULTS[error.code] ?? `cannot be read (${error.code})`;
  return new CommandError(`${where}: ${what}`, { cause: error });
}

const FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE:
    "a quote within a quoted value must be doubled (or set csv.quote of the map to null if quotes mean nothing)",
  INVALID_OPENING_QUOTE:
    "a quote must begin the value (or set csv.quote of the map to null if quotes mean nothing)",
  CSV_QUOTE_NOT_CLOSED: "a quote was opened before here and not closed until the end of the file",
  CSV_MAX_RECORD_SIZE: `a row has more than ${MAX_ROW_BYTES} bytes: is a quote not closed, or the delimiter another?`,
};
