import { fork } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { guard } from "#embedded";

/** A Node process of a subject. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  /** Where it listens, if it does. */
  readonly url: string | undefined;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
}

export interface ServiceStart {
  readonly name: string;
  /** Compiled file. */
  readonly main: URL;
  readonly env: NodeJS.ProcessEnv;
  /** For its output. */
  readonly dir: string;
  /** Where a CPU profile of it goes when it ends. */
  readonly profileDir: string | undefined;
}

/** Starts a process that says `{kind: "ready", url}` over IPC, as all services do. */
export async function startServiceProcess(start: ServiceStart): Promise<ServiceProcess> {
  const { name, profileDir } = start;
  const logFile = join(start.dir, `${name}.log`);
  const log = openSync(logFile, "a");
  const profile = profileDir === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${join(profileDir, name)}`];
  const child = fork(start.main, {
    env: { PATH: process.env.PATH, ...start.env },
    execArgv: ["--enable-source-maps", ...profile],
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const pid = child.pid as number;
  const release = guard("service", pid);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  void exited.then(release);
  const url = await new Promise<string | undefined>((resolve, reject) => {
    child.once("error", reject);
    child.on("message", (message: { kind: string; url?: string }) => {
      if (message.kind === "ready") resolve(message.url);
    });
    void exited.then(() => reject(new Error(`${name} ended: ${readFileSync(logFile, "utf8").slice(-2000)}`)));
  });
  return {
    name,
    pid,
    url,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
    },
  };
}
