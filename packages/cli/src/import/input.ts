import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CommandError } from "../command-error.ts";

export const FORMATS = ["csv", "jsonl", "parquet"] as const;
export type Format = (typeof FORMATS)[number];

/** The name that stands for standard input. */
export const STANDARD_INPUT = "-";

/** How much of the beginning and of the end a file is known by. */
const HEAD_BYTES = 64 * 1024;

/** What an input is recognised by when an import goes on. */
export interface InputIdentity {
  /** Bytes as they are stored, compressed or not; null for standard input, whose end is not known. */
  readonly size: number | null;
  /** Of the first 64 KiB, and for a file of the last 64 KiB too. */
  readonly sha256: string;
}

/** One input of an import. It is read once. */
export interface Input {
  /** For messages. */
  readonly name: string;
  /** Undefined for standard input. */
  readonly path: string | undefined;
  readonly format: Format;
  readonly identity: InputIdentity;
  /** Stored bytes that were read so far. */
  readonly bytesRead: () => number;
  /** What is in it, unpacked if it is gzip. Throws CommandError if that is cut short or damaged. */
  bytes(): AsyncIterable<Buffer>;
  /** Reads no more: what waits for a pipe that is silent waits no longer. */
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
  if (known === undefined) {
    throw new CommandError(`${file}: say by --format what it is (${FORMATS.join(", ")}); its name does not`);
  }
  const { head, identity } = await readIdentity(file);
  const isPacked = isGzip(head);
  if (isPacked && known === "parquet") {
    throw new CommandError(`${file}: is Parquet within gzip; unpack it: Parquet is read from several places`);
  }
  let read = 0;
  const source = async function* () {
    for await (const chunk of createReadStream(file)) {
      read += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  return {
    name: file,
    path: file,
    format: known,
    identity,
    bytesRead: () => read,
    bytes: () => (isPacked ? unpack(file, source()) : source()),
    close: () => {},
  };
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
    case "parquet":
      return "parquet";
    default:
      return undefined;
  }
}

async function readIdentity(file: string): Promise<{ head: Buffer; identity: InputIdentity }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stat = await handle.stat();
    if (!stat.isFile()) throw new CommandError(`${file}: is no file; a pipe is read as standard input, -`);
    const head = await readAt(handle, 0, Math.min(HEAD_BYTES, stat.size));
    const tail = await readAt(handle, Math.max(0, stat.size - HEAD_BYTES), Math.min(HEAD_BYTES, stat.size));
    return { head, identity: { size: stat.size, sha256: hashOf([head, tail]) } };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
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

/** Its beginning is read at once, so that it can be recognised, and kept for `bytes`. */
async function openStandardInput(format: Format | undefined, stdin: Readable): Promise<Input> {
  if (format === undefined) throw new CommandError("standard input: say by --format what it is (csv, jsonl)");
  if (format === "parquet") {
    throw new CommandError("Parquet is read from several places of a file: it cannot come by standard input");
  }
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
  let read = 0;
  const source = async function* () {
    for (let chunk: Buffer | undefined = head; chunk !== undefined; chunk = (await chunks.next()).value) {
      read += chunk.length;
      yield chunk;
    }
  };
  return {
    name: "standard input",
    path: undefined,
    format,
    identity: { size: null, sha256: hashOf([head.subarray(0, HEAD_BYTES)]) },
    bytesRead: () => read,
    bytes: () => (isGzip(head) ? unpack("standard input", source()) : source()),
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
