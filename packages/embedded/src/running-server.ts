import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "#runtime";
import { freePort } from "./free-port.ts";
import { guard } from "./guardian.ts";
import {
  ENDINGS,
  endProcess,
  forgetProcess,
  identify,
  type ProcessKind,
  readRecordedProcess,
  recordProcess,
} from "./processes.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server that this process started, and so has to end. */
export interface RunningServer {
  readonly pid: number;
  /**
   * Resolves once, however the server ended; never rejects. Reading it keeps this process alive until then.
   */
  readonly exited: Promise<Exit>;
  /** Tries an orderly end, then a certain one; resolves when the process is gone. May be called again. */
  stop(): Promise<void>;
  /** For tests of crashes: sends the signal and waits for nothing. */
  kill(signal: NodeJS.Signals): void;
}

/** Options of both servers. */
export interface ServerOptions {
  /**
   * Made if it is missing. The caller must own it (`lockDataDir`): a server that still runs on it is a
   * leftover and is ended.
   */
  readonly dataDir: string;
  /** On 127.0.0.1. Without it a free port is taken. */
  readonly port?: number | undefined;
  readonly log: (message: string) => void;
  readonly logFile?: string | undefined;
  /** Calls the start off. */
  readonly signal?: AbortSignal | undefined;
}

type ServerKind = Exclude<ProcessKind, "service">;

interface ServerCommand {
  readonly kind: ServerKind;
  /** Its name in messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The user to run it as, if that is not this process's own. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
  readonly logFile: string;
  /** The file that records the process for the start after a crash. */
  readonly recordFile: string;
  /** The deadline, in milliseconds, for a server that says that it is still starting; left out: `READY_MS`. */
  readonly patientMs?: number;
  /** Calls the start off: the server is stopped and the signal's reason thrown. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Ends the server that a crash left behind: its record says which process that is. Anything else that runs by now under
 * its pid is left alone.
 */
export async function endLeftover(
  kind: ServerKind,
  name: string,
  recordFile: string,
  log: (message: string) => void,
): Promise<void> {
  const leftover = readRecordedProcess(recordFile);
  if (!leftover) return;
  log(`${name}: ending one that a crash left behind (process ${leftover.pid})`);
  await endProcess(leftover, ENDINGS[kind]);
}

const PORT_ATTEMPTS = 5;

/**
 * Starts a server on these ports. For those that are left out free ones are found, and found again if another process
 * takes one before the server has it.
 */
export async function startOnPorts<T>(
  name: string,
  wanted: ReadonlyArray<number | undefined>,
  start: (...ports: number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const ports: number[] = [];
    for (const port of wanted) ports.push(port ?? (await freePort()));
    try {
      return await start(...ports);
    } catch (error) {
      if (!(error instanceof StartError && error.code === "port_taken")) throw error;
      if (wanted.includes(undefined) && attempt < PORT_ATTEMPTS) continue;
      const doThis = `stop what listens there, or take ${ports.length > 1 ? "other ports" : "another port"}`;
      const why = `port ${ports.join(" or ")}, for ${name}, is taken: ${doThis}`;
      throw new StartError("port_taken", why, { cause: error });
    }
  }
}

/** A started server that may not answer yet. */
interface SpawnedServer extends RunningServer {
  hasExited(): boolean;
  /** What the server has logged since it was started. */
  logLines(): string[];
}

/** Starts a server in a session of its own, under the guardian; its output is appended to its log file. */
async function spawnServer(command: ServerCommand): Promise<SpawnedServer> {
  const { kind, name, logFile, recordFile } = command;
  const log = openServerLog(logFile);
  const logStart = fstatSync(log).size;
  const child = spawn(command.command, command.args, {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ["ignore", log, log],
    ...command.identity,
  });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await once(child, "error")) as [Error];
    const why = `${name} could not be run: ${error.message}; check ${command.command}`;
    throw new StartError("server_failed", why, { cause: error });
  }
  const release = guard(kind, pid);
  recordProcess(recordFile, pid);
  const identity = identify(pid);
  // The server does not keep this process alive; if it is not stopped, the guardian ends it.
  child.unref();

  let ended = false;
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => {
      ended = true;
      release();
      forgetProcess(recordFile);
      resolve({ code, signal });
    });
    child.on("error", () => {}); // a signal that could not be sent; `endProcess` sees that the process still runs
  });
  return {
    pid,
    get exited() {
      child.ref();
      return exited;
    },
    hasExited: () => ended,
    logLines: () => logLinesSince(logFile, logStart),
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      if (ended || identity === undefined) return;
      child.ref(); // this process must live until the exit event
      await endProcess(identity, ENDINGS[kind]);
      await exited;
    },
  };
}

const READY_MS = 30_000;
const POLL_MS = 15;

/**
 * Starts a server and asks until it answers. `ask` resolves to true when the server is ready, to false when it is not,
 * and to "busy" when the server itself asks for more patience (recovery after a crash may take minutes). If
 * the server does not become ready, it is stopped, and the error shows the last lines of its log.
 */
export async function startServer(
  command: ServerCommand,
  ask: () => Promise<boolean | "busy">,
): Promise<RunningServer> {
  const { name, logFile, signal, patientMs = READY_MS } = command;
  const server = await spawnServer(command);
  const startedAt = Date.now();
  let deadline = startedAt + READY_MS;
  while (!server.hasExited()) {
    if (signal?.aborted) {
      await server.stop();
      throw signal.reason;
    }
    const answer = await ask();
    if (answer === true && !server.hasExited()) return server;
    if (answer === "busy") deadline = startedAt + patientMs;
    if (Date.now() > deadline) break;
    await delay(POLL_MS);
  }
  const lines = server.logLines();
  const state = server.hasExited() ? "ended while starting" : `did not answer in ${READY_MS / 1000} s`;
  await server.stop();
  const taken = lines.some((line) => /address already in use/i.test(line));
  const tail = lines.slice(-3).join(" | ");
  const said = tail === "" ? "" : `; its last words: ${tail}`;
  throw new StartError(taken ? "port_taken" : "server_failed", `${name} ${state}; see ${logFile}${said}`);
}

const ROTATE_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;

/**
 * Opens a server's log for appending and returns its descriptor. A file above 8 MiB is first renamed to
 * `<file>.1`, so a log takes at most twice that, plus what one run adds. Servers write to the file
 * themselves: a pipe through this process would break when this process is killed, and then they would die
 * before they could shut down.
 */
export function openServerLog(file: string): number {
  try {
    if (statSync(file).size > ROTATE_BYTES) renameSync(file, `${file}.1`);
  } catch {
    // no log yet
  }
  return openSync(file, "a", 0o640);
}

/** What a server has written since `from` (at most the last 8 KiB), as lines. */
function logLinesSince(file: string, from: number): string[] {
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const start = Math.max(from, size - TAIL_BYTES);
      const buffer = Buffer.alloc(Math.max(0, size - start));
      readSync(fd, buffer, 0, buffer.length, start);
      return buffer
        .toString("utf8")
        .split("\n")
        .filter((line) => line.trim() !== "");
    } finally {
      closeSync(fd);
    }
  } catch {
    return [];
  }
}
