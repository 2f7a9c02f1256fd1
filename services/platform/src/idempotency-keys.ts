import { LIMITS } from "#contract";
import type { PlatformRouteName } from "#contract/platform";
import { keyConflict, readIdempotencyKey } from "#http";
import { answerOnce, type Sql, type Store } from "#postgres";
import type { PlatformCall } from "./endpoint.ts";

/** Where the platform keeps its idempotency keys, and their one owner. */
export const PLATFORM_KEYS = {
  table: "platform.idempotency_keys",
  organisationId: "00000000-0000-0000-0000-000000000000",
} as const;

/** What a request made, or (`again`) an earlier one with the same key and body. */
interface Made {
  readonly kind: "first" | "again";
  /** The record as an answer shows it. It is kept, so it must hold no secret. */
  readonly record: object;
}

/**
 * Lets an upsert that makes a record give its first answer again to the same key and body, for a day (contract, sections 5
 * and 8). A refusal is not remembered: a caller that has mended its cause may send the same request again.
 * @param work makes the record with the `sql` that it is given: a database transaction if there is a key
 */
export async function makeOnce(
  store: Store,
  route: PlatformRouteName,
  call: PlatformCall,
  work: (sql: Store | Sql) => Promise<object>,
): Promise<Made> {
  const given = readIdempotencyKey(call);
  if (given === undefined) return { kind: "first", record: await work(store) };
  const request = { ...PLATFORM_KEYS, route, ...given };
  const answered = await answerOnce<object>(store, request, LIMITS.idempotencyKeyKeptMs, {
    run: work,
    readRefusal: () => undefined,
    keep: (record) => ({ status: 200, keyId: null, bytes: Buffer.from(JSON.stringify(record)) }),
  });
  switch (answered.kind) {
    case "first":
      return { kind: "first", record: answered.outcome };
    case "again":
      return { kind: "again", record: JSON.parse(Buffer.from(answered.answer.bytes).toString()) };
    default:
      throw keyConflict(answered.kind);
  }
}
