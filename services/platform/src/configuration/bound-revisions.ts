import { ApiError, LIMITS } from "#contract";
import type { Sql } from "#postgres";

/**
 * Bounds the revisions of one retailer, program or deal, in the database transaction that has just made one
 * (decision 41 says why they are kept so long). Beyond `LIMITS.revisionsKept` and `LIMITS.revisionBytesKept`,
 * it removes the oldest revisions that were replaced long ago; if too few are that old, it refuses the
 * change. It never refuses a deletion, which is the last revision.
 * @throws ApiError `conflict`
 */
export async function boundRevisions(sql: Sql, id: string): Promise<void> {
  const [{ tooMany }] = await sql<[{ tooMany: number }]>`
    select count(*)::int as "tooMany" from (
      select
        row_number() over (order by since desc) as place, sum(bytes) over (order by since desc) as bytes
      from platform.revisions where id = ${id}
    ) as newest
    where place > ${LIMITS.revisionsKept} or bytes > ${LIMITS.revisionBytesKept}`;
  if (tooMany === 0) return;
  const dropped = await sql`
    delete from platform.revisions r using (
      select since, lead(since) over (order by since) as replaced from platform.revisions where id = ${id}
      order by since limit ${tooMany}
    ) as oldest
    where r.id = ${id} and r.since = oldest.since
      and oldest.replaced < now() - ${LIMITS.revisionKeptMs}::float8 * interval '1 millisecond'
    returning 1`;
  if (dropped.length < tooMany) throw tooManyRevisions();
}

function tooManyRevisions(): ApiError {
  const days = LIMITS.revisionKeptMs / 86_400_000;
  return new ApiError(
    "conflict",
    `what it was within ${days} days is kept, since each purchase is judged by what was in force when it was authorized, and ` +
      `that is more than ${LIMITS.revisionsKept} changes or ${LIMITS.revisionBytesKept} bytes of settings; make a new one, or ` +
      "change it less often",
    {
      reason: "too_many_revisions",
      limit: LIMITS.revisionsKept,
      limit_bytes: LIMITS.revisionBytesKept,
    },
  );
}
