/**
 * Runs the test files that `TOGETHER_VARIABLE` names, one after the other, in this process: for files that do
 * not change their process. A file's calls on tap's root go to a separate test, which begins and ends with
 * the file: its hooks, its time limit and its teardowns hold for this file alone. A process that the file
 * leaves running is a failure of the file.
 */
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { descendantsOf, endProcess, guardianPid, hasEnded, type ProcessIdentity } from "#embedded";
import { cpuMsOf } from "./cpu-time.ts";
import { describe } from "./process-state.ts";
import { SPENT, TOGETHER_VARIABLE, type Together } from "./runner-protocol.ts";

/** The functions that test files and test support call on tap's root. */
const METHODS = [
  "test",
  "before",
  "beforeEach",
  "after",
  "afterEach",
  "teardown",
  "setTimeout",
  "testdir",
] as const;

const { files, timeoutMs, patienceMs } = JSON.parse(process.env[TOGETHER_VARIABLE] as string) as Together;
// Programs that a test starts refuse unknown variables with this prefix.
delete process.env[TOGETHER_VARIABLE];

const root = {
  test: t.test.bind(t),
  comment: t.comment.bind(t),
  fail: t.fail.bind(t),
  setTimeout: t.setTimeout.bind(t),
};
let before = { cpuMs: 0, atMs: performance.now() };
for (const file of files) {
  root.setTimeout(timeoutMs);
  await root.test(file, async (own) => {
    // tap's name for a file that runs alone. Here tap would join the names of this script, of the file and of
    // the test: in a checkout with a long path, that is too long for a file system.
    own.testdirName = resolve(".tap/fixtures", relative("", file).replaceAll(/[^\w.-]+/g, "-"));
    standIn(own);
    await import(pathToFileURL(file).href);
  });
  await failLeftovers();
  // With the CPU time of the services that it started, which have ended.
  const spent = { cpuMs: cpuMsOf(process.pid), atMs: performance.now() };
  root.comment(`${SPENT} ${spent.cpuMs - before.cpuMs} ${Math.round(spent.atMs - before.atMs)}`);
  before = spent;
}
// Before the runner ends this process: only this process can list what Node keeps open.
setTimeout(failOpen, 2 * patienceMs).unref();

/** From now on calls on the root go to this test. */
function standIn(own: Test): void {
  for (const name of METHODS) {
    const method = own[name] as (...args: never[]) => unknown;
    Object.defineProperty(t, name, { configurable: true, value: method.bind(own) });
  }
}

async function failLeftovers(): Promise<void> {
  await hasEnded(leftovers(), patienceMs);
  for (const leftover of leftovers()) {
    root.fail(`it left running: ${describe(leftover.pid)}`);
    await endProcess(leftover, []);
  }
}

/** The guardian stays with this process. */
function leftovers(): ProcessIdentity[] {
  return descendantsOf(process.pid).filter(({ pid }) => pid !== guardianPid());
}

/** If it runs alone, a file that leaves something open runs into its time limit, which is far away. */
function failOpen(): void {
  process.stderr.write(`still open after the last file: ${process.getActiveResourcesInfo().join(", ")}\n`);
  process.exit(1);
}
