import type { Sql } from "../connect.ts";
import { IDEMPOTENCY_KEYS, type KeptAnswer, type KeyedRequest } from "./keyed-request.ts";

/**
 * Keeps the answer to the first request with this key. A row that is there already is too old to count and
 * has not been swept yet: the lock of `tryLockKey` keeps any other writer away.
 */
export async function keepAnswer(sql: Sql, request: KeyedRequest, answer: KeptAnswer): Promise<void> {
  const { organisationId, route, key, requestHash, table = IDEMPOTENCY_KEYS } = request;
  await sql`
    insert into ${sql(table)} (organisation_id, route, key, request_hash, status, key_id, answer)
    values (${organisationId}, ${route}, ${key}, ${requestHash}, ${answer.status}, ${answer.keyId},
            ${answer.bytes})
    on conflict (organisation_id, route, key) do update set
      created_at = excluded.created_at, request_hash = excluded.request_hash,
      status = excluded.status, key_id = excluded.key_id, answer = excluded.answer`;
}
