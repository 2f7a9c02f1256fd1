import type { Sql } from "../connect.ts";
import { IDEMPOTENCY_KEYS } from "./keyed-request.ts";

const ROWS_PER_STEP = 1000;

/**
 * Deletes answers older than `keptMs` by the database's clock, at most a thousand rows, and returns how many.
 * Several processes may do it at once: each takes rows that no other has. A row that a new request with its
 * key is replacing is left alone: before that commits because of its lock, afterwards because of its date.
 */
export async function sweepIdempotencyKeys(
  sql: Sql,
  keptMs: number,
  table: string = IDEMPOTENCY_KEYS,
): Promise<number> {
  const rows = await sql`
    delete from ${sql(table)}
    where (organisation_id, route, key) in (
      select organisation_id, route, key from ${sql(table)}
      where created_at <= now() - ${keptMs}::float8 * interval '1 millisecond'
      order by created_at limit ${ROWS_PER_STEP}
      for update skip locked
    )
    returning 1
  `;
  return rows.length;
}
