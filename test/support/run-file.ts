import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { guard } from "#embedded";
import { cpuTimesOf } from "./cpu-time.ts";
import { Ending } from "./ending.ts";
import { LATER_OPTIMISATION } from "./later-optimisation.ts";
import { TOGETHER_VARIABLE, type Together } from "./runner-protocol.ts";
import { type FileResult, TapOutput } from "./tap-output.ts";

export interface RunFileOptions {
  readonly env: NodeJS.ProcessEnv;
  /** How long one file may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * How long the processes that a file started may run after it, and how long a process's output may stay open after the
   * process. A process itself may run three times as long after its last test.
   */
  readonly patienceMs?: number;
}

const STDERR_CHARACTERS = 32 * 1024;
const PATIENCE_MS = 15_000;
const TOGETHER = fileURLToPath(new URL("together.js", import.meta.url));
const PRELOADED = new URL("without-async-hooks.js", import.meta.url).href;
/** Like those of `startPipeline`: the report finds places in the sources by itself. */
const NODE_FLAGS = [
  ...process.execArgv.filter((flag) => flag !== "--enable-source-maps"),
  ...LATER_OPTIMISATION,
  ...["--import", PRELOADED],
];

/**
 * Runs compiled test files in a process of their own, one after the other, and counts their assertions. Whatever the files
 * do, it does not reject, and each of its waits has an end.
 */
export async function runFiles(
  files: readonly string[],
  { env, timeoutMs, signal, patienceMs = PATIENCE_MS }: RunFileOptions,
): Promise<FileResult[]> {
  const startedAt = performance.now();
  const [only = ""] = files;
  const isAlone = files.length === 1;
  const together: Together = { files, timeoutMs, patienceMs };
  // The time of other children, such as initdb, belongs to no file.
  ofEndedChildren();
  const child = spawn(process.execPath, [...NODE_FLAGS, isAlone ? only : TOGETHER], {
    env: isAlone ? env : { ...env, [TOGETHER_VARIABLE]: JSON.stringify(together) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const release = child.pid === undefined ? () => {} : guard("service", child.pid);
  const ending = new Ending(child, patienceMs);
  let timer: NodeJS.Timeout | undefined;
  const allow = (ms: number, why: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void ending.breakOff(why, true), ms);
  };
  // Later than tap's limit: tap names the test, but only while the event loop turns.
  const fileMs = timeoutMs + 2 * patienceMs;
  const allowFile = (): void => allow(fileMs, `not done after ${fileMs / 1000} s`);
  allowFile();
  let cpuMs = 0;
  child.once("exit", () => {
    clearTimeout(timer);
    cpuMs = ofEndedChildren();
  });
  const output = new TapOutput(files, {
    onFile: allowFile,
    onDone: () => allow(3 * patienceMs, `still running ${(3 * patienceMs) / 1000} s after its last test`),
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.write(text));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS);
  });
  const onAbort = (): void => void ending.breakOff("interrupted", false);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();

  await ending.over;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  release();
  const told = output.end(ending.code, ending.failures);
  const inAll = { ms: performance.now() - startedAt, cpuMs };
  return told.map((one) => ({ ...one, ...(isAlone && inAll), stderr }));
}

/** CPU time of all children that had ended at the last reading. */
let endedMs = 0;

/**
 * CPU time of the children of this process that ended since the last call, and of their own ended children. Node does not
 * provide it, so this asks the kernel.
 */
function ofEndedChildren(): number {
  const [, , user = 0, system = 0] = cpuTimesOf("self");
  const ms = user + system - endedMs;
  endedMs += ms;
  return ms;
}
