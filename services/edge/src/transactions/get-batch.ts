import { LIMITS } from "#contract";
import type { Sql } from "#postgres";

/** What is known of a batch that was answered 202. */
export interface BatchOutcome {
  /** Events whose outcome is known, of so many. */
  readonly knownEvents: number;
  readonly batchEvents: number;
  /** In the form of the API, by index. */
  readonly rejected: readonly unknown[];
  /** The first events of which something was ignored, likewise … */
  readonly ignored: readonly unknown[];
  /** … of so many. */
  readonly ignoredCount: number;
}

interface BatchRow {
  readonly known: number | null;
  readonly total: number;
  readonly rejected: unknown[];
  readonly ignored: unknown[];
  readonly ignored_count: number;
}

/** Undefined while nothing is known of it. */
export async function getBatch(
  sql: Sql,
  organisationId: string,
  batchId: string,
): Promise<BatchOutcome | undefined> {
  const [row] = await sql<BatchRow[]>`
    select
      sum(part_events)::int as known,
      max(batch_events) as total,
      sum(ignored_count)::int as ignored_count,
      (
        select coalesce(jsonb_agg(entry order by (entry ->> 'index')::int), '[]')
        from (
          select entry
          from batch_parts p, jsonb_array_elements(p.ignored) as entry
          where p.batch_id = ${batchId} and p.organisation_id = ${organisationId}
          order by (entry ->> 'index')::int
          limit ${LIMITS.ignoredEvents}
        ) as first_ignored
      ) as ignored,
      (
        select coalesce(jsonb_agg(entry order by (entry ->> 'index')::int), '[]')
        from batch_parts p, jsonb_array_elements(p.rejected) as entry
        where p.batch_id = ${batchId} and p.organisation_id = ${organisationId}
      ) as rejected
    from batch_parts
    where batch_id = ${batchId} and organisation_id = ${organisationId}
  `;
  if (row === undefined || row.known === null) return undefined;
  const { known, total, rejected, ignored, ignored_count } = row;
  return { knownEvents: known, batchEvents: total, rejected, ignored, ignoredCount: ignored_count };
}
