import { statfsSync } from "node:fs";
import type { RunningNats } from "#embedded";
import type { Say } from "./step.ts";
import type { Supervised } from "./supervised.ts";

/** Twice a look and a start are well below the half minute in which everything is to be back. */
const LOOK_MS = 2_000;
const ANSWER_MS = 2_000;
/** With less a stream is soon where it was: a message has up to 1 MiB, and the server wants its index files too. */
const ROOM_BYTES = 8 * 1024 * 1024;

/**
 * Heals nats-server after a full disk. A stream of 2.14 that once could not be written stays so: it answers no publish any
 * more, also when there is room again, until the server is started anew (measured; `/healthz` tells of it, and of it alone
 * with these words). So this looks, and restarts the server once there is room. Nothing that was acknowledged is
 * touched by that: it is on disk.
 * @param dir where it stores
 */
export function watchStore(
  child: Supervised<RunningNats>,
  dir: string,
  { say, signal }: { say: Say; signal: AbortSignal },
): void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    const server = child.current;
    if (server === undefined || !(await cannotWrite(server.monitorUrl)) || !hasRoom(dir)) return;
    say("NATS: a stream could not be written, and there is room again; restarting it");
    await server.stop();
  };
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // A server that cannot be asked is being started, or ends: its supervisor's business.
    await look().catch(() => {});
    isLooking = false;
  }, LOOK_MS);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

async function cannotWrite(monitorUrl: string): Promise<boolean> {
  const response = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
  return !response.ok && /write error|JetStream.*disabled/i.test(await response.text());
}

function hasRoom(dir: string): boolean {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize >= ROOM_BYTES;
}
