import { LIMITS } from "#contract";
import type { Sql, Store } from "#postgres";
import { type EarnedOutcome, inPublishedOrder, type Judged } from "./judge.ts";

/** Outcomes that one statement queued, at most one full message. They are published and deleted together. */
export interface QueuedOutcomes {
  /** The positions of their rows, in another order than the outcomes. */
  readonly positions: readonly number[];
  /** `queued_at` of their rows, as text: exact to the microsecond. */
  readonly queuedAt: string;
  readonly outcomes: readonly EarnedOutcome[];
  /** From the span that decided them, if it is traced. */
  readonly traceparent: string | undefined;
  /** The same moment by `performance.now()`. */
  readonly queuedAtMs: number;
}

/** The decisions of a database transaction, with the outcomes that it queued. */
export interface Decided extends Judged {
  /** Publish them after the commit. */
  readonly queued: QueuedOutcomes[];
}

/** Queues outcomes for publication, in the database transaction that decided them. @param traceparent of the span that decided them */
export async function queueOutcomes(
  sql: Sql,
  decided: readonly EarnedOutcome[],
  traceparent: string | undefined,
): Promise<QueuedOutcomes[]> {
  const outcomes = inPublishedOrder(decided);
  const queued: QueuedOutcomes[] = [];
  for (let at = 0; at < outcomes.length; at += LIMITS.outcomesPerMessage) {
    const some = outcomes.slice(at, at + LIMITS.outcomesPerMessage);
    const texts = some.map(({ json }) => json);
    const [{ positions, queuedAt }] = await sql<[{ positions: number[]; queuedAt: string }]>`
      with made as (
        insert into platform.outcome_queue (outcome, traceparent)
        select outcome::text, ${traceparent ?? null}::text
        from json_array_elements(${`[${texts.join(",")}]`}::text::json) as queued (outcome)
        returning position, queued_at
      )
      select array_agg(position) as positions, min(queued_at)::text as "queuedAt" from made`;
    queued.push({ positions, queuedAt, outcomes: some, traceparent, queuedAtMs: performance.now() });
  }
  return queued;
}

/**
 * Deletes published outcomes from the queue; another process may have deleted some already.
 *
 * The time is compared too: after a failover or a restore the database assigns positions a second time, to other outcomes.
 * @param published the texts of those that were published; undefined: all were
 */
export async function deleteQueued(
  sql: Sql,
  queued: readonly QueuedOutcomes[],
  published?: readonly string[],
): Promise<void> {
  const positions = queued.flatMap((one) => one.positions);
  const times = queued.map(({ queuedAt }) => queuedAt);
  await sql`
    delete from platform.outcome_queue
    where position = any(${positions}::bigint[]) and queued_at = any(${times}::text[]::timestamptz[])
      ${published === undefined ? sql`` : sql`and outcome = any(${published}::text[])`}`;
}

interface Taken {
  readonly limit: number;
  /** Only outcomes that have waited this long, by the clock of the database. */
  readonly waitedMs: number;
  /**
   * Only outcomes after this position: while a session holds an old snapshot, each query would pass over all
   * deleted rows.
   */
  readonly after?: number;
}

/**
 * Takes the oldest queued outcomes, gives them to `publish`, and deletes those that it has published.
 * Several processes may do this at the same time: each takes other outcomes. After a crash between the
 * publication and the commit they are published again, and rewards recognises them by their transaction and
 * target.
 * @param publish gets JSON texts, oldest first, each with the `traceparent` of the span that decided it; not
 * called if there
 *   are none. It resolves to the indexes of those that it has published
 * @returns the number of outcomes, and the position of the last
 */
export async function takeOutcomes(
  store: Store,
  { limit, waitedMs, after = 0 }: Taken,
  publish: (
    outcomes: readonly string[],
    traceparents: readonly (string | null)[],
  ) => Promise<readonly number[]>,
): Promise<{ readonly count: number; readonly last: number }> {
  return store.begin(async (sql) => {
    const rows = await sql<{ position: number; outcome: string; traceparent: string | null }[]>`
      select position, outcome, traceparent from platform.outcome_queue
      where position > ${after} and queued_at <= now() - ${waitedMs}::float8 * interval '1 millisecond'
      order by position
      limit ${limit}
      for update skip locked`;
    if (rows.length === 0) return { count: 0, last: after };
    const published = await publish(
      rows.map(({ outcome }) => outcome),
      rows.map(({ traceparent }) => traceparent),
    );
    const positionOf = (i: number) => (rows[i] as { position: number }).position;
    const positions = published.map(positionOf);
    if (positions.length > 0) {
      await sql`delete from platform.outcome_queue where position = any(${positions}::bigint[])`;
    }
    return { count: rows.length, last: positionOf(rows.length - 1) };
  });
}

/** The outcomes waiting for publication. */
export interface OutcomeQueueSize {
  /** At most a hundred thousand: the count stops there. */
  readonly outcomes: number;
  /** How long the oldest has waited; 0 if there is none. */
  readonly waitingSeconds: number;
}

const COUNTED = 100_000;

/** Reads the queue up to a bound, so that this stays cheap after a long outage. */
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
