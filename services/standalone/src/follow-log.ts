import { closeSync, openSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the lines that are added to a file from its present end on. Services write their log into the file themselves
 * (a pipe through this process would break with it, in the middle of their drain); this shows the terminal what matters
 * of it.
 */
export class FollowedLog {
  readonly #fd: number;
  readonly #onLine: (line: string) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #decoder = new StringDecoder("utf8");
  readonly #buffer = Buffer.alloc(CHUNK_BYTES);
  #position: number;
  #partial = "";

  constructor(file: string, onLine: (line: string) => void) {
    this.#fd = openSync(file, "r");
    this.#position = statSync(file).size;
    this.#onLine = onLine;
    this.#timer = setInterval(() => this.read(), POLL_MS);
    this.#timer.unref();
  }

  /** Everything that is there by now. */
  read(): void {
    for (;;) {
      const length = readSync(this.#fd, this.#buffer, 0, CHUNK_BYTES, this.#position);
      if (length === 0) return;
      this.#position += length;
      const lines = (this.#partial + this.#decoder.write(this.#buffer.subarray(0, length))).split("\n");
      this.#partial = lines.pop() ?? "";
      for (const line of lines) if (line !== "") this.#onLine(line);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.read();
    closeSync(this.#fd);
  }
}
