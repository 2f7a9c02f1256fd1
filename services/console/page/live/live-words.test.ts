import t from "tap";
import type { LiveHop, LiveState } from "../../src/live/live-answer.ts";
import { chartText, countText, partitionsText, secondsText, shareText, stateText } from "./live-words.ts";

t.test("live words - counts", async (t) => {
  const written = [0, 0.04, 3, 4.26, 12.7, 1234.5, 9999, 12_345, 2_500_000, null].map(countText);
  t.strictSame(written, ["0", "< 0.1", "3", "4.3", "13", "1,235", "9,999", "12.3k", "2.5M", "–"]);
});

t.test("live words - durations", async (t) => {
  const written = [0, 0.0004, 0.012, 0.99, 0.9996, 1.25, 59.9, 59.96, 200, 7500, null].map(secondsText);
  const expected = ["0 s", "0.4 ms", "12 ms", "990 ms", "1.0 s", "1.3 s", "59.9 s", "1 min 0 s"];
  t.strictSame(written, [...expected, "3 min 20 s", "2 h 5 min", "–"]);
});

t.test("live words - shares: a small share is not shown as 0", async (t) => {
  t.strictSame([0, 0.004, 0.5, 0.999, 1, null].map(shareText), [
    "0 %",
    "< 1 %",
    "50 %",
    "99 %",
    "100 %",
    "–",
  ]);
});

t.test("live words - partitions in runs", async (t) => {
  t.strictSame([[], [4], [0, 1, 2, 3], [0, 1, 3, 5, 6]].map(partitionsText), ["", "4", "0–3", "0–1, 3, 5–6"]);
});

t.test("live words - a chart in words, for users who do not see it", async (t) => {
  t.equal(chartText([5, null, 120], countText), "now 120, from 5 to 120 in the last 15 minutes");
  t.equal(chartText([5, null], countText), "not known now, from 5 to 5 in the last 15 minutes");
  t.equal(chartText([null], countText), "not known in the last 15 minutes");
});

function hop(name: string, state: LiveHop["state"], ...notes: string[]): LiveHop {
  const numbers = { perSecond: 1, p99Seconds: 1, lag: 1, oldestSeconds: 1, errorsPerSecond: 0 };
  const words = { unit: "events", waiting: "messages", timed: "a batch" };
  return { name, state, notes, ...numbers, ...words, processes: [], unowned: 0, streams: [], replays: [] };
}

const state = (hops: readonly LiveHop[], rest: Partial<LiveState> = {}): LiveState => ({
  at: 0,
  hops,
  requestsPerSecond: 1,
  refusedPerSecond: 0,
  silent: [],
  streamsProblem: null,
  ...rest,
});

t.test("live words - everything in one sentence, which says what is wrong first", async (t) => {
  const [edge, ingest] = [hop("edge", "ready"), hop("ingest", "ready")];
  t.equal(stateText(state([edge, ingest])), "All hops are ready.");
  t.equal(stateText(state([edge, hop("platform", "not asked")])), "edge: ready; 1 not asked.");
  t.equal(
    stateText(
      state([edge, hop("ingest", "down"), hop("rewards", "not ready", "1 of 2 processes not ready")]),
    ),
    "ingest is down; rewards is not ready (1 of 2 processes not ready).",
  );
  const silent = [{ url: "http://10.0.0.9:9464", reason: "ECONNREFUSED" }];
  t.equal(stateText(state([edge, ingest], { silent })), "an address does not answer.");
  t.equal(stateText(state([edge], { streamsProblem: "no connection" })), "the streams cannot be read.");
});
