import type { Arena, Database } from "./arena.ts";
import type { Results } from "./results.ts";
import type { Subject } from "./subjects/subject.ts";

const DRAIN_LIMIT_MS = 300_000;
const POLL_MS = 50;

/** Waits until nothing accepted is on its way any more; resolves to the seconds that took. */
export async function waitUntilDrained(subject: Subject): Promise<number> {
  const startedAt = performance.now();
  while ((await subject.queueDepth()) > 0) {
    if (performance.now() - startedAt > DRAIN_LIMIT_MS) throw new Error(`${subject.name} does not drain`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return (performance.now() - startedAt) / 1000;
}

/** The end of a contender: drained, stopped, and its database held to what it answered. */
export async function settle(
  arena: Arena,
  results: Results,
  subject: Subject | undefined,
  database: Database,
): Promise<void> {
  if (subject !== undefined) {
    await waitUntilDrained(subject);
    await subject.stop();
  }
  const verdict = await arena.verifyAndDrop(database);
  results.verified.databases++;
  results.verified.transactions += verdict.transactions;
  results.verified.events += verdict.events;
  results.verified.faults.push(...verdict.faults.map((fault) => `${database.name}: ${fault}`));
}
