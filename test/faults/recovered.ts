import type { Test } from "tap";
import { countedWait } from "#test-support";

/** The bound: requests are taken again this long after the cause is gone, without an operator. */
const RECOVERY_MS = 5_000;
/** However slow the machine: anything missing by then is not coming. */
const DEADLINE_MS = 90_000;

/** Waits until the condition gives something truthy, claims that it came in time, and returns it. */
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
