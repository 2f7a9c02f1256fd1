import { createWriteStream } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CommandError } from "../command-error.ts";

/**
 * What comes back of an event, in the order in which it is written. The rest of the card, `auth_code` and `bin`, is
 * hashed when it comes and never kept.
 */
export const EXPORTED_FIELDS = [
  "member_id",
  "external_id",
  "network",
  "merchant_id",
  "statement_descriptor",
  "amount",
  "currency",
  "authed_at",
  "cleared_at",
  "reverted_at",
] as const;

/** A transaction, as far as it is written. */
export type ExportedRow = Readonly<Partial<Record<(typeof EXPORTED_FIELDS)[number], string | number | null>>>;

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The first line, where the format has one. */
export function headerOf(format: ExportFormat): string {
  return format === "csv" ? `${EXPORTED_FIELDS.join(",")}\n` : "";
}

/** A line as import reads it. A field without a value is left out, or empty. */
export function lineOf(row: ExportedRow, format: ExportFormat): string {
  if (format === "csv") return `${EXPORTED_FIELDS.map((field) => csvValue(row[field])).join(",")}\n`;
  const present = EXPORTED_FIELDS.filter((field) => row[field] !== undefined && row[field] !== null);
  return `${JSON.stringify(Object.fromEntries(present.map((field) => [field, row[field]])))}\n`;
}

/** RFC 4180: in quotes where it holds what would end it. */
function csvValue(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes text to a file that is there when all of it is: until then it has another name. Whatever fails, what was there
 * under the name before stays. A name that ends in `.gz` gets gzip.
 */
export async function writeWhole(
  file: string,
  text: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const part = `${file}.part`;
  const target = createWriteStream(part, { mode: 0o600 });
  try {
    if (file.endsWith(".gz")) await pipeline(text, createGzip(), target, { signal });
    else await pipeline(text, target, { signal });
    await sync(part);
    await rename(part, file);
    await sync(dirname(file)).catch(() => {
      // A file system that syncs no directories; the file is whole under its name.
    });
  } catch (error) {
    await unlink(part).catch(() => {});
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || signal.aborted) throw error;
    throw new CommandError(`cannot write ${file} (${code})`, { cause: error });
  }
}

async function sync(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    await handle.sync();
  } finally {
    await handle?.close();
  }
}
