import t from "tap";
import { Terminal } from "../terminal.ts";
import { formatDuration, ProgressLine, type ProgressState } from "./progress-line.ts";
import { describeRejected, describeTally } from "./report.ts";
import type { RowAt, RowResult } from "./row-result.ts";
import { Tally } from "./tally.ts";

const at = (line: number, input = 0): RowAt => ({ input, ordinal: line, line, row: {} });
const rejected = (reason: string, detail?: string): RowResult => ({
  outcome: "rejected",
  rejection: { code: "bad_request", reason, ...(detail !== undefined && { detail }) },
});

t.test("report - outcomes in one line, then each reason with its number and its first row", async (t) => {
  const tally = new Tally();
  for (let i = 1; i <= 1200; i++) tally.add(at(i), { outcome: "created" });
  tally.add(at(7, 1), rejected("bin must match"));
  tally.add(at(8, 1), rejected("authed_at is a time that never was", "02:30 was skipped"));
  tally.add(at(9, 1), rejected("bin must match"));
  t.strictSame(describeTally(tally, ["a.csv", "b.csv"]), [
    "1,203 rows: 1,200 created, 0 updated, 0 unchanged, 3 rejected",
    "           2  bad_request: bin must match (first b.csv:7)",
    "           1  bad_request: authed_at is a time that never was (b.csv:8: 02:30 was skipped)",
  ]);
  t.equal(describeRejected(tally), "3 rejected (2 bin must match, 1 authed_at is a time that never was)");
});

t.test("report - a resumed import has the numbers of the whole", async (t) => {
  const first = new Tally();
  first.add(at(1), { outcome: "created" });
  first.add(at(2), rejected("one"));
  const second = new Tally(JSON.parse(JSON.stringify(first.store())));
  second.add(at(3), { outcome: "unchanged" });
  second.add(at(4), rejected("one"));
  t.strictSame(describeTally(second, ["a.csv"]), [
    "4 rows: 1 created, 0 updated, 1 unchanged, 2 rejected",
    "           2  bad_request: one (first line 2)",
  ]);
  t.equal(first.rejected, 1, "the stored tally does not change with it");
});

t.test("report - reasons are counted separately, up to a bound", async (t) => {
  const tally = new Tally();
  for (let i = 0; i < 1000; i++) tally.add(at(i), rejected(`reason ${i}`));
  t.equal(tally.rejected, 1000);
  t.equal(tally.reasons().length, 101);
  t.match(tally.reasons()[0], { code: "other", count: 900 });
  t.equal(describeTally(tally, ["a.csv"]).length, 22, "and fewer are shown");
});

t.test("progress - on a terminal the line is overwritten, with rate and time left", async (t) => {
  const written: string[] = [];
  const err = { isTTY: true, columns: 100, write: (text: string) => written.push(text) };
  const state = { rows: 0, share: 0.25, words: "none rejected" };
  const progress = new ProgressLine(new Terminal({ write: () => {} }, err), "rows", (): ProgressState => {
    state.rows += 1000;
    state.share += 0.05;
    return state;
  });
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (written.length < 3) return;
      clearInterval(look);
      resolve();
    }, 10);
  });
  progress.end();
  const start = "\r\x1b[K";
  t.ok(written.every((text) => text.startsWith(start) && text.length < 110));
  const lines = written.map((text) => text.slice(start.length));
  t.match(lines[0], /^█+░+ +30 % {2}1,000 rows, 0\/s, none rejected$/);
  t.match(lines[2], /^█+░+ +\d\d % {2}3,000 rows, [\d,]+\/s, none rejected, \d+ s left$/);
  t.equal(lines.at(-1), "", "the line is left clean");
});

t.test("durations - durations have the two largest units", async (t) => {
  t.strictSame([0.4, 7, 59.6, 723, 7505].map(formatDuration), [
    "0 s",
    "7 s",
    "1 min 0 s",
    "12 min 3 s",
    "2 h 5 min",
  ]);
});
