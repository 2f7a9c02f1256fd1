import { type FileHandle, open } from "node:fs/promises";
import { CommandError } from "../command-error.ts";
import type { RowAt, RowRejection } from "./fate.ts";

/** A line of the file of rejected rows. The row holds what its file holds, card data too. */
export function rejectLine(file: string | undefined, at: RowAt, rejection: RowRejection): string {
  const line = { ...(file !== undefined && { file }), line: at.line, row: at.row, ...rejection };
  // Parquet has integers that JSON has no number for.
  return `${JSON.stringify(line, (_, value) => (typeof value === "bigint" ? String(value) : value))}\n`;
}

/**
 * The file of rejected rows, in the order of their files. Only its owner may read it. A checkpoint says how long it was;
 * what a crash left behind that is cut off, and written again.
 */
export class RejectsFile {
  readonly #handle: FileHandle;
  #bytes: number;

  private constructor(handle: FileHandle, bytes: number) {
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
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(`cannot write the rejected rows to ${file} (${code})`, { cause: error });
    }
    const { size } = await handle.stat();
    if (size < bytes) {
      await handle.close();
      throw new CommandError(
        `${file} had ${bytes} bytes of rejected rows and has ${size}: import without --resume, from the beginning`,
      );
    }
    await handle.truncate(bytes);
    return new RejectsFile(handle, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the lines are on the disk. */
  async append(lines: string): Promise<void> {
    const data = Buffer.from(lines);
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
    this.#bytes += data.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
