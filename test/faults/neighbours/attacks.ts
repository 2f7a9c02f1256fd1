import type { Attack } from "./attack.ts";
import { DOOR_ATTACKS } from "./door-attacks.ts";
import { INGESTION_ATTACKS } from "./ingestion-attacks.ts";
import { REQUEST_ATTACKS } from "./request-attacks.ts";
import { TARGET_ATTACKS } from "./target-attacks.ts";

export const ATTACKS: readonly Attack[] = [
  ...DOOR_ATTACKS,
  ...REQUEST_ATTACKS,
  ...INGESTION_ATTACKS,
  ...TARGET_ATTACKS,
];

/** One attack for each shared resource, for `npm test`, in which all attacks would take minutes. */
const SHORT: ReadonlySet<string> = new Set([
  // Memory for bodies, look-ups of tokens, connections, answers, logs and metrics.
  "40 endless bodies in chunks, valid token",
  "flood of made-up tokens from the quiet one's address",
  "idle connections",
  "answers of 4 MiB that are never read",
  "paths, methods and agents that are all different",
  // The event loop, by depth, by faults and by size.
  "four million nested brackets",
  "8 MiB of faulty events, six callers",
  "descriptors that look like card numbers, six callers",
  // The database's connections and locks.
  "60 exports that skip 100,000",
  "one idempotency key, 100 callers",
  // The streams, and the platform.
  "six callers of 5,000 events",
  "six callers of 5,000 payments, another retailer",
  // Slots of webhooks, and the queue of deliveries.
  "20 webhooks that answer after 9 s, on 20 slots",
  "replay of many events, four callers",
]);

export const SHORT_ATTACKS = ATTACKS.filter(({ name }) => SHORT.has(name));
if (SHORT_ATTACKS.length < SHORT.size) throw new Error("an attack of the short run has another name");
