import { createHash } from "node:crypto";
import { type BigIntStats, createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CommandError, explainFileError } from "../command-error.ts";

export const FORMATS = ["csv", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

/** The name that stands for standard input. */
export const STANDARD_INPUT = "-";

const CSV_OF_PARQUET = `duckdb -c "copy (from 'a.parquet') to 'a.csv'"`;

const NEWLINE = 10;

/** A file is recognised by this much of its beginning and of its end. */
const HEAD_BYTES = 64 * 1024;

/** An input is recognised by it when an import is resumed. */
export interface InputIdentity {
  /** Stored bytes, compressed or not; null for standard input. */
  readonly size: number | null;
  /** Of the first 64 KiB, and for a file of the last 64 KiB too. */
  readonly sha256: string;
}

/** One input of an import. It is read once. */
export interface Input {
  /** For messages. */
  readonly name: string;
  readonly format: Format;
  readonly identity: InputIdentity;
  /** Stored bytes that have been read. */
  readonly bytesRead: () => number;
  /** Its content, unpacked if it is gzip. Throws CommandError if the gzip is cut short or damaged. */
  bytes(): AsyncIterable<Buffer>;
  /** Call it when all of it is read. Throws CommandError if the file was replaced or written to. */
  checkUnchanged(): Promise<void>;
  /** Whether its last line has no end: the file has none, or is still being written. */
  endsWithinLine(): boolean;
  /** Ends a read that waits for a silent pipe. */
  close(): void;
}

/**
 * Opens a file, or standard input for `-`.
 * @param format undefined: by the file's name
 * @throws CommandError if it cannot be read, or its format is not known
 */
export async function openInput(file: string, format: Format | undefined, stdin: Readable): Promise<Input> {
  if (file === STANDARD_INPUT) return openStandardInput(format, stdin);
  const known = format ?? formatOf(file);
  if (known === undefined && /\.parquet$/i.test(file)) {
    throw new CommandError(`${file}: import reads no Parquet; make CSV of it: ${CSV_OF_PARQUET}`);
  }
  if (known === undefined) {
    throw new CommandError(
      `${file}: its name does not tell the format: give --format (${FORMATS.join(", ")})`,
    );
  }
  const { head, identity, seen } = await readIdentity(file);
  const isPacked = isGzip(head);
  let read = 0;
  const checkUnchanged = async () => {
    const change = changeSince(seen, await look(file), read);
    if (change === undefined) return;
    throw new CommandError(
      `${file} ${change} while the import read it: import it again when no program writes to it`,
    );
  };
  // The last chunk is given once the file is known to be unchanged: a cut one may end within an amount, which would be sent.
  const source = async function* () {
    let last: Buffer | undefined;
    for await (const chunk of createReadStream(file)) {
      read += (chunk as Buffer).length;
      if (last !== undefined) yield last;
      last = chunk as Buffer;
    }
    await checkUnchanged();
    if (last !== undefined) yield last;
  };
  const ending = new Ending();
  return {
    name: file,
    format: known,
    identity,
    bytesRead: () => read,
    bytes: () => ending.watch(isPacked ? unpack(file, source()) : source()),
    checkUnchanged,
    endsWithinLine: () => ending.isWithinLine,
    close: () => {},
  };
}

/** Remembers the last byte of a text. */
class Ending {
  #last: number | undefined;

  get isWithinLine(): boolean {
    return this.#last !== undefined && this.#last !== NEWLINE;
  }

  async *watch(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      this.#last = chunk.at(-1) ?? this.#last;
      yield chunk;
    }
  }
}

/** A change of a file shows in these. The time is in nanoseconds if the file system has them. */
interface SeenFile {
  readonly size: bigint;
  readonly changedAt: bigint;
  readonly place: string;
}

/** Undefined if the file is gone. */
async function look(file: string): Promise<SeenFile | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && seenOf(found);
}

function seenOf({ size, mtimeNs, dev, ino }: BigIntStats): SeenFile {
  return { size, changedAt: mtimeNs, place: `${dev}:${ino}` };
}

/** @param read the bytes that were read */
function changeSince(before: SeenFile, now: SeenFile | undefined, read: number): string | undefined {
  if (now === undefined) return "was removed";
  if (now.place !== before.place) return "was replaced by another file";
  if (now.size !== before.size) return `grew or shrank from ${before.size} to ${now.size} bytes`;
  if (now.changedAt !== before.changedAt) return "was written to";
  // It shrank and grew again, to the same size and time.
  return BigInt(read) === before.size ? undefined : `gave ${read} of ${before.size} bytes`;
}

/** By the last part of its name, before `.gz`. */
function formatOf(file: string): Format | undefined {
  const [, extension = ""] = /\.([a-z]+)(?:\.gz)?$/i.exec(file) ?? [];
  switch (extension.toLowerCase()) {
    case "csv":
    case "tsv":
      return "csv";
    case "jsonl":
    case "ndjson":
      return "jsonl";
    default:
      return undefined;
  }
}

async function readIdentity(
  file: string,
): Promise<{ head: Buffer; identity: InputIdentity; seen: SeenFile }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) throw new CommandError(`${file}: is no file; a pipe is read as standard input, -`);
    const size = Number(found.size);
    const head = await readAt(handle, 0, Math.min(HEAD_BYTES, size));
    const tail = await readAt(handle, Math.max(0, size - HEAD_BYTES), Math.min(HEAD_BYTES, size));
    return { head, identity: { size, sha256: hashOf([head, tail]) }, seen: seenOf(found) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw explainFileError(`cannot read ${file}`, error as NodeJS.ErrnoException);
  } finally {
    await handle?.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function hashOf(parts: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Reads the beginning at once, for the identity, and keeps it for `bytes`. */
async function openStandardInput(format: Format | undefined, stdin: Readable): Promise<Input> {
  if (format === undefined) throw new CommandError("standard input: give --format (csv, jsonl)");
  const chunks = stdin.iterator() as AsyncIterator<Buffer>;
  const first: Buffer[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const head = Buffer.concat(first);
  const ending = new Ending();
  let read = 0;
  const source = async function* () {
    for (let chunk: Buffer | undefined = head; chunk !== undefined; chunk = (await chunks.next()).value) {
      read += chunk.length;
      yield chunk;
    }
  };
  return {
    name: "standard input",
    format,
    identity: { size: null, sha256: hashOf([head.subarray(0, HEAD_BYTES)]) },
    bytesRead: () => read,
    bytes: () => ending.watch(isGzip(head) ? unpack("standard input", source()) : source()),
    checkUnchanged: async () => {},
    endsWithinLine: () => ending.isWithinLine,
    close: () => stdin.destroy(),
  };
}

async function* unpack(name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // Its errors come out of the iteration below.
  pipeline(Readable.from(source, { objectMode: false }), gunzip, () => {});
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("Z_")) throw error;
    throw new CommandError(`${name}: its gzip is damaged or cut short (${message})`, { cause: error });
  }
}
