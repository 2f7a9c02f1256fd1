import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isExecutable } from "#embedded";
import { collect } from "./processes.ts";
import type { Percentiles } from "./timeline.ts";
import { readCounters } from "./usage.ts";

/** How to get it, where it is missing. */
export const HOW_TO_GET_WRK = "apt-get install wrk";

/** The load generator in C, if it is on the PATH. */
export function findWrk(): string | undefined {
  const paths = (process.env.PATH ?? "").split(delimiter).filter((dir) => dir !== "");
  return paths.map((dir) => join(dir, "wrk")).find(isExecutable);
}

interface WrkRun {
  /** As `findWrk` gives it. */
  readonly binary: string;
  readonly url: string;
  /** Of all threads together; wrk gives each thread as many. */
  readonly connections: number;
  readonly threads: number;
  /** The threads' files of requests, without the number at their end: see wrk.lua for what is in them. */
  readonly files: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** How long after that the last answers are waited for. */
  readonly graceSeconds: number;
}

/** How often each came; in no order. */
type Counts = readonly (readonly [key: string, times: number])[];

/** What one thread sent and heard. */
interface WrkThread {
  /** It sent so many of its requests, in the order of its file. */
  readonly sent: number;
  readonly answered: number;
  /** By the clock, when it sent the first one; the warm-up before the first answer, where that took longer. */
  readonly began_ms: number;
  /** When it had no more to send; 0: it always had. */
  readonly dry_ms: number;
  /** Answers of status 200, by the number of the quarter of a second of the measured time. */
  readonly pieces: Counts;
  readonly statuses: Counts;
  /** Bodies of the answers, cut short. */
  readonly texts: Counts;
  /** Answers whose bodies were not kept, since there were too many different ones. */
  readonly other_texts: number;
}

export interface WrkResult {
  /** wrk's own: over the whole run, warm-up included, and corrected for what a stall keeps from being sent. */
  readonly latency_ms: Percentiles;
  readonly errors: {
    readonly connect: number;
    readonly read: number;
    readonly write: number;
    readonly timeout: number;
  };
  readonly threads: readonly WrkThread[];
}

/** Of this checkout. This leads there from dist/bench/src/kit. */
const SCRIPT = fileURLToPath(new URL("../../../../bench/src/kit/wrk.lua", import.meta.url));

/**
 * wrk: keep-alive, no pipelining. Resolves when every request is answered, or the grace is over.
 * @returns with the CPU time that it took, start-up included; 0 where there is no /proc
 * @throws Error with what wrk says, if it does not say what it measured
 */
export async function runWrk(run: WrkRun): Promise<WrkResult & { readonly cpuSeconds: number }> {
  const before = readCounters(process.pid).childrenSeconds;
  const child = spawn(run.binary, argumentsOf(run), { stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => void child.kill("SIGKILL");
  // It would go on until its time is over.
  process.once("exit", end);
  try {
    const result = await readResult(child, run.threads);
    return { ...result, cpuSeconds: readCounters(process.pid).childrenSeconds - before };
  } finally {
    process.off("exit", end);
  }
}

function argumentsOf(run: WrkRun): string[] {
  // wrk knows whole seconds only. Its timeout is the longest latency that it counts, and ends nothing.
  const limit = `${Math.ceil(run.warmUpSeconds + run.seconds + run.graceSeconds)}s`;
  const times = [run.warmUpSeconds, run.seconds].map((seconds) => String(seconds * 1000));
  return [
    ...["-c", String(run.connections), "-t", String(run.threads), "-d", limit, "--timeout", limit],
    ...["-s", SCRIPT, run.url, "--", run.files, ...times],
  ];
}

async function readResult(child: ChildProcess, threads: number): Promise<WrkResult> {
  const stderr = collect(child);
  let ended = 0;
  let json: string | undefined;
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    if (line.startsWith("{")) json = line;
    // It sleeps until its own time is over, which includes the grace: this wakes it.
    else if (line === "answered" && ++ended === threads) child.kill("SIGINT");
  });
  const ending = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(String(signal ?? code)));
  });
  if (json === undefined) throw new Error(`wrk ended with ${ending}: ${stderr()}`);
  return JSON.parse(json) as WrkResult;
}
