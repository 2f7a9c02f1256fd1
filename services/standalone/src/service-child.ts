import { closeSync } from "node:fs";
import {
  ENDINGS,
  type Exit,
  endProcess,
  type ForkedService,
  forgetProcess,
  forkService,
  guard,
  identify,
  openServerLog,
  readRecordedProcess,
  recordProcess,
} from "#embedded";
import { AWAY_EXIT_CODE, type OpsAnswer, SERVICE_NODE_FLAGS, StartError, type ToParent } from "#runtime";
import { FollowedLog, Terminal, type TerminalOptions } from "./service-log.ts";
import type { Running } from "./supervised.ts";

interface ServiceChildOptions extends TerminalOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The file that records the process for the start after a crash. */
  readonly recordFile: string;
  /** Calls the start off. */
  readonly signal: AbortSignal;
  /**
   * Called with the process before it is ready: it can already be asked, and may wait long for its servers.
   */
  readonly begun: (child: ServiceChild) => void;
}

export interface ServiceChild extends Running {
  /** Answers an operations request. Rejects if the service does not answer in time or is gone. */
  ask(path: string): Promise<OpsAnswer>;
}

const READY_MS = 60_000;
/**
 * For a service that says that it waits. It says so again every half minute, or a minute later if a server
 * never answers its question.
 */
const WAITING_MS = 120_000;
const ANSWER_MS = 2_000;

/**
 * Starts one service as a child in a session of its own, under the guardian, and returns when it is up.
 * Throws a `StartError` with the child's own words if the child ends before that.
 */
export async function startServiceChild(options: ServiceChildOptions): Promise<ServiceChild> {
  const { name, logFile, recordFile } = options;
  const leftover = readRecordedProcess(recordFile);
  if (leftover) await endProcess(leftover, ENDINGS.service);
  const log = openServerLog(logFile);
  const terminal = new Terminal(options);
  const followed = new FollowedLog(logFile, (line) => terminal.show(line));
  const forked = forkService(new URL(`../../${name}/src/main.js`, import.meta.url), {
    env: options.env,
    execArgv: [...SERVICE_NODE_FLAGS],
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const { child, exited } = forked;
  const release = child.pid === undefined ? () => {} : guard("service", child.pid);
  if (child.pid !== undefined) recordProcess(recordFile, child.pid);
  void exited.then(() => {
    release();
    forgetProcess(recordFile);
    followed.close();
  });
  const stop = async (): Promise<void> => {
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity) await endProcess(identity, ENDINGS.service);
    await exited;
  };
  const service: ServiceChild = {
    pid: child.pid ?? 0,
    exited,
    stop,
    kill: (signal) => void child.kill(signal),
    ask: (path) => forked.ask(path, { withinMs: ANSWER_MS }),
  };
  options.begun(service);
  await waitUntilReady(forked, options, terminal, stop);
  return service;
}

/**
 * Whether a service process ended by its own fault: it crashed, or could not start for a reason that will be
 * the same next time.
 */
export function isServiceFault(end: Exit | Error): boolean {
  if (end instanceof Error) return end instanceof StartError && !end.passes;
  const { code, signal } = end;
  if (signal !== null) return FAULT_SIGNALS.has(signal);
  return code !== null && code !== 0 && code !== AWAY_EXIT_CODE;
}

/**
 * Signals that a process causes itself: V8 aborts when it runs out of memory. All other signals come from
 * outside.
 */
const FAULT_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set([
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGSEGV",
  "SIGSYS",
  "SIGTRAP",
]);

async function waitUntilReady(
  forked: ForkedService,
  options: ServiceChildOptions,
  terminal: Terminal,
  stop: () => Promise<void>,
): Promise<void> {
  const { name, logFile, signal } = options;
  const first = await readiness(forked, options);
  if (first === "ready") {
    terminal.open();
    return;
  }
  await stop();
  signal.throwIfAborted();
  const how = first === "late" ? `was not ready after ${READY_MS / 1000} s` : "ended while starting";
  const said = terminal.lastWords();
  const passes = first === "late" || !isServiceFault(await forked.exited);
  throw new StartError("service_failed", said ?? `${name} ${how}; see ${logFile}`, { passes });
}

/** Waits for the result of a start. A service that waits for a server is reported, and gets more time. */
function readiness(
  { child, ready }: ForkedService,
  { name, signal, say }: ServiceChildOptions,
): Promise<"ready" | "ended" | "late" | "called off"> {
  return new Promise((resolve) => {
    const settle = (how: "ready" | "ended" | "late" | "called off") => {
      clearTimeout(timer);
      child.off("message", hear);
      signal.removeEventListener("abort", callOff);
      resolve(how);
    };
    const late = () => settle("late");
    let timer = setTimeout(late, READY_MS);
    const hear = (message: ToParent) => {
      if (message.kind !== "waiting") return;
      say(`${name} waits for ${message.what}: ${message.reason}`);
      clearTimeout(timer);
      timer = setTimeout(late, WAITING_MS);
    };
    const callOff = () => settle("called off");
    child.on("message", hear);
    signal.addEventListener("abort", callOff);
    if (signal.aborted) callOff();
    void ready.then((said) => settle(said === undefined ? "ended" : "ready"));
  });
}
