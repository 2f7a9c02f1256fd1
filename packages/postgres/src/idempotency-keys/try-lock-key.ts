import { createHash } from "node:crypto";
import { ADVISORY_LOCKS } from "../advisory-lock.ts";
import type { Sql } from "../connect.ts";
import type { KeyedRequest } from "./keyed-request.ts";

/**
 * Takes the lock of this key until the surrounding transaction ends, or returns false if another transaction
 * has it; never waits. If a process dies, its session's locks are released. The lock is 32 bits of a hash: of
 * two requests with different keys that are under way at the same moment, one in four thousand million is
 * taken for a repetition of the other, and its sender tries again.
 */
export async function tryLockKey(sql: Sql, request: KeyedRequest): Promise<boolean> {
  const [row] = await sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.idempotencyKey}::int, ${lockOf(request)}::int) as taken`;
  return row.taken;
}

/**
 * Neither an organisation's id nor a route holds a line feed, so different parts never make the same text.
 */
function lockOf({ organisationId, route, key }: KeyedRequest): number {
  return createHash("sha256").update(`${organisationId}\n${route}\n${key}`).digest().readInt32BE(0);
}
