import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { identify, type ProcessIdentity, type ProcessKind } from "./processes.ts";

/**
 * Makes sure that a `kill -9` of this process leaves none of its children running.
 *
 * The servers and services are started in sessions of their own (a Ctrl-C at the terminal must reach only this
 * process, which then stops them in order), so nothing but us ends them. The guardian is one tiny process that is told
 * over its stdin whom to end, and does so when that pipe closes: the kernel closes it however we die.
 *
 * Crashes thought of:
 * - we are killed: the pipe closes, the guardian ends services, then NATS, then Postgres, and exits;
 * - we are killed between starting a child and naming it: the write to the pipe follows the start in the same tick, and
 *   what still slips through is found by the next start (`recordProcess`, and Postgres by its working directory);
 * - the guardian is killed: we start another and give it the whole list;
 * - both are killed at once: services see their IPC channel close and drain by themselves; the servers stay until
 *   the next start finds them by their record and ends them;
 * - a child ends and its pid is reused: identities carry the start time, the stranger is left alone;
 * - we are stopped (SIGSTOP) or slow: the pipe stays open, nothing happens;
 * - the terminal or a supervisor signals the whole process group: the guardian has its own and ignores the signals;
 * - a child inherits the pipe and keeps it open: it cannot, Node opens it close-on-exec.
 */
export interface Guarded extends ProcessIdentity {
  readonly kind: ProcessKind;
}

const RESTART_DELAY_MS = 100;
const RESTART_DELAY_MAX_MS = 5_000;

const guarded = new Set<Guarded>();
let guardian: ChildProcess | undefined;
let restartDelayMs = RESTART_DELAY_MS;

/** Has this child ended when we die. The returned function says that it has ended, or is no longer ours. */
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

/** The guardian's pid while there is one; for tests and the operations page. */
export function guardianPid(): number | undefined {
  return guardian?.pid;
}

function tellGuardian(): void {
  guardian ??= startGuardian();
  guardian.stdin?.write(`${JSON.stringify([...guarded])}\n`);
}

function startGuardian(): ChildProcess {
  const main = fileURLToPath(import.meta.resolve("./guardian-main.js"));
  const child = spawn(process.execPath, [main], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  const replace = (): void => {
    if (guardian !== child) return;
    guardian = undefined;
    // A machine out of processes or memory must not be made worse by a tight loop of starts.
    setTimeout(() => guarded.size > 0 && guardian === undefined && tellGuardian(), restartDelayMs).unref();
    restartDelayMs = Math.min(restartDelayMs * 2, RESTART_DELAY_MAX_MS);
  };
  child.once("error", replace);
  child.once("exit", replace);
  child.stdin?.on("error", () => {}); // EPIPE: its exit follows and is handled above
  // It must not keep us alive; that it ends with us is its purpose.
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  return child;
}
