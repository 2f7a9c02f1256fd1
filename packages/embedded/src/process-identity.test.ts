import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import t from "tap";
import { waitFor } from "#test-support";
import { descendantsOf, identify, isRunning, processesIn } from "./processes.ts";

t.test("process identity - a live process is itself, also when asked again", async (t) => {
  const self = identify(process.pid);
  t.ok(self);
  t.strictSame(identify(process.pid), self);
  t.ok(self && isRunning(self));
});

t.test("process identity - another process with the same pid is a stranger", async (t) => {
  t.notOk(isRunning({ pid: process.pid, startedAt: "1" }));
});

t.test("process identity - a process that ended is not running", async (t) => {
  const child = spawn(process.execPath, ["-e", ""]);
  const identity = identify(child.pid ?? 0);
  await once(child, "exit");
  t.ok(identity);
  t.notOk(identity && isRunning(identity));
  t.equal(identify(child.pid ?? 0), undefined);
});

t.test("process identity - descendants are found at any depth, with their working directory", async (t) => {
  const dir = realpathSync(t.testdir());
  const child = spawn("/bin/sh", ["-c", "sleep 60 & (sleep 60; true) & wait"], { cwd: dir, detached: true });
  t.teardown(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
  const found = await waitFor(
    () => descendantsOf(child.pid ?? 0).length === 3 && descendantsOf(child.pid ?? 0),
    {
      message: "three processes below the shell",
    },
  );
  t.notOk(found.some(({ pid }) => pid === child.pid));
  t.equal(processesIn(dir).length, process.platform === "linux" ? 4 : 0);
});
