import type { Arena } from "./arena.ts";
import { OPEN_LOOP_CONNECTIONS } from "./latency.ts";
import { findThroughput, type Results } from "./results.ts";
import { settle } from "./settle.ts";
import { startStampede } from "./subjects/stampede.ts";

const SIZE = 500;
const TIMES = 10;
/** Without a measurement in this run. */
const ASSUMED_REQUESTS_PER_SECOND = 100;

/** Ten times as much as Stampede can take, in open loop: memory stays bounded, what is accepted is stored. */
export async function measureOverload(arena: Arena, results: Results): Promise<void> {
  arena.say(`overload, ${TIMES} times the maximum`);
  const maximum = findThroughput(results, "stampede", SIZE)?.requestsPerSecond ?? ASSUMED_REQUESTS_PER_SECOND;
  const database = await arena.newDatabase("overload");
  const { profileDir, seconds } = arena.options;
  const subject = await startStampede({ servers: arena.servers, database: database.name, profileDir });
  const run = await arena.openLoop(subject, database, {
    size: SIZE,
    requestsPerSecond: TIMES * maximum,
    connections: OPEN_LOOP_CONNECTIONS,
    seconds,
    warmUpSeconds: 0,
  });
  results.overload = { wantedPerSecond: TIMES * maximum, run };
  await settle(arena, results, subject, database);
}
