/** What the clock of a process may be off before it is told of: receivers, tokens and people notice not much more. */
export const CLOCK_OFFSET_TOLD_MS = 2_000;

/** How far two clocks of one kind may drift apart, each a half: 500 µs in a second is what NTP corrects at most. */
const DRIFT = 0.0005;

export interface ClockSources {
  /** Milliseconds of a clock that nobody sets. */
  readonly steady: () => number;
  /** Milliseconds since 1970 by the clock of this machine, which may be wrong and may jump. */
  readonly wall: () => number;
}

const OF_THE_PROCESS: ClockSources = { steady: () => performance.now(), wall: () => Date.now() };

/** One look at the database's clock. */
interface Sample {
  /** Milliseconds since 1970, in the middle of the round trip. */
  readonly databaseMs: number;
  readonly steadyMs: number;
  /** At most that far off: half of the round trip. */
  readonly errorMs: number;
}

/**
 * The database's time in this process: the last look at it and what has passed since by a clock that nobody sets. So
 * processes whose clocks differ mean the same moment, and one whose clock jumps does not notice. What is written or
 * deleted goes by `now()` of the statement itself; this is for what the process has to say or to judge between statements.
 *
 * Before the first look it is the process's own time.
 */
export class DatabaseClock {
  readonly #sources: ClockSources;
  #sample: Sample | undefined;
  #offsetMs = 0;

  constructor(sources: ClockSources = OF_THE_PROCESS) {
    this.#sources = sources;
  }

  /** To be called right before a look; what it returns takes the milliseconds since 1970 that the database said. */
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

  /** By how much this process's own clock was ahead of the database's at the last look; behind it: below 0. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** A slow round trip says little: what is known better stays, unless the two cannot both be true. */
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

/** What to say of a clock that is off by more than it may be; undefined: it is not. */
export function clockFault(offsetMs: number): string | undefined {
  if (Math.abs(offsetMs) <= CLOCK_OFFSET_TOLD_MS) return undefined;
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return `this machine's clock is ${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"} the database's`;
}
