import type { Column, HopColumns, HopNumbers, LiveAnswer } from "../../src/live/live-answer.ts";

/** What the charts show. */
export const WINDOW_MS = 15 * 60_000;
/** Samples are at most 5 s apart; where there are none for longer, the line is broken. */
const GAP_MS = 15_000;
/** Of two consoles behind one address, one is a sample or two behind the other. */
const BEHIND_MS = 60_000;

/** The samples of the last quarter of an hour, column by column. */
export type LiveSeries = Omit<LiveAnswer, "now">;

export const NO_SERIES: LiveSeries = { at: [], refusedPerSecond: [], hops: [] };

/**
 * Adds the samples of an answer, and drops those that are out of the window.
 *
 * If the newest sample is much older than what is here, the clock of the console was set back: then all is begun anew.
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

/** What uPlot draws: seconds since 1970, and values, with a break where nothing was sampled. */
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

/** What a hop did in one minute. */
export interface Minute {
  /** Its beginning, in milliseconds since 1970. */
  readonly at: number;
  /** The mean of what is known. */
  readonly perSecond: number | null;
  /** The worst of what is known. */
  readonly p99Seconds: number | null;
  readonly lag: number | null;
  readonly oldestSeconds: number | null;
}

const MINUTE_MS = 60_000;

/** The charts of a hop as a table, newest first: for those who do not see them. */
export function minutesOf(series: LiveSeries, hop: string): Minute[] {
  const columns = {
    perSecond: columnOf(series, hop, "perSecond"),
    p99Seconds: columnOf(series, hop, "p99Seconds"),
    lag: columnOf(series, hop, "lag"),
    oldestSeconds: columnOf(series, hop, "oldestSeconds"),
  };
  const minutes = new Map<number, number[]>();
  for (const [i, at] of series.at.entries()) {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    minutes.set(minute, [...(minutes.get(minute) ?? []), i]);
  }
  const known = (column: Column, samples: readonly number[]) => samples.flatMap((i) => column[i] ?? []);
  const worst = (values: readonly number[]) => (values.length === 0 ? null : Math.max(...values));
  const mean = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...minutes]
    .map(([at, samples]) => ({
      at,
      perSecond: mean(known(columns.perSecond, samples)),
      p99Seconds: worst(known(columns.p99Seconds, samples)),
      lag: worst(known(columns.lag, samples)),
      oldestSeconds: worst(known(columns.oldestSeconds, samples)),
    }))
    .reverse();
}
