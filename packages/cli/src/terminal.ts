import type { Environment } from "#runtime";

/** A stream that lines are written to; all that is needed of `process.stdout` and `process.stderr`. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Where the command line writes. What a program may want to read goes to `out`, everything said to the person who
 * waits goes to `err`, so that the former can be piped.
 */
export class Terminal {
  readonly #out: Output;
  readonly #err: Output;

  constructor(out: Output = process.stdout, err: Output = process.stderr) {
    this.#out = out;
    this.#err = err;
  }

  out(line: string): void {
    this.#out.write(`${line}\n`);
  }

  err(line: string): void {
    this.#err.write(`${line}\n`);
  }

  /** Whether a person reads `out`, so that colours are of use there. */
  get isOutTerminal(): boolean {
    return this.#out.isTTY === true;
  }

  /** Whether a line to `err` can be written over; then its width in characters. */
  get width(): number | undefined {
    return this.#err.isTTY === true ? (this.#err.columns ?? 80) : undefined;
  }

  /** Puts this in the place of the line that the cursor is in; an empty one clears it. */
  rewrite(line: string): void {
    this.#err.write(`\r\x1b[K${line}`);
  }
}

/** What commands are given. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Told when a command failed without an error: what it printed is its message. */
  readonly exit: (code: number) => void;
}
