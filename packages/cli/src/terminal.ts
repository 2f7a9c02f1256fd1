import type { Environment } from "#runtime";

/** The part of `process.stdout` and `process.stderr` that is used. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Of a stream that can be slower than its writer: `write` returns false, and `drain` tells when to go on. */
  once?(event: "drain", listener: () => void): unknown;
}

/** The output of the command line: results go to `out`, which can be piped, and messages for people to `err`. */
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

  /** Writes text that has its own line ends; resolves when the reader can take more. */
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

/** Given to every command. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Environment;
  /** The environment with unknown STAMPEDE variables; left out: there are none. */
  readonly givenEnv?: Environment;
  /** Called when a command failed without an error, because its output says why. */
  readonly exit: (code: number) => void;
}

/** Turns rows into lines, each column as wide as its widest cell; the last column is not padded. */
export function textTable(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd());
}

/** `1 event`, `2 events`. @param what in the singular */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
