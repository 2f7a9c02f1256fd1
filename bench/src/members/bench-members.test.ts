import t from "tap";
import { quickRun } from "../kit/test-quick-run.ts";
import { BENCH_MEMBERS } from "./bench-members.ts";

t.setTimeout(400_000);

t.test("bench members - the quick benchmark measures, verifies, prints and records", async (t) => {
  const { report, isVerified, line } = await quickRun(t, BENCH_MEMBERS);
  t.ok(isVerified);
  t.match(report, /^verified: /m);
  t.match(report, /last page against the first +[\d.]+ ×/);
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
