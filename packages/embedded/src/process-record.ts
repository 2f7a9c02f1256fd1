import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { identify, isRunning, type ProcessIdentity } from "./process-identity.ts";

/**
 * Who runs on a directory, written beside what it guards, so that the start after a crash can end what the crash left.
 * A small file rewritten in place: a torn write reads as no record, which is also what an older crash leaves.
 */
export function recordProcess(file: string, pid: number): void {
  const identity = identify(pid);
  if (!identity) return;
  try {
    writeFileSync(file, JSON.stringify(identity), { mode: 0o600 });
  } catch {
    // A full disk. The process runs by now, and whoever started it must not lose it: the guardian knows it all the same.
  }
}

/** The recorded process if it still runs. */
export function readRecordedProcess(file: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity;
    const identity = { pid: Number(pid), startedAt: String(startedAt) };
    return isRunning(identity) ? identity : undefined;
  } catch {
    return undefined;
  }
}

export function forgetProcess(file: string): void {
  rmSync(file, { force: true });
}
