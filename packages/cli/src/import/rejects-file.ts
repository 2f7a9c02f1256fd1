import { type FileHandle, open } from "node:fs/promises";
import { CommandError, explainFileError } from "../command-error.ts";
import type { RowAt, RowRejection } from "./fate.ts";

/** A line of the file of rejected rows. The row holds what its file holds, card data too. */
export function rejectLine(file: string | undefined, at: RowAt, rejection: RowRejection): string {
  const line = { ...(file !== undefined && { file }), line: at.line, row: at.row, ...rejection };
  // Parquet has integers that JSON has no number for.
  return `${JSON.stringify(line, (_, value) => (typeof value === "bigint" ? String(value) : value))}\n`;
}

/** Whether a file that begins like this is one of rejected rows. */
export function areRejects(beginning: string): boolean {
  const [first = ""] = beginning.split("\n", 1);
  // The row comes second, and may be longer than what is looked at.
  return /^\{("file":"(?:[^"\\]|\\.)*",)?"line":\d+,"row":/.test(first);
}

function cannotWrite(file: string, error: unknown): CommandError {
  return explainFileError(`cannot write the rejected rows to ${file}`, error as NodeJS.ErrnoException);
}

/**
 * The file of rejected rows, in the order of their files. Only its owner may read it. A checkpoint says how long it was;
 * what a crash left behind that is cut off, and written again.
 */
export class RejectsFile {
  readonly #file: string;
  readonly #handle: FileHandle;
  #bytes: number;

  private constructor(file: string, handle: FileHandle, bytes: number) {
    this.#file = file;
    this.#handle = handle;
    this.#bytes = bytes;
  }

  /**
   * @param bytes how much of it stands; 0 begins a new one
   * @throws CommandError if it cannot be written, or is shorter than that
   */
  static async open(file: string, bytes: number): Promise<RejectsFile> {
    let handle: FileHandle;
    try {
      handle = await open(file, bytes === 0 ? "w" : "r+", 0o600);
    } catch (error) {
      throw cannotWrite(file, error);
    }
    const { size } = await handle.stat();
    if (size < bytes) {
      await handle.close();
      throw new CommandError(
        `${file} had ${bytes} bytes of rejected rows and has ${size}: import without --resume, from the beginning`,
      );
    }
    await handle.truncate(bytes);
    return new RejectsFile(file, handle, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the lines are on the disk. @throws CommandError; what is written of them then is cut off by a resume */
  async append(lines: string): Promise<void> {
    const data = Buffer.from(lines);
    await this.#write(data).catch((error: unknown) => {
      throw cannotWrite(this.#file, error);
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
