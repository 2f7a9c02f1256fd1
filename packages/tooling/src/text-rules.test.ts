import t from "tap";
import { createLog } from "#runtime";
import { logLevelProblems, registryHost, textProblems } from "./text-rules.ts";

/** Joined here, so that this file does not hold what it looks for. */
const path = (...parts: string[]) => ["", ...parts].join("/");
const host = (...parts: string[]) => parts.join(".");

t.test("text rules - a path of a developer's machine is found, and its line said", async (t) => {
  for (const tie of [
    path("home", "ada", "stampede"),
    path("Users", "ada", "stampede"),
    path("root", "stampede"),
    path("work", "main"),
    ["C:", "Users", "ada"].join("\\"),
  ]) {
    t.strictSame(
      textProblems("a.md", `one\nsee ${tie}.\n`),
      ["a.md:2: holds a path of a developer's machine"],
      tie,
    );
  }
});

t.test("text rules - a package registry's host is found", async (t) => {
  for (const tie of [
    host("registry", "npmjs", "org"),
    `https://${host("npm-registry", "corp", "example")}/a`,
    `http://${host("artifactory", "example", "com")}/npm`,
  ]) {
    t.strictSame(textProblems("a.md", tie), ["a.md:1: holds a package registry's host"], tie);
  }
});

t.test("text rules - the host that npm installs from here is found, whatever its name", async (t) => {
  const registry = registryHost({ npm_config_registry: "https://packages.example:8443/npm/" });
  t.equal(registry, "packages.example");
  t.strictSame(textProblems("a.md", "see packages.example", registry), [
    "a.md:1: holds the host that npm installs from here",
  ]);
  for (const none of [undefined, "", "not a url", "http://127.0.0.1:4873", "http://localhost:4873"]) {
    t.equal(registryHost({ npm_config_registry: none }), undefined, `${none}`);
  }
});

t.test("text rules - paths of servers and of the project are fine", async (t) => {
  for (const fine of [
    path("var", "lib", "stampede"),
    path("etc", "home"),
    "a checkout under a 0700 home",
    "../../root.ts",
    "dist/work/a.js",
    "https://example.com/home/page",
    "the schema registry of the stream",
    "createRegistry(name)",
  ]) {
    t.strictSame(textProblems("a.md", fine), [], fine);
  }
});

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
