import t from "tap";
import type { LiveState } from "./live-answer.ts";
import { LiveHistory } from "./live-history.ts";

function state(at: number, perSecond: number | null): LiveState {
  return {
    at,
    hops: [
      {
        name: "edge",
        state: "ready",
        perSecond,
        p99Seconds: 0.0123456,
        lag: 3,
        oldestSeconds: null,
        errorsPerSecond: 0,
        unit: "events",
        waiting: "events",
        timed: "a request",
        processes: [{ id: "edge", state: "ready", partitions: [] }],
        unowned: 0,
        streams: [],
        replays: [],
        notes: [],
      },
    ],
    requestsPerSecond: 1,
    refusedPerSecond: 0,
    silent: [],
    streamsProblem: null,
  };
}

t.test("history - gives the newer samples, column by column, and the newest in full", async (t) => {
  const history = new LiveHistory();
  t.strictSame(
    history.answer(),
    { at: [], refusedPerSecond: [], hops: [], now: null },
    "before the first sample",
  );
  history.add(state(1000, 12.3456));
  history.add(state(2000, null));
  const { now, ...columns } = history.answer();
  t.strictSame(columns, {
    at: [1000, 2000],
    refusedPerSecond: [0, 0],
    hops: [
      {
        name: "edge",
        perSecond: [12.35, null],
        p99Seconds: [0.01235, 0.01235],
        lag: [3, 3],
        oldestSeconds: [null, null],
      },
    ],
  });
  t.equal(now?.at, 2000);
  t.strictSame(history.answer(1000).at, [2000]);
  t.strictSame(history.answer(2000).hops[0]?.lag, []);
  t.equal(history.answer(2000).now?.at, 2000);
});

t.test("history - is bounded: the oldest samples leave", async (t) => {
  const history = new LiveHistory(3);
  for (let at = 1; at <= 5; at++) history.add(state(at, at));
  t.strictSame(history.answer().at, [3, 4, 5]);
});

t.test("history - keeps its order when the clock is set back", async (t) => {
  const history = new LiveHistory();
  for (const at of [1000, 2000, 3000, 1500]) history.add(state(at, at));
  t.strictSame(history.answer().at, [1000, 1500]);
  t.equal(history.answer().now?.at, 1500);
});
