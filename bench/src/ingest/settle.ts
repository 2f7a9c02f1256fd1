import type { Subject } from "../kit/subjects.ts";
import type { Database } from "./arena.ts";
import type { IngestArena } from "./contenders.ts";
import type { Results } from "./results.ts";

/** The end of a contender: drained, stopped, and its database held to what it answered. */
export async function settle(
  arena: IngestArena,
  results: Results,
  subject: Subject | undefined,
  database: Database,
): Promise<void> {
  const verdict = subject ? await arena.settle(subject, database) : await arena.verifyAndDrop(database);
  results.verified.databases++;
  results.verified.transactions += verdict.transactions;
  results.verified.events += verdict.events;
  results.verified.faults.push(...verdict.faults.map((fault) => `${database.name}: ${fault}`));
}
