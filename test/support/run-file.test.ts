import { join } from "node:path";
import t, { type Test } from "tap";
import { runFiles } from "./run-file.ts";

/** Runs these programs as test files in one process; their results by name. */
async function run(t: Test, programs: Readonly<Record<string, string>>) {
  const files = Object.fromEntries(
    Object.entries(programs).map(([name, text]) => [`${name}.mjs`, `import t from "tap";\n${text}`]),
  );
  const dir = t.testdir(files);
  const results = await runFiles(
    Object.keys(files).map((name) => join(dir, name)),
    { env: process.env, timeoutMs: 60_000, signal: new AbortController().signal },
  );
  return Object.keys(programs).map((name, i) => {
    const { file, passed, skipped, failures } = results[i] as (typeof results)[number];
    t.equal(file, join(dir, `${name}.mjs`));
    return { passed, skipped, failures: failures.map((failure) => failure.name.replaceAll(dir, "")) };
  });
}

const PASSES = 't.test("one", async (t) => { t.ok(true); t.test("within", async (t) => t.ok(true)); });';

t.test("runner - files that share a process are counted apart", async (t) => {
  const [first, second, third] = await run(t, {
    first: PASSES,
    second:
      't.test("two", async (t) => { t.ok(true); t.equal(1, 2, "odd"); t.ok(true, "later", { skip: true }); });',
    third: PASSES,
  });
  t.strictSame(first, { passed: 2, skipped: 0, failures: [] });
  t.match(second, { passed: 1, skipped: 1, failures: [/second\.mjs > two > odd$/] });
  t.equal(second?.failures.length, 1);
  t.strictSame(third, { passed: 2, skipped: 0, failures: [] });
});

t.test("runner - hooks and teardowns of a file are its own", async (t) => {
  const [first, second] = await run(t, {
    first: `
      globalThis.told = [];
      t.before(async () => void told.push("before"));
      t.beforeEach(() => void told.push("each"));
      t.teardown(async () => void told.push("down"));
      t.setTimeout(50_000);
      ${PASSES}`,
    second: 't.test("two", async (t) => t.strictSame(told, ["before", "each", "each", "down"]));',
  });
  t.strictSame([first?.failures, second?.failures], [[], []]);
  t.equal(second?.passed, 1);
});

t.test("runner - a file that throws, or holds no test, fails, and those after it run", async (t) => {
  const [throws, empty, last] = await run(t, {
    throws: 'throw new Error("not today");',
    empty: "",
    last: PASSES,
  });
  t.match(throws, { passed: 0, failures: [/not today/] });
  t.strictSame(empty, { passed: 0, skipped: 0, failures: ["it holds no tests"] });
  t.match(last, { passed: 2, failures: [] });
});

t.test("runner - a file that ends its process fails, and so do those that did not run", async (t) => {
  const [first, second, third] = await run(t, {
    first: PASSES,
    second: `${PASSES} t.test("two", async () => process.exit(0));`,
    third: PASSES,
  });
  t.strictSame(first?.failures, []);
  t.ok((second?.failures.length ?? 0) > 0, "the one that did it");
  t.strictSame(third?.failures, ["its process ended with /second.mjs"]);
});

t.test("runner - an uncaught error ends the process, and is a failure of its file", async (t) => {
  const [first, second] = await run(t, {
    first: `${PASSES} t.test("two", async (t) => { t.ok(true); Promise.reject(new Error("nobody")); await new Promise((go) => setTimeout(go, 50)); });`,
    second: PASSES,
  });
  t.ok((first?.failures.length ?? 0) > 0);
  t.strictSame(second?.failures, ["its process ended with /first.mjs"]);
});

t.test(
  "runner - the directories of files that share a process are their own, and end with them",
  async (t) => {
    const made = `
    import { existsSync } from "node:fs";
    globalThis.dirs ??= [];
    const before = globalThis.dirs.filter((dir) => existsSync(dir));
    globalThis.dirs.push(t.testdir({ a: "" }));
    t.test("${"long ".repeat(12)}", async (t) => {
      t.strictSame(before, []);
      t.equal(new Set(dirs).size, dirs.length);
      t.ok(existsSync(dirs.at(-1)));
      t.testdir({ b: "" });
    });`;
    const [first, second] = await run(t, { first: made, second: made });
    t.strictSame([first?.failures, second?.failures], [[], []]);
  },
);
