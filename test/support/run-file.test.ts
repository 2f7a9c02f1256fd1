import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { identify } from "#embedded";
import { type RunFileOptions, runFiles } from "./run-file.ts";
import { waitFor } from "./wait-for.ts";

/** Runs these programs as test files in one process; their results by name. */
async function run(
  t: Test,
  programs: Readonly<Record<string, string>>,
  options: Partial<RunFileOptions> = {},
) {
  const files = Object.fromEntries(
    Object.entries(programs).map(([name, text]) => [`${name}.mjs`, `import t from "tap";\n${text}`]),
  );
  const dir = t.testdir(files);
  const results = await runFiles(
    Object.keys(files).map((name) => join(dir, name)),
    { env: process.env, timeoutMs: 60_000, signal: new AbortController().signal, ...options },
  );
  return Object.keys(programs).map((name, i) => {
    const { file, passed, skipped, failures } = results[i] as (typeof results)[number];
    t.equal(file, join(dir, `${name}.mjs`));
    const details = Object.assign({}, ...failures.map((failure) => failure.details)) as Record<
      string,
      string
    >;
    return { passed, skipped, failures: failures.map((one) => one.name.replaceAll(dir, "")), details };
  });
}

/** Short, because a test waits for it; but far longer than a process takes to end. */
const PATIENCE_MS = 1_500;
const PASSES = 't.test("one", async (t) => { t.ok(true); t.test("within", async (t) => t.ok(true)); });';

t.test("runner - files that share a process are counted separately", async (t) => {
  const [first, second, third] = await run(t, {
    first: PASSES,
    second:
      't.test("two", async (t) => { t.ok(true); t.equal(1, 2, "odd"); t.ok(true, "later", { skip: true }); });',
    third: PASSES,
  });
  t.match(first, { passed: 2, skipped: 0, failures: [] });
  t.match(second, { passed: 1, skipped: 1, failures: [/second\.mjs > two > odd$/] });
  t.equal(second?.failures.length, 1);
  t.match(third, { passed: 2, skipped: 0, failures: [] });
});

t.test("runner - hooks and teardowns of a file hold for this file only", async (t) => {
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
  t.match(empty, { passed: 0, skipped: 0, failures: ["it holds no tests"] });
  t.match(last, { passed: 2, failures: [] });
});

// tap gives no name to the file after it.
t.test("regression - a hook that failed before the tests of a file ended the whole run", async (t) => {
  const [first, fails, , last] = await run(t, {
    first: PASSES,
    fails: `t.before(async () => { throw new Error("not today"); }); ${PASSES}`,
    next: PASSES,
    last: PASSES,
  });
  t.match(fails?.failures, [/not today/, /fails/]);
  t.strictSame([first?.failures, last?.failures], [[], []]);
});

t.test("runner - a file that ends its process fails, and so do those that did not run", async (t) => {
  const [first, second, third] = await run(t, {
    first: PASSES,
    second: `${PASSES} t.test("two", async () => process.exit(0));`,
    third: PASSES,
  });
  t.strictSame(first?.failures, []);
  t.ok((second?.failures.length ?? 0) > 0, "the file that ended the process");
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

t.test("runner - files that share a process have separate directories, which end with them", async (t) => {
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
});

/**
 * Node does not reset a socket after `end`; at its end the process then waits for it for ever, at full speed.
 */
const NEVER_ENDS = `
  import { once } from "node:events";
  import { connect, createServer } from "node:net";
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}).on("end", () => socket.end()).resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect({ port: server.address().port, allowHalfOpen: true });
  await once(socket, "connect");
  socket.on("error", () => {}).resume().end();
  socket.resetAndDestroy();
  server.close();
  ${PASSES}`;

for (const [place, programs] of [
  ["alone", { never: NEVER_ENDS }],
  ["of several files", { first: PASSES, never: NEVER_ENDS }],
] as const) {
  t.test(
    `runner - a process, ${place}, that does not end after its last test is ended, and reported`,
    async (t) => {
      const told = (await run(t, programs, { patienceMs: PATIENCE_MS })).at(-1);
      t.equal(told?.passed, 2);
      t.strictSame(told?.failures, ["still running 4.5 s after its last test"]);
      t.match(told?.details, {
        process: /^\d+ \S*node.* ms of CPU in/,
        "below it": "nothing",
        "it holds": /pipe|socket/,
      });
    },
  );
}

/** Starts a process that outlives the test, and records its id. */
const leaving = (stdio: string): string => `
  import { spawn } from "node:child_process";
  import { writeFileSync } from "node:fs";
  t.test("leaves one", async (t) => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "${stdio}" });
    child.unref();
    writeFileSync(new URL("pid", import.meta.url), String(child.pid));
    t.ok(true);
  });`;

t.test(
  "runner - if a process of the test holds the output open, the runner does not wait, and ends it",
  async (t) => {
    const [alone] = await run(t, { alone: leaving("inherit") }, { patienceMs: PATIENCE_MS });
    const pid = readFileSync(join(t.testdirName, "pid"), "utf8");
    t.strictSame(alone?.failures, [`ended, and left its output open to: ${pid} sleep 600`]);
    t.equal(identify(Number(pid)), undefined);
  },
);

t.test("runner - a process that a file leaves running is a failure of this file, and is ended", async (t) => {
  const [first, leaves, last] = await run(
    t,
    { first: PASSES, leaves: leaving("ignore"), last: PASSES },
    { patienceMs: PATIENCE_MS },
  );
  const pid = readFileSync(join(t.testdirName, "pid"), "utf8");
  t.strictSame([first?.failures, last?.failures], [[], []]);
  t.strictSame(leaves?.failures, [`it left running: ${pid} sleep 600`]);
  t.equal(identify(Number(pid)), undefined);
});

t.test("runner - a file that is not done in time is reported, and its processes are ended", async (t) => {
  const busy = `${leaving("inherit")} t.test("busy", async () => {
    await new Promise((go) => setTimeout(go, 100));
    process.on("SIGTERM", () => {});
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const [first, second] = await run(
    t,
    { first: PASSES, busy },
    { timeoutMs: 8_000, patienceMs: PATIENCE_MS },
  );
  const pid = readFileSync(join(t.testdirName, "pid"), "utf8");
  t.strictSame(first?.failures, []);
  t.match(second?.failures, ["its output is not whole", "not done after 11 s"]);
  t.match(second?.details, { process: /threads: node [A-Z]/, "below it": `${pid} sleep 600` });
  await waitFor(() => identify(Number(pid)) === undefined, { message: "what it started has ended" });
});
