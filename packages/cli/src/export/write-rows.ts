import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { explainFileError, isFileError } from "../command-error.ts";
import { FIELDS, type Field } from "../import/import-map.ts";
import { syncToDisk } from "../sync-to-disk.ts";

/** Every field that import reads, except the ref and the card data: that is hashed and never stored. */
const NOT_EXPORTED = ["member_ref", "auth_code", "bin"] as const;
type ExportedField = Exclude<Field, (typeof NOT_EXPORTED)[number]>;
const isExported = (field: Field): field is ExportedField => !NOT_EXPORTED.some((one) => one === field);
const EXPORTED_FIELDS = FIELDS.filter(isExported);

/** A transaction in its exported form. */
type ExportedRow = Readonly<Partial<Record<ExportedField, string | number | null>>>;

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The first line, if the format has one. */
export function headerOf(format: ExportFormat): string {
  return format === "csv" ? `${EXPORTED_FIELDS.join(",")}\n` : "";
}

/** A line as import reads it. A field without a value is left out, or empty. */
export function lineOf(row: ExportedRow, format: ExportFormat): string {
  if (format === "csv") return `${EXPORTED_FIELDS.map((field) => csvValue(row[field])).join(",")}\n`;
  const present = EXPORTED_FIELDS.filter((field) => row[field] !== undefined && row[field] !== null);
  return `${JSON.stringify(Object.fromEntries(present.map((field) => [field, row[field]])))}\n`;
}

/** RFC 4180: in quotes if it holds a character that would end it. */
function csvValue(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes text to a file that appears when it is complete: until then it has another name. If it fails, the previous file
 * stays. A name that ends in `.gz` gets gzip. The target of a link is replaced, not the link. A device or a pipe is written to.
 */
export async function writeWhole(
  name: string,
  text: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const before = await stat(name).catch(() => undefined);
  if (before !== undefined && !before.isFile()) {
    await write(name, name, text, signal).catch((error: unknown) => {
      throw explain(name, error, signal);
    });
    return;
  }
  const file = await realpath(name).catch(() => name);
  // Of its own: two exports of one file at once would write into each other's rows.
  const part = `${file}.${randomUUID()}.part`;
  try {
    await write(part, name, text, signal);
    await syncToDisk(part);
    await rename(part, file);
    await syncToDisk(dirname(file)).catch(() => {
      // Some file systems sync no directories; the file is complete under its name.
    });
  } catch (error) {
    await unlink(part).catch(() => {});
    throw explain(name, error, signal);
  }
}

/** @param name says whether it is packed */
async function write(
  to: string,
  name: string,
  text: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const target = createWriteStream(to, { mode: 0o600 });
  if (name.endsWith(".gz")) await pipeline(text, createGzip(), target, { signal });
  else await pipeline(text, target, { signal });
}

/** Errors of the service, which gives the text, stay as they are. */
function explain(file: string, error: unknown, signal: AbortSignal): unknown {
  return signal.aborted || !isFileError(error) ? error : explainFileError(`cannot write ${file}`, error);
}
