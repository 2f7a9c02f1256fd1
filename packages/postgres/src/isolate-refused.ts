import { LIMITS } from "#contract";
import { refusalOfData } from "./database-errors.ts";

/** What the database refuses for what it says, and will refuse again. */
export interface Refused<T> {
  readonly item: T;
  /** SQLSTATE. */
  readonly error: string;
}

export interface Isolated<T, R> {
  /** What the attempts that succeeded gave, in the order of their items. */
  readonly results: readonly R[];
  readonly refused: readonly Refused<T>[];
}

/**
 * Applies items in their order, at most `LIMITS.rowsPerBatch` at once. One that the database refuses does not hold up
 * the others: what was refused is halved until it stands alone, 2 log2(n) attempts for one of them. Only refusals of data
 * count (SQLSTATE classes 22 and 23): a missing table or privilege is nobody's fault here, and would bury everything.
 *
 * Where several attempts are several transactions, a crash may leave the first of them applied. All of them come again
 * then, and what is applied is recognised.
 * @param apply all or nothing
 * @throws everything but a refusal of data
 */
export async function isolateRefused<T, R>(
  items: readonly T[],
  apply: (items: readonly T[]) => Promise<R>,
): Promise<Isolated<T, R>> {
  if (items.length === 0) return { results: [], refused: [] };
  if (items.length <= LIMITS.rowsPerBatch) {
    const attempt = await attemptAt(items, apply);
    if (typeof attempt !== "string") return { results: [attempt.result], refused: [] };
    if (items.length === 1) return { results: [], refused: [{ item: items[0] as T, error: attempt }] };
  }
  const middle = Math.ceil(items.length / 2);
  // One half after the other: what concerns one transaction or collection keeps its order.
  const first = await isolateRefused(items.slice(0, middle), apply);
  const second = await isolateRefused(items.slice(middle), apply);
  return { results: [...first.results, ...second.results], refused: [...first.refused, ...second.refused] };
}

/** The SQLSTATE in place of a result where the database refused. */
async function attemptAt<T, R>(
  items: readonly T[],
  apply: (items: readonly T[]) => Promise<R>,
): Promise<{ readonly result: R } | string> {
  try {
    return { result: await apply(items) };
  } catch (error) {
    const code = refusalOfData(error);
    if (code === undefined) throw error;
    return code;
  }
}
