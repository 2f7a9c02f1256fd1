import type { Terminal } from "../terminal.ts";
import type { LoadSample } from "./load-job.ts";
import { formatNumber } from "./report.ts";

const BAR_WIDTH = 24;

/** How the load goes: a line a second that stays, and on a terminal one that is written over in between. */
export class LiveLines {
  readonly #terminal: Terminal;
  /** Webhook events of this run that have come so far. */
  readonly #eventsTold: () => number;
  /** Events committed in each second that is over. */
  readonly #rates: number[] = [];
  /** The last sample, and the last that ended a second. */
  #before: Point = { seconds: 0, committed: 0 };
  #second: Point = { seconds: 0, committed: 0 };

  constructor(terminal: Terminal, eventsTold: () => number) {
    this.#terminal = terminal;
    this.#eventsTold = eventsTold;
    terminal.out(
      `${"second".padStart(8)}  ${"events/s committed".padEnd(34)}     p50     p99      lag  webhook events`,
    );
  }

  /** How it goes now. */
  add(sample: LoadSample): void {
    if (sample.endsSecond) {
      const rate = rateSince(this.#second, sample);
      this.#second = sample;
      this.#rates.push(rate);
      this.#clear();
      this.#terminal.out(this.#line(sample, rate));
    } else if (this.#terminal.width !== undefined) {
      const rate = rateSince(this.#before, sample);
      // One column is left free: a terminal that wraps at the last one could not be written over.
      this.#terminal.rewrite(this.#line(sample, rate).slice(0, this.#terminal.width - 1));
    }
    this.#before = sample;
  }

  /** Something that happened, between two of the lines. */
  say(text: string): void {
    this.#clear();
    this.#terminal.out(`          ${text}`);
  }

  /** The middle of the seconds' rates: a dip, and the rush after it, do not move it. */
  get middleRate(): number {
    return this.#rates.toSorted((a, b) => a - b)[this.#rates.length >> 1] ?? 0;
  }

  end(): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#terminal.width !== undefined) this.#terminal.rewrite("");
  }

  #line({ seconds, times, lagMs }: LoadSample, rate: number): string {
    const most = Math.max(rate, 1, ...this.#rates);
    const bar = "█".repeat(Math.round((BAR_WIDTH * rate) / most)).padEnd(BAR_WIDTH);
    const ms = (value: number | undefined) => (value === undefined ? "" : `${value} ms`).padStart(8);
    return [
      seconds.toFixed(0).padStart(8),
      `  ${formatNumber(rate).padStart(8)}  ${bar}`,
      ms(times?.p50Ms),
      ms(times?.p99Ms),
      `${(lagMs / 1000).toFixed(1)} s`.padStart(9),
      formatNumber(this.#eventsTold()).padStart(16),
    ].join("");
  }
}

type Point = Pick<LoadSample, "seconds" | "committed">;

function rateSince(before: Point, now: Point): number {
  return Math.round((now.committed - before.committed) / (now.seconds - before.seconds));
}
