import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { identify, type ProcessIdentity, type ProcessKind } from "./processes.ts";

/**
 * Makes sure that a `kill -9` of this process leaves none of its children running.
 *
 * The servers and services are started in sessions of their own (a Ctrl-C at the terminal must reach only
 * this process, which then stops them in order), so nothing but this process ends them. The guardian is one
 * tiny process that reads from its stdin which processes to end, and ends them when that pipe closes: the
 * kernel closes it however this process dies.
 *
 * Crashes considered:
 * - This process is killed: the pipe closes, the guardian ends services, then NATS, then Postgres, and exits.
 * - It is killed between starting a child and naming it: the write to the pipe follows the start in the same
 *   tick, and what is missed all the same is found by the next start (`recordProcess`, and Postgres by its
 *   working directory).
 * - The guardian is killed: another one is started and given the whole list.
 * - Both are killed at once: services see their IPC channel close and drain by themselves; the servers stay
 *   until the next start finds them by their record and ends them.
 * - A child ends and its pid is reused: identities include the start time, so the stranger is left alone.
 * - This process is stopped (SIGSTOP) or slow: the pipe stays open, and nothing happens.
 * - The terminal or a supervisor signals the whole process group: the guardian has its own group and ignores
 *   the signals.
 * - A child inherits the pipe and keeps it open: it cannot, because Node opens it close-on-exec.
 */
export interface Guarded extends ProcessIdentity {
  readonly kind: ProcessKind;
}

const RESTART_DELAY_MS = 100;
const RESTART_DELAY_MAX_MS = 5_000;

const guarded = new Set<Guarded>();
let guardian: ChildProcess | undefined;
let restartDelayMs = RESTART_DELAY_MS;

/**
 * Makes the guardian end this child when this process dies. Call the returned function when the child has
 * ended, or is no longer ours.
 */
export function guard(kind: ProcessKind, pid: number): () => void {
  const identity = identify(pid);
  if (!identity) return () => {};
  const entry: Guarded = { ...identity, kind };
  guarded.add(entry);
  tellGuardian();
  return () => {
    if (guarded.delete(entry)) tellGuardian();
  };
}

/** The guardian's pid, if there is one; for tests and the operations page. */
export function guardianPid(): number | undefined {
  return guardian?.pid;
}

function tellGuardian(): void {
  guardian ??= startGuardian();
  guardian.stdin?.write(`${JSON.stringify([...guarded])}\n`);
}

function startGuardian(): ChildProcess {
  const main = fileURLToPath(import.meta.resolve("./guardian-main.js"));
  // It needs no settings, so it has no secrets of theirs.
  const child = spawn(process.execPath, [main], {
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  });
  const replace = (): void => {
    if (guardian !== child) return;
    guardian = undefined;
    // On a machine that has run out of processes or memory, a tight loop of starts would make things worse.
    setTimeout(() => guarded.size > 0 && guardian === undefined && tellGuardian(), restartDelayMs).unref();
    restartDelayMs = Math.min(restartDelayMs * 2, RESTART_DELAY_MAX_MS);
  };
  child.once("error", replace);
  child.once("exit", replace);
  child.stdin?.on("error", () => {}); // EPIPE: its exit follows and is handled above
  // The guardian must not keep this process alive: it is there to end after it.
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  return child;
}
