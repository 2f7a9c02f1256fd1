import { type FileHandle, open } from "node:fs/promises";
import { CommandError, explainFileError } from "../command-error.ts";
import type { RowAt, RowRejection } from "./row-result.ts";

/**
 * A line of the file of rejected rows, or of rows with ignored fields. It holds the row, with its card data.
 * @param file the row's input, if there are several
 */
export function rowLine(
  file: string | undefined,
  { line, row }: RowAt,
  what: RowRejection | { readonly ignored: readonly string[] },
): string {
  const told = { ...(file !== undefined && { file }), line, row, ...what };
  return `${JSON.stringify(told)}\n`;
}

/** Whether a file that begins like this consists of such lines. */
export function areRejects(beginning: string): boolean {
  const [first = ""] = beginning.split("\n", 1);
  // The row comes second, and may be longer than this beginning.
  return /^\{("file":"(?:[^"\\]|\\.)*",)?"line":\d+,"row":/.test(first);
}

/**
 * A file of rejected rows, or of rows with ignored fields, in the order of the inputs. Only its owner may read it. A
 * checkpoint keeps its length; lines after that, which a crash left, are cut off and written again.
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
   * @param bytes its length by the checkpoint; 0 begins a new file
   * @param what names its rows in messages
   * @throws CommandError if it cannot be written, or is shorter
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

  /** Resolves when the lines are on the disk. @throws CommandError; a resume cuts off the part that was written */
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
