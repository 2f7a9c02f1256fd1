import type { Terminal } from "../terminal.ts";
import { formatNumber } from "./report.ts";
import type { LoadSample } from "./run-load.ts";

const BAR_WIDTH = 24;

/** The progress of the load: a line each second; on a terminal also one that is overwritten in between. */
export class LiveLines {
  readonly #terminal: Terminal;
  /** Webhook events of this run so far. */
  readonly #eventsTold: () => number;
  /** Events committed in each past second. */
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

  add(sample: LoadSample): void {
    if (sample.endsSecond) {
      const rate = rateSince(this.#second, sample);
      this.#second = sample;
      this.#rates.push(rate);
      this.#clear();
      this.#terminal.out(this.#line(sample, rate));
    } else if (this.#terminal.width !== undefined) {
      const rate = rateSince(this.#before, sample);
      // One column stays free: a terminal that wraps at the last one could not overwrite the line.
      this.#terminal.rewrite(this.#line(sample, rate).slice(0, this.#terminal.width - 1));
    }
    this.#before = sample;
  }

  /** Prints a message between two lines. */
  say(text: string): void {
    this.#clear();
    this.#terminal.out(`          ${text}`);
  }

  /** The median of the seconds' rates: the dip and the rush after it do not move it. */
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
