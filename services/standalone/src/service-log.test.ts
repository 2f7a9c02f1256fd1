import { appendFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { waitFor } from "#test-support";
import { FollowedLog, notableLine } from "./service-log.ts";

t.test("follow log - gives the whole lines added since, even if they came in pieces", async (t) => {
  const file = join(t.testdir({ log: "before\n" }), "log");
  const lines: string[] = [];
  const followed = new FollowedLog(file, (line) => lines.push(line));
  appendFileSync(file, "one\ntw");
  await waitFor(() => lines.length === 1, { message: "the first line" });
  appendFileSync(file, "o\nthree\n");
  followed.close();
  t.strictSame(lines, ["one", "two", "three"]);
});

t.test("notable line - shows warnings and errors, shortened, and no lower levels", async (t) => {
  t.equal(notableLine('{"level":"info","msg":"request"}'), undefined);
  t.equal(notableLine('{"level":"warn","msg":"nats disconnected"}'), "warn: nats disconnected");
  t.equal(notableLine('{"level":"error","msg":"failed","err":{"message":"why"}}'), "error: failed (why)");
});

t.test("notable line - any line that is not a log line is shown unchanged", async (t) => {
  for (const line of [
    "stampede edge: 127.0.0.1:80 is taken",
    "FATAL ERROR: heap out of memory",
    '{"level":"wa',
  ]) {
    t.equal(notableLine(line), line);
  }
});
