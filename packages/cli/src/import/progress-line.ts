import type { Terminal } from "../terminal.ts";

const BAR_WIDTH = 24;
const REDRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;
/** The rate of the last seconds predicts better than that of hours. */
const RATE_OVER_MS = 10_000;

/** The progress of long work. */
export interface ProgressState {
  /** Rows that are done in this run. */
  readonly rows: number;
  /** From 0 to 1; undefined if the total is unknown. */
  readonly share: number | undefined;
  /** Added to the line, such as how many rows were rejected. */
  readonly words: string;
}

interface Sample extends Pick<ProgressState, "rows" | "share"> {
  readonly at: number;
}

/** Shows the progress of some work until `end`: a line that is overwritten on a terminal, otherwise one every five seconds. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #unit: string;
  readonly #look: () => ProgressState;
  readonly #timer: NodeJS.Timeout;
  readonly #samples: Sample[] = [];
  #first: Sample | undefined;

  /** @param unit what is counted: `rows` */
  constructor(terminal: Terminal, unit: string, look: () => ProgressState) {
    this.#terminal = terminal;
    this.#unit = unit;
    this.#look = look;
    const every = terminal.width === undefined ? LINE_EVERY_MS : REDRAW_EVERY_MS;
    this.#timer = setInterval(() => this.#show(), every);
  }

  /** Clears the line. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#terminal.width !== undefined) this.#terminal.rewrite("");
  }

  #show(): void {
    const { rows, share, words } = this.#look();
    const now: Sample = { at: performance.now(), rows, share };
    this.#first ??= now;
    this.#samples.push(now);
    while ((this.#samples[0] as Sample).at < now.at - RATE_OVER_MS) this.#samples.shift();
    const text = [
      `${rows.toLocaleString("en")} ${this.#unit}`,
      `${Math.round(rateOf(this.#samples[0] as Sample, now)).toLocaleString("en")}/s`,
      ...(words === "" ? [] : [words]),
      ...timeLeft(this.#first, now),
    ].join(", ");
    const { width } = this.#terminal;
    if (width === undefined) this.#terminal.err(share === undefined ? text : `${percent(share)}  ${text}`);
    // One column stays free: a terminal that wraps at the last one could not overwrite the line.
    else this.#terminal.rewrite(`${bar(share)}${text}`.slice(0, width - 1));
  }
}

function rateOf(from: Sample, to: Sample): number {
  return to.at > from.at ? (1000 * (to.rows - from.rows)) / (to.at - from.at) : 0;
}

function bar(share: number | undefined): string {
  if (share === undefined) return "";
  const filled = Math.round(BAR_WIDTH * share);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent(share)}  `;
}

const percent = (share: number): string => `${Math.floor(100 * share)} %`.padStart(5);

/** By the share that was done since the first look, without the rows of an earlier run. */
function timeLeft(first: Sample, now: Sample): string[] {
  if (first.share === undefined || now.share === undefined || now.share <= first.share) return [];
  const perShare = (now.at - first.at) / (now.share - first.share);
  return [`${formatDuration(((1 - now.share) * perShare) / 1000)} left`];
}

/** `7 s`, `12 min 3 s`, `2 h 5 min` */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
