import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { createLog } from "#runtime";
import { ReplayProgress, replayLeft, tellReplay } from "./replay-progress.ts";

const NOW = Date.parse("2026-05-01T12:00:00Z");

function logged() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: createLog({ service: "test", level: "info", destination }) };
}

t.test("replay - an old place is reported, with the number of messages and since when", async (t) => {
  const { lines, log } = logged();
  const tell = (storedAtMs: number | null, last: number) =>
    tellReplay(log, { stream: "INGEST_0", place: { done: 10, storedAtMs }, last, nowMs: NOW });
  t.equal(tell(NOW - 59_000, 30), undefined, "a process has just read");
  t.equal(tell(NOW - 600_000, 10), undefined, "there is nothing to read");
  t.equal(tell(null, 30), undefined, "the time is not known");
  t.strictSame(lines, []);
  const replay = tell(NOW - 600_000, 30);
  t.strictSame(replay, { through: 30, sinceMs: NOW - 600_000 });
  t.match(lines, [{ stream: "INGEST_0", messages: 20, since: "2026-05-01T11:50:00.000Z" }]);
  t.equal(replayLeft({ done: 12, replay }), 18);
  t.equal(replayLeft({ done: 31, replay }), 0);
  t.equal(replayLeft({ done: 0 }), 0);
});

t.test("replay - its progress is reported now and then, and its end once", async (t) => {
  const { lines, log } = logged();
  const progress = new ReplayProgress(log, 50);
  const replay = { through: 30, sinceMs: null };
  const note = (done: number) => progress.note("INGEST_0", { done, replay });
  note(10);
  note(11);
  await delay(60);
  note(20);
  note(30);
  note(31);
  progress.note("INGEST_1", { done: 5 });
  t.strictSame(
    lines.map(({ msg, stream, messages }) => [stream, msg, messages]),
    [
      ["INGEST_0", "a replay is under way", 20],
      ["INGEST_0", "a replay is under way", 10],
      ["INGEST_0", "a replay is over", undefined],
    ],
  );
});
