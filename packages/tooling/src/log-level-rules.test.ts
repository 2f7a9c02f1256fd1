import t from "tap";
import { createLog } from "#runtime";
import { logLevelProblems } from "./text-rules.ts";

t.test("log levels - one that a document names by a number is found, by its line", async (t) => {
  for (const said of [
    '`"level":40` are warnings and `50` errors',
    "jq 'select(.level >= 50)'",
    `grep '"level": 50'`,
    "level=30",
    "`50` are errors",
    "errors are `50`",
  ]) {
    t.strictSame(
      logLevelProblems("docs/a.md", `one\n${said}\n`),
      ['docs/a.md:2: names a log level by a number; the logs say "level":"error"'],
      said,
    );
  }
});

t.test("log levels - a name is fine, and so are other numbers", async (t) => {
  for (const fine of [
    '`"level":"warn"`, `"level":"error"`',
    "the level of service is 99.9 %",
    "fill level 40 %",
    "at most 50 errors an hour",
    "STAMPEDE_LOG_LEVEL=debug",
    "`40` connections",
  ]) {
    t.strictSame(logLevelProblems("docs/a.md", fine), [], fine);
  }
});

t.test("log levels - a log says them by name, as the documents do", async (t) => {
  const lines: string[] = [];
  const log = createLog({
    service: "edge",
    level: "trace",
    destination: { write: (line) => lines.push(line) },
  });
  for (const name of ["trace", "debug", "info", "warn", "error", "fatal"] as const) log[name]("said");
  t.strictSame(
    lines.map((line) => JSON.parse(line).level),
    ["trace", "debug", "info", "warn", "error", "fatal"],
  );
});
