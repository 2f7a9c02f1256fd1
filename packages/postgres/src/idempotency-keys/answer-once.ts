import type { Sql, Store } from "../connect.ts";
import { findKeptRequest } from "./find-kept-request.ts";
import { keepAnswer } from "./keep-answer.ts";
import type { KeptAnswer, KeptRequest, KeyedRequest } from "./keyed-request.ts";
import { tryLockKey } from "./try-lock-key.ts";

/** The operation behind a request with an idempotency key. */
export interface KeyedWork<Result> {
  /**
   * Does the operation, with this `sql` only: waiting for another connection of the same pool could last for
   * ever.
   */
  run(sql: Sql): Promise<Result>;
  /** The result for an error of `run`, if that is to be remembered. */
  readRefusal(error: unknown): Result | undefined;
  /** Gives the result in the form in which it is kept. */
  keep(result: Result): KeptAnswer;
}

export type AnsweredOnce<Result> =
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
 * @param keptMs for how long an answer is given again
 * @throws what `run` threw, if it is not to be remembered; nothing is written then
 */
export async function answerOnce<Result>(
  store: Store,
  request: KeyedRequest,
  keptMs: number,
  work: KeyedWork<Result>,
): Promise<AnsweredOnce<Result>> {
  const kept = await findKeptRequest(store, request, keptMs);
  if (kept !== undefined) return repeat(kept, request);
  // Whatever the server's default is: the second look-up, and everything that the operation reads after
  // waiting, need new snapshots.
  return store.begin("isolation level read committed", async (sql) => {
    if (!(await tryLockKey(sql, request))) return { kind: "in_progress" };
    const meanwhile = await findKeptRequest(sql, request, keptMs);
    if (meanwhile !== undefined) return repeat(meanwhile, request);
    // In a savepoint of its own: of a refusal that is remembered, only the answer may be written; and a
    // statement that failed on the way must not undo the answer.
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
