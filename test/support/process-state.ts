import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, identify, type ProcessIdentity } from "#embedded";
import { cpuMsOf } from "./cpu-time.ts";

/** Describes processes for the report of a run. All but their ids needs Linux's /proc; elsewhere it is empty. */

const LOOK_MS = 1_000;
const COMMAND_CHARACTERS = 200;
const MOST = 20;

/** Describes what a process does and has open. It reads /proc, so it also works for a process that no longer answers. */
export async function describeProcess(pid: number): Promise<Record<string, string>> {
  const before = cpuMsOf(pid);
  await delay(LOOK_MS);
  const tasks = list(`/proc/${pid}/task`).map((id) => stateOf(`/proc/${pid}/task/${id}/stat`));
  return {
    process: `${describe(pid)}: ${cpuMsOf(pid) - before} ms of CPU in ${LOOK_MS} ms; its threads: ${tasks.join(", ")}`,
    "below it": lines(descendantsOf(pid).map((one) => describe(one.pid))),
    "it holds": lines(heldBy(pid)),
  };
}

/** `<pid> <command>`. */
export function describe(pid: number): string {
  const command = text(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return `${pid} ${command.slice(0, COMMAND_CHARACTERS)}`.trim();
}

/** The targets of these descriptors of a process, such as `socket:[1234]`. */
export function targetsOf(pid: number, descriptors: readonly number[]): string[] {
  return descriptors.flatMap((descriptor) => link(`/proc/${pid}/fd/${descriptor}`) ?? []);
}

/** The processes that have one of these open. */
export function holdersOf(targets: readonly string[]): ProcessIdentity[] {
  const pids = list("/proc").filter((name) => /^\d+$/.test(name));
  const holders = pids.filter((pid) =>
    list(`/proc/${pid}/fd`).some((fd) => targets.includes(link(`/proc/${pid}/fd/${fd}`) ?? "")),
  );
  return holders.flatMap((pid) => identify(Number(pid)) ?? []);
}

/** The pipes of a process, and its connections with both ports. Its files and Node's own descriptors are left out. */
function heldBy(pid: number): string[] {
  const connections = connectionsOf(pid);
  return list(`/proc/${pid}/fd`).flatMap((fd) => {
    const target = link(`/proc/${pid}/fd/${fd}`) ?? "";
    if (!/^(socket|pipe):/.test(target)) return [];
    return [[fd, target, connections.get(target)].join(" ").trim()];
  });
}

/** proc_net(5), by socket. */
function connectionsOf(pid: number): Map<string, string> {
  const rows = ["tcp", "tcp6"].flatMap((kind) =>
    text(`/proc/${pid}/net/${kind}`).trim().split("\n").slice(1),
  );
  return new Map(
    rows.map((row) => {
      const [, local = "", remote = "", state = "", , , , , , inode] = row.trim().split(/\s+/);
      const at = TCP_STATES[Number.parseInt(state, 16)] ?? state;
      return [`socket:[${inode}]`, `TCP ${portOf(local)} to ${portOf(remote)}, ${at}`];
    }),
  );
}

/** In the order of the kernel's numbers, from 1. */
const TCP_STATES = [
  ...["", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE"],
  ...["CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING"],
];

const portOf = (address: string): number => Number.parseInt(address.split(":").at(-1) ?? "", 16);

/** The name and the state of a thread, such as `node R`. */
function stateOf(file: string): string {
  const [, name = "", state = ""] = /\((.*)\) (\S)/s.exec(text(file)) ?? [];
  return `${name} ${state}`;
}

function lines(all: readonly string[]): string {
  const shown = all.slice(0, MOST);
  const more = all.length - shown.length;
  return [...(shown.length > 0 ? shown : ["nothing"]), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

/** Empty if the process has ended, or belongs to another user; so are the results of `text` and `link`. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function link(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
