import { createHash } from "node:crypto";
import { tryLockForTransaction } from "./advisory-lock.ts";
import type { Sql, Store } from "./connect.ts";
import { BEFORE_ALL_TIMES, SweepPlace } from "./sweep-place.ts";

/** A request that carries an idempotency key. */
export interface KeyedRequest {
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
  /** SHA-256 (32 bytes) of everything that must be equal in a repetition of the request. */
  readonly requestHash: Uint8Array;
  /** The table that keeps it: the platform, another system, has its own. Absent: the publisher's. */
  readonly table?: string;
}

/** The publisher's table. */
const IDEMPOTENCY_KEYS = "idempotency_keys";

/** A stored answer. */
export interface KeptAnswer {
  readonly status: number;
  /** The encryption key that sealed `bytes`; null if they are not sealed. */
  readonly keyId: string | null;
  readonly bytes: Uint8Array;
}

/**
 * The context of a sealed answer, which must be the same for sealing and opening: if rows are exchanged, an organisation does not see
 * another's secret.
 */
export function keptAnswerContext({
  organisationId,
  route,
  key,
}: Pick<KeyedRequest, "organisationId" | "route" | "key">): string {
  return `idempotency-key\n${organisationId}\n${route}\n${key}`;
}

/** The first request with a key, and its answer. */
interface KeptRequest {
  readonly requestHash: Uint8Array;
  readonly answer: KeptAnswer;
}

/** The operation behind a request with an idempotency key. */
export interface KeyedWork<Result> {
  /** Does the operation, with only this `sql`: waiting for another connection could last for ever. */
  run(sql: Sql): Promise<Result>;
  /** The result for an error of `run`, if it is to be remembered. */
  readRefusal(error: unknown): Result | undefined;
  /** Returns the result in its stored form. */
  keep(result: Result): KeptAnswer;
}

type AnsweredOnce<Result> =
  | { readonly kind: "first"; readonly outcome: Result }
  | { readonly kind: "again"; readonly answer: KeptAnswer }
  /** The key was used before, with another request. */
  | { readonly kind: "reused" }
  /** Another request with the key is under way. */
  | { readonly kind: "in_progress" };

/**
 * Does the work of a request with an idempotency key at most once (contract, section 5). One transaction
 * writes the work and its answer: after a crash at any moment, or a lost commit, the next request with the
 * key finds both or neither.
 *
 * The kept request is looked up again under the lock, in a statement of its own, which sees what the last
 * holder of the lock committed.
 * @param keptMs for how long an answer is repeated
 * @throws the error of `run`, if it is not to be remembered; nothing is written then
 */
export async function answerOnce<Result>(
  store: Store,
  request: KeyedRequest,
  keptMs: number,
  work: KeyedWork<Result>,
): Promise<AnsweredOnce<Result>> {
  const kept = await findKeptRequest(store, request, keptMs);
  if (kept !== undefined) return repeat(kept, request);
  // Not the server's default: the second look-up, and the operation's reads after a wait, need new snapshots.
  return store.begin("isolation level read committed", async (sql) => {
    // Never waits. If a process dies, its session's locks are released.
    const isMine = await tryLockForTransaction(sql, "idempotencyKey", lockOf(request));
    if (!isMine) return { kind: "in_progress" };
    const meanwhile = await findKeptRequest(sql, request, keptMs);
    if (meanwhile !== undefined) return repeat(meanwhile, request);
    // In a separate savepoint: if a refusal is remembered, only its answer may be written; and a statement
    // that failed on the way must not undo the answer.
    const outcome = await sql
      .savepoint((nested) => work.run(nested))
      .catch((error: unknown) => {
        const refusal = work.readRefusal(error);
        if (refusal === undefined) throw error;
        return refusal;
      });
    await keepAnswer(sql, request, work.keep(outcome));
    return { kind: "first", outcome };
  });
}

function repeat(kept: KeptRequest, { requestHash }: KeyedRequest): AnsweredOnce<never> {
  if (Buffer.compare(kept.requestHash, requestHash) !== 0) return { kind: "reused" };
  return { kind: "again", answer: kept.answer };
}

/**
 * The lock of a key, held until the surrounding transaction ends: 32 bits of a hash. Of two requests with
 * different keys that are under way at the same moment, one in four thousand million is taken for a
 * repetition of the other, and its sender tries again. Neither an organisation's id nor a route holds a line
 * feed, so different parts never make the same text.
 */
function lockOf({ organisationId, route, key }: KeyedRequest): number {
  return createHash("sha256").update(`${organisationId}\n${route}\n${key}`).digest().readInt32BE(0);
}

interface Row {
  readonly requestHash: Buffer;
  readonly status: number;
  readonly keyId: string | null;
  readonly bytes: Buffer;
}

/** The first request with this key, unless it is older than `keptMs` by the database's clock. */
async function findKeptRequest(
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

/**
 * Keeps the answer to the first request with this key. A row that is there already is too old to count and
 * has not been swept yet: the lock of its key keeps any other writer away.
 */
async function keepAnswer(sql: Sql, request: KeyedRequest, answer: KeptAnswer): Promise<void> {
  const { organisationId, route, key, requestHash, table = IDEMPOTENCY_KEYS } = request;
  await sql`
    insert into ${sql(table)} (organisation_id, route, key, request_hash, status, key_id, answer)
    values (${organisationId}, ${route}, ${key}, ${requestHash}, ${answer.status}, ${answer.keyId},
            ${answer.bytes})
    on conflict (organisation_id, route, key) do update set
      created_at = excluded.created_at, request_hash = excluded.request_hash,
      status = excluded.status, key_id = excluded.key_id, answer = excluded.answer`;
}

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
  place = new SweepPlace(BEFORE_ALL_TIMES),
): Promise<number> {
  const [{ removed, last }] = await sql<[{ removed: number; last: string | null }]>`
    with gone as (
      delete from ${sql(table)}
      where (organisation_id, route, key) in (
        select organisation_id, route, key from ${sql(table)}
        where created_at >= ${place.after}::text::timestamptz
          and created_at <= now() - ${keptMs}::float8 * interval '1 millisecond'
        order by created_at limit ${ROWS_PER_STEP}
        for update skip locked
      )
      returning created_at
    )
    select count(*) as removed, max(created_at)::text as last from gone`;
  place.goOn(last);
  return removed;
}
