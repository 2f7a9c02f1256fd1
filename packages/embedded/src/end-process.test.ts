import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";
import { waitFor } from "#test-support";
import { descendantsOf, endProcess, identify, isRunning } from "./processes.ts";

t.test("end process - one that obeys ends by the first signal", async (t) => {
  const child = spawn("sleep", ["60"], { detached: true });
  const identity = identify(child.pid ?? 0);
  if (!identity) throw new Error("no child");
  const exit = once(child, "exit");
  await endProcess(identity, [{ signal: "SIGTERM", graceMs: 10_000 }]);
  t.strictSame(await exit, [null, "SIGTERM"]);
});

t.test("end process - one that ignores every signal is killed with all that it started", async (t) => {
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
  await endProcess(identity, steps);
  t.strictSame(await exit, [null, "SIGKILL"]);
  t.notOk(family.some(isRunning));
});

t.test("end process - a pid that was given to another process is left alone", async (t) => {
  await endProcess({ pid: process.pid, startedAt: "long ago" }, [{ signal: "SIGKILL", graceMs: 1 }]);
  t.pass("this process still runs");
});
