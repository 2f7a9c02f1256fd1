import { createWriteStream } from "node:fs";
import { type FileHandle, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { TransactionEvent } from "#contract";
import { explainFileError, isFileError } from "../command-error.ts";

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

type Left = Exclude<keyof TransactionEvent, (typeof EXPORTED_FIELDS)[number] | "auth_code" | "bin">;
/** Does not compile while a field of an event that is kept does not come back. */
export const EVERY_FIELD_COMES_BACK: [Left] extends [never] ? true : never = true;

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
 * under the name before stays. A name that ends in `.gz` gets gzip. A link stays one: what it leads to is replaced. A device or
 * a pipe is not replaced, but written to.
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
  const part = `${file}.part`;
  try {
    await write(part, name, text, signal);
    await sync(part);
    await rename(part, file);
    await sync(dirname(file)).catch(() => {
      // A file system that syncs no directories; the file is whole under its name.
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

/** The text comes from the service, whose errors are told as they are. */
function explain(file: string, error: unknown, signal: AbortSignal): unknown {
  return signal.aborted || !isFileError(error) ? error : explainFileError(`cannot write ${file}`, error);
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
