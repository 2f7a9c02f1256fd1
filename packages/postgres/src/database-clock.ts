/**
 * The offset in milliseconds below which a clock is not reported: receivers, tokens and people hardly notice
 * less.
 */
const CLOCK_OFFSET_TOLD_MS = 2_000;

/** How far two clocks of a kind may drift apart, each by half: NTP corrects at most 500 µs in a second. */
const DRIFT = 0.0005;

interface ClockSources {
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  /** Milliseconds since 1970 by the clock of this machine, which may be wrong and may jump. */
  readonly wall: () => number;
}

const OF_THE_PROCESS: ClockSources = { steady: () => performance.now(), wall: () => Date.now() };

/** One reading of the database's clock. */
interface Sample {
  /** Milliseconds since 1970, in the middle of the round trip. */
  readonly databaseMs: number;
  readonly steadyMs: number;
  /** The largest possible error: half of the round trip. */
  readonly errorMs: number;
}

/**
 * The database's time in this process: its last reading, plus what has passed since by a monotonic clock. So
 * processes whose clocks differ mean the same moment, and a process whose clock jumps does not notice.
 * Statements use their own `now()`; this clock is for times that a process reports or decides on between
 * statements.
 *
 * Before the first reading it is the process's own time.
 */
export class DatabaseClock {
  readonly #sources: ClockSources;
  #sample: Sample | undefined;
  #offsetMs = 0;

  constructor(sources: ClockSources = OF_THE_PROCESS) {
    this.#sources = sources;
  }

  /**
   * Call it right before asking the database for its time. Call the function that it returns with the answer,
   * in milliseconds since 1970.
   */
  look(): (databaseMs: number) => void {
    const { steady, wall } = this.#sources;
    const askedAt = steady();
    return (databaseMs) => {
      const answeredAt = steady();
      const steadyMs = (askedAt + answeredAt) / 2;
      this.#take({ databaseMs, steadyMs, errorMs: (answeredAt - askedAt) / 2 });
      this.#offsetMs = wall() - this.#at(answeredAt);
    };
  }

  now(): Date {
    return new Date(this.#at(this.#sources.steady()));
  }

  /** By how many milliseconds this process's clock was ahead at the last reading; below 0: behind. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** A slow round trip is inexact: a better reading is kept, unless the two contradict each other. */
  #take(sample: Sample): void {
    const known = this.#sample;
    if (known !== undefined) {
      const errorMs = known.errorMs + (sample.steadyMs - known.steadyMs) * DRIFT;
      const apartMs = Math.abs(sample.databaseMs - this.#at(sample.steadyMs));
      if (errorMs < sample.errorMs && apartMs <= errorMs + sample.errorMs) return;
    }
    this.#sample = sample;
  }

  #at(steadyMs: number): number {
    if (this.#sample === undefined) return this.#sources.wall();
    return this.#sample.databaseMs + (steadyMs - this.#sample.steadyMs);
  }
}

/** The message about a clock that is off by too much; undefined if it is not. */
export function clockFault(offsetMs: number): string | undefined {
  if (Math.abs(offsetMs) <= CLOCK_OFFSET_TOLD_MS) return undefined;
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return `this machine's clock is ${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"} the database's`;
}
