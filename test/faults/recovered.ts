import type { Test } from "tap";
import { countedWait } from "#test-support";

/** The bound: without an operator, requests are taken again this long after the cause is gone. */
const RECOVERY_MS = 5_000;
/** However slow the machine: what is missing by then is not coming. */
const DEADLINE_MS = 90_000;

/** Waits until the condition gives something truthy, asserts that it came in time, and returns it. */
export async function recovered<T>(
  t: Test,
  what: string,
  condition: () => Promise<T | undefined>,
  withinMs = RECOVERY_MS,
): Promise<T> {
  const options = { deadlineMs: DEADLINE_MS, message: `${what}: not recovered` };
  const { value, countedMs, ms } = await countedWait(condition, options);
  const counted = Math.round(countedMs);
  t.ok(countedMs <= withinMs, `${what}: after ${counted} ms of ours, ${Math.round(ms)} of the clock`);
  return value;
}
