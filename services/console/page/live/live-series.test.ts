import t from "tap";
import type { Column, LiveAnswer } from "../../src/live/live-answer.ts";
import {
  addSamples,
  chartData,
  columnOf,
  type LiveSeries,
  minutesOf,
  NO_SERIES,
  nearestSample,
  WINDOW_MS,
} from "./live-series.ts";

/** An answer with samples of one hop at these times; its numbers are those of `values`. */
function answer(at: readonly number[], values: Column, hop = "edge"): LiveAnswer {
  const columns = { perSecond: values, p99Seconds: values, lag: values, oldestSeconds: values };
  const newest = { at: at.at(-1) ?? 0, hops: [], requestsPerSecond: 0, refusedPerSecond: 0 };
  return {
    at,
    refusedPerSecond: values,
    hops: [{ name: hop, ...columns }],
    now: { ...newest, silent: [], streamsProblem: null },
  };
}

t.test("live series - new samples are added after the others", async (t) => {
  const first = addSamples(NO_SERIES, answer([1000, 2000], [1, null]));
  const second = addSamples(first, answer([3000], [3]));
  t.strictSame(second.at, [1000, 2000, 3000]);
  t.strictSame(second.refusedPerSecond, [1, null, 3]);
  t.strictSame(columnOf(second, "edge", "lag"), [1, null, 3]);
  t.strictSame(columnOf(second, "no hop", "lag"), [null, null, null]);
});

t.test("live series - is bounded by its window, however long the page stays open", async (t) => {
  let series: LiveSeries = NO_SERIES;
  for (let second = 1; second <= 2000; second++)
    series = addSamples(series, answer([second * 1000], [second]));
  t.equal(series.at.length, WINDOW_MS / 1000);
  t.equal(series.at.at(-1), 2_000_000);
  t.equal(columnOf(series, "edge", "perSecond")[0], 1101);
});

t.test("live series - starts over when the clock was set back, and when all samples are old", async (t) => {
  const before = addSamples(NO_SERIES, answer([100_000, 200_000], [1, 2]));
  t.strictSame(addSamples(before, answer([5000], [7])).at, [5000]);
  const behind: LiveAnswer = { ...answer([199_000], [7]), at: [], refusedPerSecond: [], hops: [] };
  t.strictSame(addSamples(before, behind), before, "another console is a second behind");
  t.strictSame(addSamples(before, answer([WINDOW_MS * 3], [3])).at, [WINDOW_MS * 3]);
});

t.test("live series - takes an answer without a sample, and a new hop", async (t) => {
  const none: LiveAnswer = { at: [], refusedPerSecond: [], hops: [], now: null };
  t.strictSame(addSamples(NO_SERIES, none), NO_SERIES);
  const before = addSamples(NO_SERIES, answer([1000, 2000], [1, 2]));
  const other = addSamples(before, answer([3000], [3], "ingest"));
  t.strictSame(columnOf(other, "ingest", "perSecond"), [null, null, 3]);
});

t.test("live series - the line is broken where samples are missing", async (t) => {
  t.strictSame(chartData([1000, 6000, 60_000], [1, null, 3]), [
    [1, 6, 6.001, 60],
    [1, null, null, 3],
  ]);
  t.strictSame(chartData([], []), [[], []]);
});

t.test("live series - finds the sample nearest to a time", async (t) => {
  t.equal(nearestSample([1000, 2000, 7000], 1600), 1);
  t.equal(nearestSample([1000, 2000, 7000], 90_000), 2);
  t.equal(nearestSample([], 1), -1);
});

t.test("live series - by minute: the mean rate, and the worst of the others; unknown is not 0", async (t) => {
  const minute = 60_000;
  const at = [minute, minute + 1000, 2 * minute, 2 * minute + 1000];
  const series = addSamples(NO_SERIES, answer(at, [10, 20, null, null]));
  const unknown = { perSecond: null, p99Seconds: null, lag: null, oldestSeconds: null };
  t.strictSame(minutesOf(series, "edge"), [
    { at: 2 * minute, ...unknown },
    { at: minute, perSecond: 15, p99Seconds: 20, lag: 20, oldestSeconds: 20 },
  ]);
});
