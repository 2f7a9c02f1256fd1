import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import t from "tap";
import { waitFor } from "#test-support";
import { identify, isRunning, type ProcessIdentity } from "./processes.ts";

/**
 * A parent with two guarded children, one of which ignores SIGTERM; it prints their pids, and a line for each
 * new guardian.
 */
const PARENT = `
  import { spawn } from "node:child_process";
  const { guard, guardianPid } = await import(process.argv[1]);
  const start = (script) => spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
  const children = [start("exec sleep 60"), start(process.argv[2])];
  for (const child of children) guard("service", child.pid);
  let last;
  setInterval(() => {
    const pid = guardianPid();
    if (pid !== undefined && pid !== last) console.log([pid, ...children.map((child) => child.pid)].join(" "));
    last = pid;
  }, 5);`;

async function startParent(
  second = "exec sleep 60",
): Promise<{ parent: ChildProcess; next: () => Promise<ProcessIdentity[]> }> {
  const module = new URL("./guardian.js", import.meta.url).href;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", PARENT, module, second], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<ProcessIdentity[]> => {
    const pids = String((await lines.next()).value).split(" ");
    return pids.map((pid) => identify(Number(pid))).filter((identity) => identity !== undefined);
  };
  return { parent, next };
}

t.test("guardian - when the parent is killed, its children end, also one that ignores SIGTERM", async (t) => {
  const { parent, next } = await startParent('trap "" TERM; sleep 60; sleep 60');
  const all = await next();
  t.equal(all.length, 3);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await waitFor(() => !all.some(isRunning), { message: "guardian and children gone" });
});

t.test("guardian - when the guardian is killed, another one takes over", async (t) => {
  const { parent, next } = await startParent();
  const [first, ...children] = await next();
  process.kill(first?.pid ?? 0, "SIGKILL");
  const [second] = await next();
  t.ok(second);
  t.not(second?.pid, first?.pid);
  t.ok(children.every(isRunning));
  parent.kill("SIGKILL");
  await waitFor(() => ![...children, ...(second ? [second] : [])].some(isRunning), { message: "all gone" });
});

const needsProc = process.platform === "linux" ? {} : { skip: "looks into /proc" };

t.test("guardian - a signal to the whole group does not end it before its parent", needsProc, async (t) => {
  const { parent, next } = await startParent();
  const all = await next();
  const { pid } = all[0] ?? { pid: 0 };
  const name = (): string => readFileSync(`/proc/${pid}/comm`, "utf8");
  await waitFor(() => name().startsWith("stampede"), { message: "the guardian has set itself up" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.kill(pid, signal);
  parent.kill("SIGKILL");
  await waitFor(() => !all.some(isRunning), { message: "all gone" });
  t.pass("guardian and children have ended");
});
