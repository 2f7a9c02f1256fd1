import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import t from "tap";
import { waitFor } from "#test-support";
import { descendantsOf, endProcess, identify, isRunning, processesIn } from "./processes.ts";

t.test("process identity - a live process keeps its identity", async (t) => {
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

t.test("end process - a process that obeys ends at the first signal", async (t) => {
  const child = spawn("sleep", ["60"], { detached: true });
  const identity = identify(child.pid ?? 0);
  if (!identity) throw new Error("no child");
  const exit = once(child, "exit");
  t.notOk(await endProcess(identity, [{ signal: "SIGTERM", graceMs: 10_000 }]), "it was not killed");
  t.strictSame(await exit, [null, "SIGTERM"]);
});

t.test(
  "end process - a process that ignores every signal is killed, with all processes that it started",
  async (t) => {
    const script = 'trap "" TERM INT; sleep 60 & echo ready; while true; do wait; done';
    const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    const identity = identify(child.pid ?? 0);
    if (!identity) throw new Error("no child");
    const family = await waitFor(() => descendantsOf(identity.pid), { message: "its child" });
    t.equal(family.length, 1);
    const exit = once(child, "exit");
    const steps = [
      { signal: "SIGINT", graceMs: 30 },
      { signal: "SIGTERM", graceMs: 30 },
    ] as const;
    t.ok(await endProcess(identity, steps), "it was killed");
    t.strictSame(await exit, [null, "SIGKILL"]);
    t.notOk(family.some(isRunning));
  },
);

t.test("end process - a pid that now belongs to another process is left alone", async (t) => {
  t.notOk(await endProcess({ pid: process.pid, startedAt: "long ago" }, [{ signal: "SIGKILL", graceMs: 1 }]));
  t.pass("this process still runs");
});
