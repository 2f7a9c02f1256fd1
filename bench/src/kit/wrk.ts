import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isExecutable } from "#embedded";
import { collect } from "./processes.ts";
import type { Percentiles } from "./timeline.ts";
import { readCounters } from "./usage.ts";

/** How to install it, if it is missing. */
export const HOW_TO_GET_WRK = "apt-get install wrk";

/** The load generator in C, if it is on the PATH. */
export function findWrk(): string | undefined {
  const paths = (process.env.PATH ?? "").split(delimiter).filter((dir) => dir !== "");
  return paths.map((dir) => join(dir, "wrk")).find(isExecutable);
}

interface WrkRun {
  /** From `findWrk`. */
  readonly binary: string;
  readonly url: string;
  /** Connections of all threads together; wrk gives each thread an equal number. */
  readonly connections: number;
  readonly threads: number;
  /** The threads' files of requests, without the number at their end: wrk.lua describes their content. */
  readonly files: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** How long to wait for the last answers after that. */
  readonly graceSeconds: number;
}

/** The number of each; in no order. */
type Counts = readonly (readonly [key: string, times: number])[];

/** The requests and answers of one thread. */
interface WrkThread {
  /** The number of its requests sent, in the order of its file. */
  readonly sent: number;
  readonly answered: number;
  /**
   * By the clock, when it sent the first one; if the warm-up before the first answer took longer, the end of
   * that.
   */
  readonly began_ms: number;
  /** When it had no more to send; 0: it always had. */
  readonly dry_ms: number;
  /** Answers of status 200, by the number of the quarter of a second of the measured time. */
  readonly pieces: Counts;
  readonly statuses: Counts;
  /** Bodies of the answers, cut short. */
  readonly texts: Counts;
  /** Answers whose bodies were not kept, because there were too many different ones. */
  readonly other_texts: number;
}

export interface WrkResult {
  /** wrk's own: over the whole run, including the warm-up, and corrected for requests that a stall delays. */
  readonly latency_ms: Percentiles;
  readonly errors: {
    readonly connect: number;
    readonly read: number;
    readonly write: number;
    readonly timeout: number;
  };
  readonly threads: readonly WrkThread[];
}

/** From this checkout, from dist/bench/src/kit. */
const SCRIPT = fileURLToPath(new URL("../../../../bench/src/kit/wrk.lua", import.meta.url));

/**
 * wrk: keep-alive, no pipelining. Resolves once every request is answered, or the grace is over.
 * @returns with its CPU time, including the start; 0 without /proc
 * @throws Error with wrk's output, if it has no results
 */
export async function runWrk(run: WrkRun): Promise<WrkResult & { readonly cpuSeconds: number }> {
  const before = readCounters(process.pid).childrenSeconds;
  const child = spawn(run.binary, argumentsOf(run), { stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => void child.kill("SIGKILL");
  // It would continue until its time is over.
  process.once("exit", end);
  try {
    const result = await readResult(child, run.threads);
    return { ...result, cpuSeconds: readCounters(process.pid).childrenSeconds - before };
  } finally {
    process.off("exit", end);
  }
}

function argumentsOf(run: WrkRun): string[] {
  // wrk accepts whole seconds only. Its timeout is the longest latency that it counts, and ends nothing.
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
