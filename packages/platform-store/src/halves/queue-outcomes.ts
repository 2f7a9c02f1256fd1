import type { Sql } from "#store";
import type { EarnedOutcome } from "./judge.ts";

/** Queues outcomes for publication, in the transaction that decided them: neither is there without the other. */
export async function queueOutcomes(sql: Sql, outcomes: readonly EarnedOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const texts = outcomes.map(({ json }) => json);
  await sql`
    insert into platform.outcome_queue (outcome)
    select outcome from unnest(${texts}::text[]) as queued (outcome)`;
}
