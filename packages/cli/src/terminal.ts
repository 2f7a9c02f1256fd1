import type { Environment } from "#runtime";

/** A stream that takes lines: the part of `process.stdout` and `process.stderr` that is needed. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Of a stream that can be slower than its writer: `write` answers false, and `drain` says when to go on. */
  once?(event: "drain", listener: () => void): unknown;
}

/**
 * Where the command line writes. What a program may want to read goes to `out`, what is meant for a person
 * goes to `err`, so that `out` can be piped.
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

  /** Writes text that has its own line ends; resolves when there is room for more, so that a slow reader is waited for. */
  async outText(text: string): Promise<void> {
    if (this.#out.write(text) !== false || this.#out.once === undefined) return;
    await new Promise<void>((resolve) => this.#out.once?.("drain", resolve));
  }

  err(line: string): void {
    this.#err.write(`${line}\n`);
  }

  /** Whether a person reads `out`, so that colours are useful there. */
  get isOutTerminal(): boolean {
    return this.#out.isTTY === true;
  }

  /** If a line of `err` can be overwritten, the terminal's width in characters; otherwise undefined. */
  get width(): number | undefined {
    return this.#err.isTTY === true ? (this.#err.columns ?? 80) : undefined;
  }

  /** Replaces the line that the cursor is in; an empty text clears it. */
  rewrite(line: string): void {
    this.#err.write(`\r\x1b[K${line}`);
  }
}

/** What commands are given. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Environment;
  /** With the variables that look like settings and are none; left out: there are none. */
  readonly givenEnv?: Environment;
  /** Called when a command failed without an error, because what it printed says why. */
  readonly exit: (code: number) => void;
}
