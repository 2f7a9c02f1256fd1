import { type FileHandle, open } from "node:fs/promises";
import { CommandError, explainFileError } from "../command-error.ts";
import type { RowAt, RowRejection } from "./fate.ts";

/** A line of the file of rejected rows. The row holds what its file holds, card data too. */
export function rejectLine(file: string | undefined, at: RowAt, rejection: RowRejection): string {
  return lineOf(file, at, rejection);
}

/** Whether a file that begins like this is one of rows that were rejected, or of which something was ignored. */
export function areRejects(beginning: string): boolean {
  const [first = ""] = beginning.split("\n", 1);
  // The row comes second, and may be longer than what is looked at.
  return /^\{("file":"(?:[^"\\]|\\.)*",)?"line":\d+,"row":/.test(first);
}

/** A line of the file of rows that were taken but for these fields. */
export function ignoredLine(file: string | undefined, at: RowAt, fields: readonly string[]): string {
  return lineOf(file, at, { ignored: fields });
}

function lineOf(file: string | undefined, at: RowAt, what: object): string {
  const line = { ...(file !== undefined && { file }), line: at.line, row: at.row, ...what };
  // Parquet has integers that JSON has no number for.
  return `${JSON.stringify(line, (_, value) => (typeof value === "bigint" ? String(value) : value))}\n`;
}

/**
 * A file of rows, of rejected ones or of those of which something was ignored, in the order of their files. Only its owner may read it. A checkpoint says how long it was;
 * what a crash left behind that is cut off, and written again.
 */
export class RejectsFile {
  readonly #what: string;
  readonly #file: string;
  readonly #handle: FileHandle;
  #bytes: number;

  private constructor(what: string, file: string, handle: FileHandle, bytes: number) {
    this.#what = what;
    this.#file = file;
    this.#handle = handle;
    this.#bytes = bytes;
  }

  /**
   * @param bytes how much of it stands; 0 begins a new one
   * @param what its rows are, in words
   * @throws CommandError if it cannot be written, or is shorter than that
   */
  static async open(file: string, bytes: number, what = "rejected rows"): Promise<RejectsFile> {
    let handle: FileHandle;
    try {
      handle = await open(file, bytes === 0 ? "w" : "r+", 0o600);
    } catch (error) {
      throw cannotWrite(what, file, error);
    }
    const { size } = await handle.stat();
    if (size < bytes) {
      await handle.close();
      throw new CommandError(
        `${file} had ${bytes} bytes of ${what} and has ${size}: import without --resume, from the beginning`,
      );
    }
    await handle.truncate(bytes);
    return new RejectsFile(what, file, handle, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the lines are on the disk. @throws CommandError; what is written of them then is cut off by a resume */
  async append(lines: string): Promise<void> {
    const data = Buffer.from(lines);
    await this.#write(data).catch((error: unknown) => {
      throw cannotWrite(this.#what, this.#file, error);
    });
    this.#bytes += data.length;
  }

  async #write(data: Buffer): Promise<void> {
    let written = 0;
    while (written < data.length) {
      const { bytesWritten } = await this.#handle.write(
        data,
        written,
        data.length - written,
        this.#bytes + written,
      );
      written += bytesWritten;
    }
    await this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function cannotWrite(what: string, file: string, error: unknown): CommandError {
  return explainFileError(`cannot write the ${what} to ${file}`, error as NodeJS.ErrnoException);
}
