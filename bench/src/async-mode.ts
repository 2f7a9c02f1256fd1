import type { Arena } from "./arena.ts";
import { findThroughput, type Results } from "./results.ts";
import { settle, waitUntilDrained } from "./settle.ts";
import { startStampede } from "./subjects/stampede.ts";

const SIZE = 500;
const CONNECTIONS = 16;
/** Accepted as fast as that, more or less: the amount of requests to prepare. */
const EXPECTED_EVENTS_PER_SECOND = 250_000;
/** The least that may be configured: full at once, on any machine. */
const SMALL_STREAM_BYTES = 1024 * 1024;

/**
 * `prefer: respond-async`: how fast events are accepted while the streams have room, and that a full stream refuses with
 * 503 and loses nothing of what it took.
 */
export async function measureAsync(arena: Arena, results: Results): Promise<void> {
  arena.say("202 mode");
  const { seconds, warmUpSeconds } = arena.options;
  const connections = findThroughput(results, "stampede", SIZE)?.connections ?? CONNECTIONS;
  const shape = {
    size: SIZE,
    connections,
    expectedPerSecond: (EXPECTED_EVENTS_PER_SECOND * arena.options.abundance) / SIZE,
    seconds,
    warmUpSeconds,
    async: true,
  };
  const database = await arena.newDatabase("async");
  const { servers, options } = arena;
  const subject = await startStampede({ servers, database: database.name, profileDir: options.profileDir });
  const accepted = await arena.closedLoop(subject, database, shape);
  const drainSeconds = await waitUntilDrained(subject);
  await settle(arena, results, subject, database);

  const small = await arena.newDatabase("bounded");
  const env = { STAMPEDE_STREAM_MAX_BYTES: String(SMALL_STREAM_BYTES) };
  const bounded = await startStampede({ servers, database: small.name, env });
  const { measured } = await arena.closedLoop(bounded, small, shape);
  await settle(arena, results, bounded, small);
  results.async = { accepted, drainSeconds, bounded: measured.statuses };
}
