import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Parser, type Result } from "tap-parser";
import { endProcess, guard, identify } from "#embedded";

/** The result of one test file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  /** One entry per failed assertion, or for the file itself if it broke off. */
  readonly failures: readonly Failure[];
  readonly ms: number;
  /** CPU time of the file's process and of those children that ended before it; Linux only, elsewhere 0. */
  readonly cpuMs: number;
  /** The file's stderr, its last 32 KiB. */
  readonly stderr: string;
}

export interface Failure {
  readonly name: string;
  /** The stack, the diff, what was found and what was wanted, as tap reports them. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface RunFileOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const STDERR_CHARACTERS = 32 * 1024;
const GRACE_MS = 3_000;

/** Runs one compiled test file in a process of its own and counts its assertions. Never rejects on what the file does. */
export async function runFile(file: string, { env, timeoutMs, signal }: RunFileOptions): Promise<FileResult> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, file], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const release = child.pid === undefined ? () => {} : guard("service", child.pid);
  const cpu = new CpuMeter(child.pid);
  const output = new TapOutput();
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
  const cpuMs = cpu.stop();
  signal.removeEventListener("abort", onAbort);
  release();
  const failures = output.end();
  const verdict = brokenOff ?? explainExit(code, killedBy, failures.length, output.passed + output.skipped);
  if (verdict !== undefined) failures.push({ name: verdict, details: {} });
  const { passed, skipped } = output;
  return { file, passed, skipped, failures, ms: performance.now() - startedAt, cpuMs, stderr };
}

const CPU_SAMPLE_MS = 100;
/** `getconf CLK_TCK`, which has been 100 on every Linux for decades. */
const MS_PER_TICK = 10;

/** Node does not tell a child's CPU time, so the kernel is asked while the child lives; its last 100 ms may be missing. */
class CpuMeter {
  readonly #timer: NodeJS.Timeout;
  #ms = 0;

  constructor(pid: number | undefined) {
    this.#timer = setInterval(() => {
      this.#ms = cpuMsOf(pid) ?? this.#ms;
    }, CPU_SAMPLE_MS);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.#ms;
  }
}

/** proc(5): fields 14 to 17 are the process's own time and that of its children, in user and system mode. */
function cpuMsOf(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0);
  } catch {
    return undefined; // it has ended, or this is no Linux
  }
}

/** Counts the assertions in the TAP of one file. */
class TapOutput {
  passed = 0;
  skipped = 0;
  readonly #parser = new Parser();
  readonly #failures: Failure[] = [];

  constructor() {
    // "result" comes for each assertion at any depth, and not again for the subtests that hold them.
    this.#parser.on("result", (result: Result) => {
      if (result.skip || result.todo) this.skipped++;
      else if (result.ok) this.passed++;
      else this.#failures.push({ name: result.fullname || result.name, details: result.diag ?? {} });
    });
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  /** All failures. Output that is cut short, or does not match its plan, counts as one. */
  end(): Failure[] {
    this.#parser.end();
    const isBroken = !this.#parser.ok && this.#failures.length === 0;
    return isBroken ? [{ name: "its output is not whole", details: {} }] : [...this.#failures];
  }
}

function explainExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  failures: number,
  others: number,
): string | undefined {
  if (signal !== null) return `ended by ${signal}`;
  if (failures > 0) return undefined;
  if (code !== 0) return `exited with ${code} although no test failed`;
  return others === 0 ? "it holds no tests" : undefined;
}
