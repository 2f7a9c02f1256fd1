import type { ChildProcess, ForkOptions } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENDINGS, endProcess, type ForkedService, forkService, guard, identify } from "#embedded";
import type { Servers } from "./servers.ts";

/** A Node process of a subject. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  /** The address of its API, if it has one. */
  readonly url: string | undefined;
  /** Its Prometheus metrics. */
  metrics(): Promise<string>;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
}

interface ServiceStart {
  readonly name: string;
  /** Compiled file. */
  readonly main: URL;
  readonly env: NodeJS.ProcessEnv;
  /** What Node is given. */
  readonly flags: readonly string[];
  readonly servers: Servers;
  /** The database that it works on, whose name is in the name of its CPU profile. */
  readonly database: string;
}

const SOURCE_MAPS = "--enable-source-maps";

/**
 * Starts a compiled file as a child, which the guardian ends if this process is killed. It has source maps if this process has
 * them: a test of a benchmark does without, because they take a third of the child's start.
 */
export function forkGuarded(main: URL, options: ForkOptions): ForkedService {
  const hasMaps = process.execArgv.includes(SOURCE_MAPS);
  const execArgv = options.execArgv?.filter((flag) => hasMaps || flag !== SOURCE_MAPS);
  const forked = forkService(main, { ...options, execArgv });
  const { pid } = forked.child;
  if (pid !== undefined) void forked.exited.then(guard("service", pid));
  return forked;
}

/** Starts a process that reports `{kind: "ready", url}` over IPC, like all services. */
export async function startServiceProcess(start: ServiceStart): Promise<ServiceProcess> {
  const { name, servers } = start;
  const logFile = join(servers.dir, `${name}.log`);
  const log = openSync(logFile, "a");
  const { profileDir } = servers;
  const profile =
    profileDir === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${join(profileDir, start.database, name)}`];
  const { child, exited, ready, ask } = forkGuarded(start.main, {
    env: { PATH: process.env.PATH, ...start.env },
    execArgv: [...start.flags, ...profile],
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const pid = child.pid as number;
  const identity = identify(pid);
  const said = await ready;
  if (said === undefined) throw new Error(`${name} ended: ${readFileSync(logFile, "utf8").slice(-2000)}`);
  return {
    name,
    pid,
    url: said.url,
    metrics: async () => (await ask("/metrics")).body,
    async stop() {
      if (identity !== undefined) await endProcess(identity, ENDINGS.service);
      await exited;
    },
  };
}

/**
 * Starts the compiled file `main`, sends it the job and resolves to its answer. Typed arrays arrive
 * unchanged.
 */
export function runJob<Result>(main: URL, job: object): Promise<Result> {
  const { child } = forkGuarded(main, {
    // The bytes of some hundred thousand requests are Buffers, outside of the heap.
    execArgv: [SOURCE_MAPS, "--max-old-space-size=4096"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  return new Promise<Result>((resolve, reject) => {
    const stderr = collect(child);
    child.once("error", reject);
    child.once("message", (result: Result) => resolve(result));
    child.once("exit", (code, signal) =>
      reject(new Error(`${main.pathname} ended with ${signal ?? code}: ${stderr()}`)),
    );
    child.send(job);
  });
}

/** The end of its standard error. */
export function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (more: string) => {
    text = (text + more).slice(-4096);
  });
  return () => text;
}

/**
 * The other side of `runJob`, in a separate process: receives one job over IPC, sends its result, and ends.
 */
export function serveJob<Job>(run: (job: Job) => Promise<object>): void {
  process.on("disconnect", () => process.exit(1));
  process.once("message", async (job: Job) => {
    const result = await run(job);
    process.send?.(result, () => process.exit(0));
  });
}
