import { closeSync, openSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Say } from "./step.ts";

export interface TerminalOptions {
  /** The folder under `services`. */
  readonly name: string;
  readonly logFile: string;
  readonly say: Say;
}

const LINES_PER_WINDOW = 10;
const LINES_WINDOW_MS = 10_000;

/**
 * What the terminal shows of one service. Nothing until the service is up, because a failed start is reported
 * as one line then. A service that warns all the time (because a server is away) is cut short: its log has
 * everything.
 */
export class Terminal {
  readonly #options: TerminalOptions;
  #isOpen = false;
  #words: string | undefined;
  #windowStart = 0;
  #shown = 0;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
  }

  /**
   * Why the service ended while starting, as it printed it: `stampede <name>: <one line>`, otherwise its last
   * line that is no log line.
   */
  lastWords(): string | undefined {
    return this.#words?.replace(`stampede ${this.#options.name}: `, "");
  }

  show(line: string): void {
    const { name, logFile, say } = this.#options;
    const isExplained = this.#words?.startsWith(`stampede ${name}: `) === true; // a stack may follow it
    if (!line.startsWith("{") && !isExplained) this.#words = line;
    const notable = this.#isOpen ? notableLine(line) : undefined;
    if (notable === undefined) return;
    const now = Date.now();
    if (now - this.#windowStart > LINES_WINDOW_MS) {
      this.#windowStart = now;
      this.#shown = 0;
    }
    this.#shown++;
    if (this.#shown <= LINES_PER_WINDOW) say(`${name} ${notable}`);
    else if (this.#shown === LINES_PER_WINDOW + 1) say(`${name} says more, see ${logFile}`);
  }
}

const NOTABLE = new Set(["warn", "error", "fatal"]);

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
}

/**
 * What the terminal shows of a line of a service's log: warnings and errors, shortened to one line, and lines
 * that are no log lines at all (a failed start, the runtime's own last words). Undefined for all others.
 */
export function notableLine(line: string): string | undefined {
  if (!line.startsWith("{")) return line;
  try {
    const { level = "", msg = "", err } = JSON.parse(line) as LogLine;
    if (!NOTABLE.has(level)) return undefined;
    return `${level}: ${msg}${err?.message ? ` (${err.message})` : ""}`;
  } catch {
    return line;
  }
}

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the lines that are added to a file, from its present end on. Services write their log into the file
 * themselves (a pipe through this process would break with it, in the middle of their drain); this class
 * shows the terminal what matters.
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

  /** Reads everything that is there by now. */
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
