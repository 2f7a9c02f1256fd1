import type { Column, HopColumns, HopNumbers, LiveAnswer, LiveState } from "./live-answer.ts";

/** A quarter of an hour, at a sample each second. */
const SAMPLES = 900;
/** Digits of a number in a chart. */
const DIGITS = 4;

const NUMBERS = ["perSecond", "p99Seconds", "lag", "oldestSeconds"] as const satisfies ReadonlyArray<
  keyof HopNumbers
>;

/** The numbers of a sample. Processes and streams, of which there may be many, are kept of the newest sample only. */
interface Kept {
  readonly at: number;
  readonly refusedPerSecond: number | null;
  /** By hop, in the order of `NUMBERS`. */
  readonly hops: ReadonlyArray<readonly (number | null)[]>;
}

/** The last samples, in memory and bounded. */
export class LiveHistory {
  readonly #capacity: number;
  readonly #kept: Kept[] = [];
  #now: LiveState | null = null;

  constructor(capacity = SAMPLES) {
    this.#capacity = capacity;
  }

  add(state: LiveState): void {
    // After a clock was set back, older samples must not hide new ones from a page that asks for newer ones.
    while ((this.#kept.at(-1)?.at ?? 0) >= state.at) this.#kept.pop();
    this.#now = state;
    this.#kept.push({
      at: state.at,
      refusedPerSecond: short(state.refusedPerSecond),
      hops: state.hops.map((hop) => NUMBERS.map((name) => short(hop[name]))),
    });
    if (this.#kept.length > this.#capacity) this.#kept.shift();
  }

  /** The samples after `since`, in milliseconds since 1970; left out: all. */
  answer(since = 0): LiveAnswer {
    const newer = this.#kept.filter(({ at }) => at > since);
    const hops = (this.#now?.hops ?? []).map(({ name }, hop): HopColumns => {
      const columns = NUMBERS.map((number, i): [string, Column] => [
        number,
        newer.map((kept) => kept.hops[hop]?.[i] ?? null),
      ]);
      return { name, ...(Object.fromEntries(columns) as Record<keyof HopNumbers, Column>) };
    });
    return {
      at: newer.map(({ at }) => at),
      refusedPerSecond: newer.map(({ refusedPerSecond }) => refusedPerSecond),
      hops,
      now: this.#now,
    };
  }
}

function short(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(DIGITS));
}
