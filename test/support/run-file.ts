import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endProcess, guard, identify } from "#embedded";
import { cpuTimesOf } from "./cpu-time.ts";
import { TOGETHER_VARIABLE } from "./runner-protocol.ts";
import { type FileResult, TapOutput } from "./tap-output.ts";

export interface RunFileOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const STDERR_CHARACTERS = 32 * 1024;
const GRACE_MS = 3_000;
const TOGETHER = fileURLToPath(new URL("together.js", import.meta.url));
const PRELOADED = new URL("without-async-hooks.js", import.meta.url).href;
/** As those of `startPipeline`: the report finds places in the sources by itself, and most files end before optimised code has paid. */
const NODE_FLAGS = [
  ...process.execArgv.filter((flag) => flag !== "--enable-source-maps"),
  "--interrupt-budget=1000000",
  ...["--import", PRELOADED],
];

/**
 * Runs compiled test files in a process of their own, one after the other, and counts their assertions. Never rejects on what
 * the files do.
 */
export async function runFiles(
  files: readonly string[],
  { env, timeoutMs, signal }: RunFileOptions,
): Promise<FileResult[]> {
  const startedAt = performance.now();
  const [only = ""] = files;
  const isAlone = files.length === 1;
  // What other children took, such as initdb, is no file's.
  ofEndedChildren();
  const child = spawn(process.execPath, [...NODE_FLAGS, isAlone ? only : TOGETHER], {
    env: isAlone ? env : { ...env, [TOGETHER_VARIABLE]: JSON.stringify(files) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const release = child.pid === undefined ? () => {} : guard("service", child.pid);
  let cpuMs = 0;
  child.once("exit", () => {
    cpuMs = ofEndedChildren();
  });
  const output = new TapOutput(files);
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.write(text));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS);
  });

  let brokenOff: string | undefined;
  const breakOff = (why: string): void => {
    brokenOff ??= why;
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity) void endProcess(identity, [{ signal: "SIGTERM", graceMs: GRACE_MS }]);
  };
  const timer = setTimeout(() => breakOff(`not done after ${timeoutMs / 1000} s`), timeoutMs);
  const onAbort = (): void => breakOff("interrupted");
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();

  const [code, killedBy] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  release();
  const why = brokenOff ?? (killedBy === null ? undefined : `ended by ${killedBy}`);
  const told = output.end(code, why);
  const inAll = { ms: performance.now() - startedAt, cpuMs };
  return told.map((one) => ({ ...one, ...(isAlone && inAll), stderr }));
}

/** CPU time of all children that had ended when it was last read. */
let endedMs = 0;

/**
 * CPU time of the children of this process that ended since the last call, and of their own ended children. Node does not
 * tell it, so the kernel is asked.
 */
function ofEndedChildren(): number {
  const [, , user = 0, system = 0] = cpuTimesOf("self");
  const ms = user + system - endedMs;
  endedMs += ms;
  return ms;
}
