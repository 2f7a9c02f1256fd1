export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** The answers over the measured time, in pieces of a quarter of a second. */
export interface TimelineFigures {
  /** The measured time. */
  readonly seconds: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly latency: Percentiles;
  readonly pieces: readonly {
    /** From the start of the measured time to the piece's end. */
    readonly second: number;
    readonly perSecond: number;
    readonly latency: Percentiles;
  }[];
}

const PIECE_MS = 250;

/**
 * Collects latencies cheaply as answers come, and adds them up afterwards. Times are those of
 * `performance.now()`.
 */
export class Timeline {
  #startMs: number;
  #endMs: number;
  #isBegun = false;
  readonly #pieces: number[][] = [];

  constructor(startMs: number, endMs: number) {
    this.#startMs = startMs;
    this.#endMs = endMs;
  }

  /** When the measured time is over. */
  get endMs(): number {
    return this.#endMs;
  }

  /**
   * Call it with each answer of a closed loop, before it is added; for an open loop, when the warm-up is
   * over. If the first call is later than planned, the measured time begins with it: on a busy machine a
   * short one would otherwise be over before.
   */
  answered(nowMs: number): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const late = Math.max(0, nowMs - this.#startMs);
    this.#startMs += late;
    this.#endMs += late;
  }

  /** Leaves out the warm-up and answers after the end. */
  add(nowMs: number, latencyMs: number): void {
    if (nowMs < this.#startMs || nowMs >= this.#endMs) return;
    const at = Math.floor((nowMs - this.#startMs) / PIECE_MS);
    let piece = this.#pieces[at];
    if (piece === undefined) {
      piece = [];
      this.#pieces[at] = piece;
    }
    piece.push(latencyMs);
  }

  /** @param endMs when the measured time really ended, if that was before its time */
  figures(endMs = this.#endMs): TimelineFigures {
    const wanted = Math.min(endMs, this.#endMs) - this.#startMs;
    const count = Math.max(1, Math.floor(wanted / PIECE_MS));
    const pieces = Array.from({ length: count }, (_, at) => this.#pieces[at] ?? []);
    const seconds = (count * PIECE_MS) / 1000;
    const all = Float64Array.from(pieces.flat());
    return {
      seconds,
      perSecond: all.length / seconds,
      latency: percentiles(all),
      pieces: pieces.map((piece, at) => ({
        second: ((at + 1) * PIECE_MS) / 1000,
        perSecond: (piece.length * 1000) / PIECE_MS,
        latency: percentiles(Float64Array.from(piece)),
      })),
    };
  }
}

/** Nearest rank; all zero if there is no value. */
export function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: sorted.at(-1) ?? 0 };
}

/** @param share 0.5: the middle one; 1: the last */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** A later candidate must be better by this much: past the knee more connections only add waiting. */
const WORTH_IT = 1.03;

/** Tries candidates in order and keeps the best by score; takes a single candidate without trying. */
export async function findBest<T>(
  candidates: readonly T[],
  score: (candidate: T) => Promise<number>,
): Promise<{ readonly best: T; readonly score: number | undefined }> {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("no candidates");
  if (others.length === 0) return { best: first, score: undefined };
  let best: T = first;
  let bestScore = await score(first);
  for (const candidate of others) {
    const its = await score(candidate);
    if (its <= bestScore * WORTH_IT) continue;
    best = candidate;
    bestScore = its;
  }
  return { best, score: bestScore };
}

/** The middle one; of an even number the lower of the two. */
export function median<T>(values: readonly T[], of: (value: T) => number): T {
  const sorted = values.toSorted((a, b) => of(a) - of(b));
  return sorted[Math.floor((sorted.length - 1) / 2)] as T;
}

export function middle(values: readonly number[]): number {
  return median(values, (value) => value);
}
