import { write, writeSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

const STANDARD_OUTPUT = 1;
/** One for all logs of a process, otherwise their lines could interleave. */
let standardOutput: LogOutput | undefined;

/**
 * A JSON logger: one line per unit of work, times in ISO 8601. Callers log ids, counts and codes; request
 * bodies, tokens and card data have no way in, because nothing here serialises a request.
 */
export function createLog(options: { service: string; level: string; destination?: DestinationStream }): Log {
  standardOutput ??= new LogOutput(STANDARD_OUTPUT);
  return pino(
    {
      level: options.level,
      base: { service: options.service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? standardOutput,
  );
}

/**
 * The most characters waiting to be written. Beyond it lines are dropped: a log is not worth the process's
 * memory.
 */
const WAITING_CHARACTERS = 16 * 1024 * 1024;
/** How soon a write is retried when the disk is full, or the pipe's reader is slow. */
const PAUSE_MS = 100;
/** For the lines that are left when the process ends. */
const LAST_ATTEMPTS = 20;

/**
 * Writes lines to a file descriptor, in order; lines that collect during a write are written together. A full
 * disk under the log's file must neither end the process nor hold up its end. pino's own destination does
 * both (sonic-boom 4.2 emits an error without a listener, and at the end retries for ever, synchronously).
 */
class LogOutput {
  readonly #fd: number;
  #waiting = "";
  #unwritten: Buffer | undefined;
  #isWriting = false;
  #callbacks: Array<() => void> = [];

  constructor(fd: number) {
    this.#fd = fd;
    process.on("exit", () => this.#writeLast());
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > WAITING_CHARACTERS) return;
    this.#waiting += line;
    if (!this.#isWriting) this.#writeNext();
  }

  /** Calls back when everything is written, or cannot be written now. */
  flush(callback: () => void): void {
    if (this.#isWriting) this.#callbacks.push(callback);
    else callback();
  }

  #writeNext(): void {
    const bytes = this.#unwritten ?? Buffer.from(this.#take());
    this.#isWriting = true;
    write(this.#fd, bytes, (error, written) => {
      const rest = bytes.subarray(error ? 0 : written);
      this.#unwritten = rest.length > 0 ? rest : undefined;
      if (error) {
        this.#settle();
        setTimeout(() => this.#writeNext(), PAUSE_MS).unref();
      } else if (this.#unwritten !== undefined || this.#waiting !== "") this.#writeNext();
      else {
        this.#isWriting = false;
        this.#settle();
      }
    });
  }

  #take(): string {
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }

  #settle(): void {
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  #writeLast(): void {
    let bytes = Buffer.concat([this.#unwritten ?? Buffer.alloc(0), Buffer.from(this.#take())]);
    for (let attempt = 0; bytes.length > 0 && attempt < LAST_ATTEMPTS; attempt++) {
      try {
        bytes = bytes.subarray(writeSync(this.#fd, bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS / 2);
      }
    }
  }
}
