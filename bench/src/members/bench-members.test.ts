import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { runBenchmark } from "../kit/benchmark.ts";
import { BENCH_MEMBERS } from "./bench-members.ts";

t.setTimeout(400_000);

t.test("bench members - the quick benchmark measures, verifies, prints and records", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "stampede-bench-results-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const options = BENCH_MEMBERS.arguments.read(["--quick", "--results", dir]);
  if (options === "help") throw new Error("no options");
  let report = "";
  const print = (text: string): void => {
    report += text;
  };
  t.ok(await runBenchmark(BENCH_MEMBERS, options, { say: () => {}, print }));
  t.match(report, /^verified: /m);
  t.match(report, /last page against the first +[\d.]+ ×/);
  const line = JSON.parse(readFileSync(join(dir, "members-quick.jsonl"), "utf8"));
  t.match(line, { format: 1, mode: "members-quick", result_hash: /^[0-9a-f]{64}$/ });
  for (const what of ["created", "updated", "unchanged", "deleted"])
    t.ok(line.members_per_second[what] > 0, what);
  t.ok(line.page_ms.first > 0 && line.page_ms.last > 0);
});

t.test("bench members - wrong arguments are named", async (t) => {
  t.equal(BENCH_MEMBERS.arguments.read(["--help"]), "help");
  t.throws(() => BENCH_MEMBERS.arguments.read(["--members", "1500"]), {
    message: /whole number of pages of 1000/,
  });
  t.throws(() => BENCH_MEMBERS.arguments.read(["--members", "1000"]), { message: /at least two/ });
  t.throws(() => BENCH_MEMBERS.arguments.read(["--fast"]));
  t.match(BENCH_MEMBERS.arguments.read(["--members", "3000"]), {
    mode: "members-partial",
    members: 3000,
    perRequest: 5000,
  });
});
