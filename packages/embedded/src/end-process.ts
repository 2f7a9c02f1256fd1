import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, isRunning, type ProcessIdentity } from "./process-identity.ts";

/** What is run here, in the order in which it is ended: who writes before who stores. */
export const PROCESS_KINDS = ["service", "nats", "postgres"] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

interface Step {
  readonly signal: NodeJS.Signals;
  /** How long the process may take before the next step. */
  readonly graceMs: number;
}

/** The way down, from an orderly end to a certain one. */
export const ENDINGS: Record<ProcessKind, readonly Step[]> = {
  // Longer than a service's own limit for its drain (`LIMITS.drainMs`), after which it ends by itself.
  service: [{ signal: "SIGTERM", graceMs: 30_000 }],
  nats: [{ signal: "SIGTERM", graceMs: 10_000 }],
  // Fast shutdown (sessions are ended, a checkpoint is written), then immediate (recovery at the next start).
  postgres: [
    { signal: "SIGINT", graceMs: 15_000 },
    { signal: "SIGQUIT", graceMs: 5_000 },
  ],
};

/** For processes whose owner is gone: nobody waits for their last answers any more. */
export const ORPHAN_ENDINGS: Record<ProcessKind, readonly Step[]> = {
  service: [{ signal: "SIGTERM", graceMs: 3_000 }],
  nats: [{ signal: "SIGTERM", graceMs: 3_000 }],
  postgres: [
    { signal: "SIGINT", graceMs: 4_000 },
    { signal: "SIGQUIT", graceMs: 2_000 },
  ],
};

const POLL_MS = 15;
const KILL_GRACE_MS = 5_000;

/**
 * Ends a process by the given steps and then by SIGKILL, together with everything below it. Resolves when it is gone;
 * throws when even SIGKILL did not do it (another user's process, or one stuck in the kernel).
 */
export async function endProcess(target: ProcessIdentity, steps: readonly Step[]): Promise<void> {
  for (const { signal, graceMs } of steps) {
    send(target, signal);
    if (await hasEnded([target], graceMs)) return;
  }
  // Taken before the kill: afterwards they have another parent and could not be found.
  const family = [target, ...descendantsOf(target.pid)];
  for (const member of family) send(member, "SIGKILL");
  if (await hasEnded(family, KILL_GRACE_MS)) return;
  throw new Error(`process ${target.pid} did not end; end it by hand (kill -9 ${target.pid})`);
}

/** Signals this very process, never another one that was given its pid later. Says whether it was there. */
export function send(target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(target)) return false;
  try {
    return process.kill(target.pid, signal);
  } catch {
    return false; // it ended in between, or is another user's: whoever waits for its end finds out
  }
}

/** Whether all of them are gone within this time. */
export async function hasEnded(targets: readonly ProcessIdentity[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (targets.some(isRunning)) {
    if (Date.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
