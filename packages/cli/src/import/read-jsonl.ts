import { isUtf8 } from "node:buffer";
import { MAX_ROW_BYTES, type SourceRow } from "./source-row.ts";

const NEWLINE = 10;
const RETURN = 13;
/** A byte order mark, which some programs write before the first line. */
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** Shown of a row that is too long. */
const SHOWN_BYTES = 1000;

/**
 * Reads a JSON value from each line; empty lines are none. A line that is not JSON is a row with a fault.
 * @param skip rows at the beginning that are left out
 */
export async function* readJsonl(bytes: AsyncIterable<Buffer>, skip: number): AsyncGenerator<SourceRow[]> {
  let line = 0;
  let left = skip;
  for await (const lines of splitLines(bytes)) {
    const rows: SourceRow[] = [];
    for (const { content, isTooLong } of lines) {
      line++;
      if (isBlank(content)) continue;
      if (left > 0) left--;
      else rows.push(isTooLong ? tooLong(line, content) : readLine(line, content));
    }
    if (rows.length > 0) yield rows;
  }
}

function readLine(line: number, content: Buffer): SourceRow {
  const row = content.toString("utf8");
  if (!isUtf8(content)) return { line, row, fault: "is not UTF-8" };
  try {
    return { line, row: JSON.parse(row) };
  } catch {
    return { line, row, fault: "is not JSON" };
  }
}

function tooLong(line: number, content: Buffer): SourceRow {
  const row = content.toString("utf8", 0, SHOWN_BYTES);
  return { line, row, fault: `has more than ${MAX_ROW_BYTES} bytes` };
}

function isBlank(content: Buffer): boolean {
  for (const byte of content) if (byte !== RETURN && byte !== 32 && byte !== 9) return false;
  return true;
}

interface Line {
  /** Without its end; of a line that is too long, its beginning. */
  readonly content: Buffer;
  readonly isTooLong: boolean;
}

/** The lines that end in each chunk. The kept part of an unfinished line is bounded. */
async function* splitLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let parts: Buffer[] = [];
  let length = 0;
  let isFirst = true;
  const end = (): Line => {
    let content = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    if (isFirst && content.subarray(0, BOM.length).equals(BOM)) content = content.subarray(BOM.length);
    isFirst = false;
    const line = { content, isTooLong: length > MAX_ROW_BYTES };
    parts = [];
    length = 0;
    return line;
  };
  const take = (part: Buffer) => {
    if (length <= MAX_ROW_BYTES) parts.push(part);
    length += part.length;
  };
  for await (const chunk of bytes) {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      lines.push(end());
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [end()];
}
