import type { Sql, Store } from "#postgres";
import type { EarnedOutcome } from "./judge.ts";

/**
 * Queues outcomes for publication, in the database transaction that decided them: neither is there without the other.
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

/**
 * Takes the oldest queued outcomes, gives them to `publish`, and deletes them once that has succeeded. Several processes may
 * do this at once: each takes other outcomes. A crash between the publication and the commit leaves them in the queue, and
 * they are published again; the receiver recognises them by what they are about.
 * @param publish gets texts of JSON, oldest first, each with the `traceparent` of the span that decided it; it is not called
 *   if the queue is empty
 * @returns how many there were
 */
export async function takeOutcomes(
  store: Store,
  limit: number,
  publish: (outcomes: readonly string[], traceparents: readonly (string | null)[]) => Promise<void>,
): Promise<number> {
  return store.begin(async (sql) => {
    const rows = await sql<{ position: number; outcome: string; traceparent: string | null }[]>`
      select position, outcome, traceparent from platform.outcome_queue
      order by position
      limit ${limit}
      for update skip locked`;
    if (rows.length === 0) return 0;
    await publish(
      rows.map(({ outcome }) => outcome),
      rows.map(({ traceparent }) => traceparent),
    );
    const positions = rows.map(({ position }) => position);
    await sql`delete from platform.outcome_queue where position = any(${positions}::bigint[])`;
    return rows.length;
  });
}

/** How much waits to be published, and for how long. */
export interface OutcomeQueueSize {
  /** At most a hundred thousand: more is not counted. */
  readonly outcomes: number;
  /** How long the oldest has waited; 0 if there is none. */
  readonly waitingSeconds: number;
}

const COUNTED = 100_000;

/** Reads the queue up to a bound, so that measuring it stays cheap after a long outage. */
export async function measureOutcomeQueue(sql: Sql): Promise<OutcomeQueueSize> {
  const [size] = await sql<[OutcomeQueueSize]>`
    select
      (select count(*) from (select from platform.outcome_queue limit ${COUNTED}) as counted) as outcomes,
      coalesce((
        select extract(epoch from now() - queued_at)::float8
        from platform.outcome_queue order by position limit 1
      ), 0) as "waitingSeconds"`;
  return size;
}
