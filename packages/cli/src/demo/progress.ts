import type { Terminal } from "../terminal.ts";
import { formatNumber } from "./report.ts";

const BAR_WIDTH = 30;
const REDRAW_MS = 80;
const LINE_EVERY_PERCENT = 10;

/** How far the sending is: a line that is written over on a terminal, else a plain line every ten percent. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #nextPercent = LINE_EVERY_PERCENT;

  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal;
    this.#total = total;
  }

  advance(events: number): void {
    this.#done += events;
    if (this.#terminal.width === undefined) this.#writeLine();
    else if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw(this.#terminal.width);
  }

  /** Leaves the line clean for what comes next. */
  end(): void {
    if (this.#terminal.width !== undefined) this.#terminal.rewrite("");
  }

  #draw(width: number): void {
    this.#drawnAt = performance.now();
    const filled = Math.round((BAR_WIDTH * this.#done) / this.#total);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    // One column is left free: a terminal that wraps at the last one could not be written over.
    this.#terminal.rewrite(`${bar} ${this.#words()}`.slice(0, width - 1));
  }

  #writeLine(): void {
    const percent = Math.floor((100 * this.#done) / this.#total);
    if (percent < this.#nextPercent) return;
    this.#nextPercent = percent - (percent % LINE_EVERY_PERCENT) + LINE_EVERY_PERCENT;
    this.#terminal.err(this.#words());
  }

  #words(): string {
    const percent = `${Math.floor((100 * this.#done) / this.#total)} %`.padStart(5);
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const rate = formatNumber(Math.round(this.#done / Math.max(seconds, 0.001)));
    return `${percent}  ${formatNumber(this.#done)} of ${formatNumber(this.#total)} events, ${rate}/s`;
  }
}
