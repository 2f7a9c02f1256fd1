import { type Arena, FIRST_RUN } from "./arena.ts";
import type { Ready } from "./contenders.ts";
import { findThroughput, type Latency, type Results } from "./results.ts";

/** Far above what half a load needs: where requests wait for a connection, that is the subject's doing. */
export const OPEN_LOOP_CONNECTIONS = 512;

/**
 * Open loop at half of Stampede's maximum, the same rate for the peer, and the peer also at half of its own. What a
 * subject cannot serve in time shows as latency from the scheduled moment.
 */
export async function measureLatency(
  arena: Arena,
  results: Results,
  services: readonly Ready[],
  size: number,
): Promise<void> {
  const half = (contender: "stampede" | "peer") =>
    (findThroughput(results, contender, size)?.requestsPerSecond ?? 0) / 2;
  for (const ready of services) {
    const contender = ready.subject.name;
    const loads: [Latency["load"], number][] = [["half of Stampede's maximum", half("stampede")]];
    if (contender === "peer") loads.push(["half of its own maximum", half("peer")]);
    for (const [i, [load, requestsPerSecond]] of loads.entries()) {
      if (requestsPerSecond === 0) continue;
      arena.say(`requests of ${size}: latency of ${contender} at ${load}`);
      const run = await arena.openLoop(ready.subject, ready.database, {
        size,
        requestsPerSecond,
        connections: OPEN_LOOP_CONNECTIONS,
        seconds: arena.options.seconds,
        warmUpSeconds: arena.options.warmUpSeconds,
        run: FIRST_RUN.latency + i,
      });
      results.latency.push({ contender, size, load, requestsPerSecond, run });
    }
  }
}
