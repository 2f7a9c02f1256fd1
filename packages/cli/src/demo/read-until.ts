import { setTimeout as delay } from "node:timers/promises";

/** Reads again and again until it is done, or until the deadline; then what was read last. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isDone: (found: T) => boolean,
  { forMs, everyMs }: { readonly forMs: number; readonly everyMs: number },
): Promise<T> {
  const deadline = performance.now() + forMs;
  for (;;) {
    const found = await read();
    if (isDone(found) || performance.now() > deadline) return found;
    await delay(everyMs);
  }
}
