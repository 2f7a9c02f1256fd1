import type { Sql } from "../connect.ts";

/** What is known of a batch that was answered 202. */
export interface BatchOutcome {
  /** Events whose outcome is known, of so many. */
  readonly knownEvents: number;
  readonly batchEvents: number;
  /** In the form of the API, by index. */
  readonly rejected: readonly unknown[];
}

/** Undefined while nothing is known of it. */
export async function getBatch(
  sql: Sql,
  organisationId: string,
  batchId: string,
): Promise<BatchOutcome | undefined> {
  const [row] = await sql<{ known: number | null; total: number; rejected: unknown[] }[]>`
    select
      sum(part_events)::int as known,
      max(batch_events) as total,
      (
        select coalesce(jsonb_agg(entry order by (entry ->> 'index')::int), '[]')
        from batch_parts p, jsonb_array_elements(p.rejected) as entry
        where p.batch_id = ${batchId} and p.organisation_id = ${organisationId}
      ) as rejected
    from batch_parts
    where batch_id = ${batchId} and organisation_id = ${organisationId}
  `;
  if (row === undefined || row.known === null) return undefined;
  return { knownEvents: row.known, batchEvents: row.total, rejected: row.rejected };
}
