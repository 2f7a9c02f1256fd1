import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { waitFor } from "#test-support";
import type { RunFile } from "./announce.ts";

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
/** A first start makes a database, which takes its time on a busy machine. */
const READY_MS = 60_000;

/** `npm start` as a test sees it: a process with its environment, its output and its end. */
export interface Instance {
  readonly process: ChildProcess;
  readonly exited: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
  stdout(): string;
  stderr(): string;
  /** Waits for the ready block; fails at once if the process ends before that. */
  ready(): Promise<RunFile>;
}

/** A data directory outside the checkout, removed after the test. */
export function dataDirectory(t: Pick<Test, "teardown">): string {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "stampede-standalone-"));
  chmodSync(dir, 0o711);
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** What `npm start` runs once it has installed and compiled. */
const COMMAND = [process.execPath, "--enable-source-maps", MAIN] as const;

/**
 * Starts an instance on free ports, unless `env` says otherwise. It is killed after the test if it still
 * runs.
 */
export function startInstance(
  t: Pick<Test, "teardown">,
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
  [program, ...args]: readonly [string, ...string[]] = COMMAND,
): Instance {
  const ports = {
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_PLATFORM_PORT: "0",
    STAMPEDE_CONSOLE_PORT: "0",
    STAMPEDE_OPS_PORT: "0",
  };
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, STAMPEDE_DATA_DIR: dataDir, ...ports, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "close") as unknown as Instance["exited"];
  t.teardown(async () => {
    child.kill("SIGKILL");
    await exited;
    await untilNoneLeft(dataDir);
  });
  const ready = async (): Promise<RunFile> => {
    const isOver = (): boolean => stdout.includes("Ctrl-C stops it") || child.exitCode !== null;
    await waitFor(isOver, { deadlineMs: READY_MS, message: `ready block; so far: ${stdout}${stderr}` });
    if (child.exitCode !== null) throw new Error(`it ended: ${stdout}${stderr}`);
    return JSON.parse(readFileSync(join(dataDir, "run.json"), "utf8")) as RunFile;
  };
  return { process: child, exited, stdout: () => stdout, stderr: () => stderr, ready };
}

interface Readiness {
  readonly status: number;
  readonly checks: Readonly<Record<string, { readonly detail: string }>>;
}

export async function readiness(opsUrl: string): Promise<Readiness> {
  const response = await fetch(`${opsUrl}/readyz?verbose`);
  const { checks } = (await response.json()) as Pick<Readiness, "checks">;
  return { status: response.status, checks };
}

/** The pid of a child, from the readiness check with its name; undefined if there is none. */
export async function pidOf(opsUrl: string, child: string): Promise<number | undefined> {
  const { checks } = await readiness(opsUrl);
  return Number(/^process (\d+)$/.exec(checks[`standalone.${child}`]?.detail ?? "")?.[1]) || undefined;
}

/** Waits until no process is left that was started with this data directory. */
export async function untilNoneLeft(dataDir: string): Promise<void> {
  await waitFor(() => processesOf(dataDir).length === 0, { message: "no process is left" });
}

/**
 * The commands of all live processes that were started with this data directory, servers and guardian
 * included.
 */
export function processesOf(dataDir: string): string[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const all = command + readFileSync(`/proc/${pid}/environ`, "utf8");
      return all.includes(dataDir) ? [`${pid} ${command.replaceAll("\0", " ")}`] : [];
    } catch {
      return []; // ended meanwhile, or belongs to another user
    }
  });
}
