import { appendFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { waitFor } from "#test-support";
import { FollowedLog } from "./service-log.ts";

t.test("follow log - gives whole lines that were added since, also when they came in pieces", async (t) => {
  const file = join(t.testdir({ log: "before\n" }), "log");
  const lines: string[] = [];
  const followed = new FollowedLog(file, (line) => lines.push(line));
  appendFileSync(file, "one\ntw");
  await waitFor(() => lines.length === 1, { message: "the first line" });
  appendFileSync(file, "o\nthree\n");
  followed.close();
  t.strictSame(lines, ["one", "two", "three"]);
});
