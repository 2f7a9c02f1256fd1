import type { Sql } from "../connect.ts";
import { IDEMPOTENCY_KEYS, type KeptRequest, type KeyedRequest } from "./keyed-request.ts";

interface Row {
  readonly requestHash: Buffer;
  readonly status: number;
  readonly keyId: string | null;
  readonly bytes: Buffer;
}

/** The first request with this key, unless it is older than `keptMs` by the database's clock. */
export async function findKeptRequest(
  sql: Sql,
  { organisationId, route, key, table = IDEMPOTENCY_KEYS }: KeyedRequest,
  keptMs: number,
): Promise<KeptRequest | undefined> {
  const [row] = await sql<Row[]>`
    select request_hash as "requestHash", status, key_id as "keyId", answer as bytes
    from ${sql(table)}
    where organisation_id = ${organisationId} and route = ${route} and key = ${key}
      and created_at > now() - ${keptMs}::float8 * interval '1 millisecond'`;
  if (row === undefined) return undefined;
  const { requestHash, status, keyId, bytes } = row;
  return { requestHash, answer: { status, keyId, bytes } };
}
