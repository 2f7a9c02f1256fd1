import type { ChildProcess } from "node:child_process";
import { descendantsOf, endProcess, hasEnded, identify, isRunning, type ProcessIdentity } from "#embedded";
import { describe, describeProcess, holdersOf, targetsOf } from "./process-state.ts";
import type { Failure } from "./tap-output.ts";

const GRACE_MS = 3_000;

/** Makes sure that a test process ends, and records what delayed its end. */
export class Ending {
  readonly failures: Failure[] = [];
  /** Resolves when the process has ended and its output is complete, or when neither can be forced. */
  readonly over: Promise<void>;
  code: number | null = null;
  readonly #child: ChildProcess;
  readonly #patienceMs: number;
  /** The child's ends of its output. */
  readonly #outputs: readonly string[];
  #isBrokenOff = false;
  #letGo: () => void = () => {};

  /** @param patienceMs how long the output may stay open after the process, and the process after SIGKILL */
  constructor(child: ChildProcess, patienceMs: number) {
    this.#child = child;
    this.#patienceMs = patienceMs;
    this.#outputs = child.pid === undefined ? [] : targetsOf(child.pid, [1, 2]);
    this.over = new Promise((resolve) => {
      this.#letGo = () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        child.unref();
        resolve();
      };
      child.once("close", () => resolve());
    });
    child.on("error", (error) => {
      if (child.pid !== undefined) return; // the process runs; only a signal could not be sent
      this.#fail(`could not be started: ${error.message}`);
      this.#letGo();
    });
    child.once("exit", (code, signal) => {
      this.code = code;
      if (signal !== null && !this.#isBrokenOff) this.#fail(`ended by ${signal}`);
      const timer = setTimeout(() => void this.#endHolders(), patienceMs);
      void this.over.then(() => clearTimeout(timer));
    });
  }

  /** Ends the process. @param isTold whether the failure describes what the process is doing */
  async breakOff(name: string, isTold: boolean): Promise<void> {
    const { pid } = this.#child;
    const identity = pid === undefined ? undefined : identify(pid);
    if (this.#isBrokenOff || identity === undefined) return;
    this.#isBrokenOff = true;
    const details = this.#fail(name);
    if (isTold) Object.assign(details, await describeProcess(identity.pid));
    const below = descendantsOf(identity.pid);
    await this.#end([identity], GRACE_MS, details);
    // Its child processes end by themselves, or its guardian ends them.
    if (!(await hasEnded(below, this.#patienceMs))) await this.#end(below.filter(isRunning), 0, details);
    if (isRunning(identity)) this.#letGo();
  }

  /** Ends processes that hold the output of the ended process open: they could do so for hours. */
  async #endHolders(): Promise<void> {
    const holders = holdersOf(this.#outputs);
    const names = holders.map(({ pid }) => describe(pid)).join("; ");
    const details = this.#fail(
      `ended, and left its output open to: ${names || "a process that is not found"}`,
    );
    await this.#end(holders, 0, details);
    this.#letGo();
  }

  async #end(all: readonly ProcessIdentity[], graceMs: number, details: Record<string, unknown>) {
    const steps = graceMs > 0 ? [{ signal: "SIGTERM", graceMs } as const] : [];
    const ends = await Promise.allSettled(all.map((one) => endProcess(one, steps)));
    const stuck = ends.flatMap((end) => (end.status === "rejected" ? [(end.reason as Error).message] : []));
    if (stuck.length > 0) details.stuck = stuck.join("\n");
  }

  #fail(name: string): Record<string, unknown> {
    const details: Record<string, unknown> = {};
    this.failures.push({ name, details });
    return details;
  }
}
