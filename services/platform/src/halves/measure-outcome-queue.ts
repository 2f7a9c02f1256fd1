import type { Sql } from "#postgres";

/** How much waits to be published, and for how long. */
export interface OutcomeQueueSize {
  /** At most a hundred thousand: more is not counted. */
  readonly outcomes: number;
  /** Of the oldest; 0 if there is none. */
  readonly waitingSeconds: number;
}

const COUNTED = 100_000;

/** Reads the queue up to a bound, so that a long outage does not make the look at it expensive. */
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
