import type { Subject } from "../kit/subjects.ts";
import type { Database } from "./arena.ts";
import type { IngestArena } from "./contenders.ts";
import type { Results } from "./results.ts";

/** Ends a contender: drains and stops it, and compares its database with its answers. */
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
