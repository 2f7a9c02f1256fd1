import { LIMITS } from "#contract";
import { refusalOfData } from "./database-errors.ts";

/** An item that the database refuses because of its data, and would refuse again. */
interface Refused<T> {
  readonly item: T;
  /** SQLSTATE. */
  readonly error: string;
}

interface Isolated<T, R> {
  /** The results of the attempts that succeeded, in the order of their items. */
  readonly results: readonly R[];
  readonly refused: readonly Refused<T>[];
}

/**
 * Applies items in their order, at most `LIMITS.rowsPerBatch` at once. An item that the database refuses does
 * not hold up the others: a refused batch is halved until the item stands alone, which takes 2 log2(n)
 * attempts for one. Only refusals of data count (SQLSTATE classes 22 and 23): for a missing table or
 * privilege no item is to blame, and all of them would become dead letters.
 *
 * If each attempt is a separate transaction, a crash may leave the first of them applied. All items then come
 * again, and those that were applied are recognised.
 * @param apply applies all of the items or none
 * @throws everything except a refusal of data
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
  // One half after the other, so that the items of one transaction or collection keep their order.
  const first = await isolateRefused(items.slice(0, middle), apply);
  const second = await isolateRefused(items.slice(middle), apply);
  return { results: [...first.results, ...second.results], refused: [...first.refused, ...second.refused] };
}

/** The result, or the SQLSTATE if the database refused the data. */
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
