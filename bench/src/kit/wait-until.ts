import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 50;
const LIMIT_MS = 300_000;

/**
 * @returns the seconds that it took
 * @throws Error with `message` when it does not come true in five minutes
 */
export async function waitUntil(holds: () => Promise<boolean>, message: string): Promise<number> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > LIMIT_MS) throw new Error(message);
    await delay(POLL_MS);
  }
  return (performance.now() - startedMs) / 1000;
}
