import type { Column, HopColumns, HopNumbers, LiveAnswer } from "../../src/live/live-answer.ts";

/** The charts show the last quarter of an hour. */
export const WINDOW_MS = 15 * 60_000;
/** Samples are at most 5 s apart; a longer gap breaks the line. */
const GAP_MS = 15_000;
/** Of two consoles behind one address, one may be a sample or two behind the other. */
const BEHIND_MS = 60_000;

/** The samples of the last quarter of an hour, column by column. */
export type LiveSeries = Omit<LiveAnswer, "now">;

export const NO_SERIES: LiveSeries = { at: [], refusedPerSecond: [], hops: [] };

/**
 * Adds the samples of an answer, and drops those that are out of the window.
 *
 * If the newest sample is much older than the last one here, the console's clock was set back; then the series starts over.
 */
export function addSamples(before: LiveSeries, { now, ...answer }: LiveAnswer): LiveSeries {
  const last = before.at.at(-1);
  if (now === null || last === undefined || last - now.at > BEHIND_MS) return answer;
  if (now.at < last) return before;
  const kept = before.at.findIndex((at) => at > now.at - WINDOW_MS);
  const from = kept === -1 ? before.at.length : kept;
  const join = (older: Column | undefined, newer: Column): Column =>
    older === undefined ? [...nulls(before.at.length - from), ...newer] : [...older.slice(from), ...newer];
  return {
    at: [...before.at.slice(from), ...answer.at],
    refusedPerSecond: join(before.refusedPerSecond, answer.refusedPerSecond),
    hops: answer.hops.map((hop): HopColumns => {
      const older = before.hops.find(({ name }) => name === hop.name);
      return {
        name: hop.name,
        perSecond: join(older?.perSecond, hop.perSecond),
        p99Seconds: join(older?.p99Seconds, hop.p99Seconds),
        lag: join(older?.lag, hop.lag),
        oldestSeconds: join(older?.oldestSeconds, hop.oldestSeconds),
      };
    }),
  };
}

function nulls(length: number): null[] {
  return new Array<null>(length).fill(null);
}

/** The column of a hop; all unknown if there is no such hop. */
export function columnOf({ at, hops }: LiveSeries, hop: string, number: keyof HopNumbers): Column {
  return hops.find(({ name }) => name === hop)?.[number] ?? nulls(at.length);
}

/** For uPlot: seconds since 1970, and values, with a break in each gap. */
export function chartData(at: readonly number[], column: Column): [number[], (number | null)[]] {
  const x: number[] = [];
  const y: (number | null)[] = [];
  for (const [i, time] of at.entries()) {
    const before = at[i - 1];
    if (before !== undefined && time - before > GAP_MS) {
      x.push((before + 1) / 1000);
      y.push(null);
    }
    x.push(time / 1000);
    y.push(column[i] ?? null);
  }
  return [x, y];
}

/** The sample that is nearest to a time; -1 if there is none. */
export function nearestSample(at: readonly number[], time: number): number {
  let nearest = -1;
  for (const [i, one] of at.entries()) {
    if (nearest === -1 || Math.abs(one - time) < Math.abs((at[nearest] ?? 0) - time)) nearest = i;
  }
  return nearest;
}

/** A hop in one minute: the mean of its rate, and the worst of its other numbers, as far as they are known. */
export interface Minute extends HopNumbers {
  /** Its beginning, in milliseconds since 1970. */
  readonly at: number;
}

const MINUTE_MS = 60_000;

/** The charts of a hop as a table, newest minute first. */
export function minutesOf(series: LiveSeries, hop: string): Minute[] {
  const minutes = new Map<number, number[]>();
  for (const [i, at] of series.at.entries()) {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    minutes.set(minute, [...(minutes.get(minute) ?? []), i]);
  }
  const worst = (values: readonly number[]) => Math.max(...values);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...minutes]
    .map(([at, samples]) => {
      const over = (number: keyof HopNumbers, summary: (values: readonly number[]) => number) => {
        const column = columnOf(series, hop, number);
        const known = samples.flatMap((i) => column[i] ?? []);
        return known.length === 0 ? null : summary(known);
      };
      return {
        at,
        perSecond: over("perSecond", mean),
        p99Seconds: over("p99Seconds", worst),
        lag: over("lag", worst),
        oldestSeconds: over("oldestSeconds", worst),
      };
    })
    .reverse();
}
