import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * One process, not just a number: pids are reused (within minutes in a container that starts counting at 1), so a
 * pid read from a file is compared with the time its process started before anything is done to it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot on Linux, a date elsewhere; only ever compared for equality. */
  readonly startedAt: string;
}

interface ProcessStatus extends ProcessIdentity {
  readonly parentPid: number;
  readonly zombie: boolean;
}

const hasProc = process.platform === "linux";

/** The identity of a live process, or undefined when there is none with this pid. */
export function identify(pid: number): ProcessIdentity | undefined {
  const status = statusOf(pid);
  return status && !status.zombie ? { pid, startedAt: status.startedAt } : undefined;
}

/** A zombie has ended: it holds no files, ports or memory, only its exit code. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Every live process below this one, children first. */
export function descendantsOf(pid: number): ProcessIdentity[] {
  const all = listProcesses();
  const found: ProcessIdentity[] = [];
  const parents = new Set([pid]);
  // Breadth first: `parents` grows while it is walked, and a Set visits what was added meanwhile.
  for (const parent of parents) {
    for (const { parentPid, zombie, ...identity } of all) {
      if (parentPid !== parent || zombie) continue;
      parents.add(identity.pid);
      found.push(identity);
    }
  }
  return found;
}

/** The live processes whose working directory is this one (Linux; elsewhere none are found). `dir` has no symlinks. */
export function processesIn(dir: string): ProcessIdentity[] {
  if (!hasProc) return [];
  return listProcesses().filter(({ pid }) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dir;
    } catch {
      return false; // ended meanwhile, or another user's
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
    if (hasProc) return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"));
    return parsePsLine(execFileSync("ps", ["-o", PS_COLUMNS, "-p", String(pid)], { encoding: "utf8" }));
  } catch {
    return undefined;
  }
}

/** proc(5): the name in parentheses may itself hold spaces and parentheses, so fields are counted after the last one. */
function parseStat(pid: number, stat: string): ProcessStatus | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parentPid] = fields;
  const startedAt = fields[19]; // field 22 of the line
  if (startedAt === undefined) return undefined;
  return { pid, startedAt, parentPid: Number(parentPid), zombie: state === "Z" || state === "X" };
}

const PS_COLUMNS = "pid=,ppid=,state=,lstart=";

function parsePsLine(line: string): ProcessStatus | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
  if (!match) return undefined;
  const [, pid, parentPid, state = "", startedAt = ""] = match;
  return { pid: Number(pid), parentPid: Number(parentPid), startedAt, zombie: state.startsWith("Z") };
}
