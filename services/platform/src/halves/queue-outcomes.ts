import type { Sql } from "#postgres";
import type { EarnedOutcome } from "./judge.ts";

/**
 * Queues outcomes for publication, in the transaction that decided them: neither is there without the other.
 * @param traceparent of the span that decided them, where it is traced
 */
export async function queueOutcomes(
  sql: Sql,
  outcomes: readonly EarnedOutcome[],
  traceparent: string | undefined,
): Promise<void> {
  if (outcomes.length === 0) return;
  const texts = outcomes.map(({ json }) => json);
  await sql`
    insert into platform.outcome_queue (outcome, traceparent)
    select outcome, ${traceparent ?? null}::text from unnest(${texts}::text[]) as queued (outcome)`;
}
