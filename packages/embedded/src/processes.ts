import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/**
 * One process, not just a number: pids are reused (within minutes in a container that starts counting at 1).
 * So before anything is done to a pid that was read from a file, the time at which its process started is
 * compared.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot on Linux, a date elsewhere; compared only for equality. */
  readonly startedAt: string;
}

interface ProcessStatus extends ProcessIdentity {
  readonly parentPid: number;
  readonly zombie: boolean;
}

const hasProc = process.platform === "linux";

/** The identity of a live process; undefined if there is none with this pid. */
export function identify(pid: number): ProcessIdentity | undefined {
  const status = statusOf(pid);
  return status && !status.zombie ? { pid, startedAt: status.startedAt } : undefined;
}

/**
 * Whether this process still runs. A zombie does not: it holds no files, ports or memory, only its exit code.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Every live process below this one, parents before their children. */
export function descendantsOf(pid: number): ProcessIdentity[] {
  const all = listProcesses();
  const found: ProcessIdentity[] = [];
  const parents = new Set([pid]);
  // Breadth first: `parents` grows during the loop, and a Set also visits what is added meanwhile.
  for (const parent of parents) {
    for (const { parentPid, zombie, ...identity } of all) {
      if (parentPid !== parent || zombie) continue;
      parents.add(identity.pid);
      found.push(identity);
    }
  }
  return found;
}

/**
 * The live processes whose working directory is this one (on Linux; elsewhere none are found). `dir` must
 * have no symlinks.
 */
export function processesIn(dir: string): ProcessIdentity[] {
  if (!hasProc) return [];
  return listProcesses().filter(({ pid }) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dir;
    } catch {
      return false; // ended meanwhile, or belongs to another user
    }
  });
}

function listProcesses(): ProcessStatus[] {
  if (hasProc) {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => statusOf(Number(pid))).filter((status) => status !== undefined);
  }
  const lines = execFileSync("ps", ["-A", "-o", PS_COLUMNS], { encoding: "utf8" }).split("\n");
  return lines.map(parsePsLine).filter((status) => status !== undefined);
}

function statusOf(pid: number): ProcessStatus | undefined {
  try {
    if (hasProc) return statusIn(pid, readStat(pid)?.fields);
    return parsePsLine(execFileSync("ps", ["-o", PS_COLUMNS, "-p", String(pid)], { encoding: "utf8" }));
  } catch {
    return undefined;
  }
}

/** proc(5): the line of a process, or of a thread: `<pid>/task/<tid>`. Undefined if it is gone, or on another system. */
export function readStat(of: number | string): { name: string; fields: string[] } | undefined {
  try {
    const stat = readFileSync(`/proc/${of}/stat`, "utf8");
    // The name in parentheses may itself hold spaces and parentheses, so fields are counted after the last one.
    const end = stat.lastIndexOf(")");
    return { name: stat.slice(stat.indexOf("(") + 1, end), fields: stat.slice(end + 2).split(" ") };
  } catch {
    return undefined;
  }
}

function statusIn(pid: number, fields: readonly string[] = []): ProcessStatus | undefined {
  const [state, parentPid] = fields;
  const startedAt = fields[19]; // field 22 of the line
  if (startedAt === undefined) return undefined;
  return { pid, startedAt, parentPid: Number(parentPid), zombie: state === "Z" || state === "X" };
}

const PS_COLUMNS = "pid=,ppid=,state=,lstart=";

function parsePsLine(line: string): ProcessStatus | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/.exec(line.trimEnd());
  if (!match) return undefined;
  const [, pid, parentPid, state = "", startedAt = ""] = match;
  return { pid: Number(pid), parentPid: Number(parentPid), startedAt, zombie: state.startsWith("Z") };
}

/**
 * The kinds of processes, in the order in which they are ended: first those that write, then those that
 * store.
 */
export const PROCESS_KINDS = ["service", "nats", "postgres"] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

interface Step {
  readonly signal: NodeJS.Signals;
  /** How many milliseconds the process may take before the next step. */
  readonly graceMs: number;
}

/** How each kind is ended, from an orderly end to a certain one. */
export const ENDINGS: Record<ProcessKind, readonly Step[]> = {
  // Longer than the limit of a service's drain (`LIMITS.drainMs`), after which it ends by itself.
  service: [{ signal: "SIGTERM", graceMs: 30_000 }],
  nats: [{ signal: "SIGTERM", graceMs: 10_000 }],
  // Fast shutdown (sessions are ended, a checkpoint is written), then immediate (recovery at the next start).
  postgres: [
    { signal: "SIGINT", graceMs: 15_000 },
    { signal: "SIGQUIT", graceMs: 5_000 },
  ],
};

/** For processes without an owner: no caller waits for their last answers. */
export const ORPHAN_ENDINGS: Record<ProcessKind, readonly Step[]> = {
  service: [{ signal: "SIGTERM", graceMs: 3_000 }],
  nats: [{ signal: "SIGTERM", graceMs: 3_000 }],
  postgres: [
    { signal: "SIGINT", graceMs: 4_000 },
    { signal: "SIGQUIT", graceMs: 2_000 },
  ],
};

const POLL_MS = 15;
const KILL_GRACE_MS = 5_000;

/**
 * Ends a process by the given steps and then by SIGKILL, together with every process below it. Resolves when
 * they are gone.
 * @returns whether the process had to be killed
 * @throws if even SIGKILL did not end them (another user's process, or one stuck in the kernel)
 */
export async function endProcess(target: ProcessIdentity, steps: readonly Step[]): Promise<boolean> {
  for (const { signal, graceMs } of steps) {
    send(target, signal);
    if (await hasEnded([target], graceMs)) return false;
  }
  // Listed before the kill: afterwards they have another parent and could not be found.
  const below = descendantsOf(target.pid);
  const wasKilled = send(target, "SIGKILL");
  for (const one of below) send(one, "SIGKILL");
  if (await hasEnded([target, ...below], KILL_GRACE_MS)) return wasKilled;
  throw new Error(`process ${target.pid} did not end; end it by hand (kill -9 ${target.pid})`);
}

/** Signals exactly this process, never another one that got its pid later. Returns whether it was there. */
export function send(target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(target)) return false;
  try {
    return process.kill(target.pid, signal);
  } catch {
    return false; // it ended meanwhile, or belongs to another user: the caller that waits for its end will find out
  }
}

/** Whether all of them are gone within this many milliseconds. */
export async function hasEnded(targets: readonly ProcessIdentity[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (targets.some(isRunning)) {
    if (Date.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/**
 * Records the process that works on a directory, so that the start after a crash can end what the crash left.
 * A small file, rewritten in place: a torn write reads as no record, which is also what a crash before the
 * record leaves.
 */
export function recordProcess(file: string, pid: number): void {
  const identity = identify(pid);
  if (!identity) return;
  try {
    writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
  } catch {
    // The disk is full. The process runs by now, and its starter must not lose it; the guardian knows it all
    // the same.
  }
}

/** The recorded process, if it still runs. */
export function readRecordedProcess(file: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity;
    const identity = { pid: Number(pid), startedAt: String(startedAt) };
    return isRunning(identity) ? identity : undefined;
  } catch {
    return undefined;
  }
}

export function forgetProcess(file: string): void {
  rmSync(file, { force: true });
}
