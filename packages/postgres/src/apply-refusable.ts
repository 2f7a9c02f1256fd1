import { LIMITS } from "#contract";
import { refusalOfData } from "./refusal-of-data.ts";

/** What the database refuses for what it says, and will refuse again. */
export interface Refused<T> {
  readonly item: T;
  /** SQLSTATE. */
  readonly error: string;
}

/**
 * Applies items in their order, at most `LIMITS.rowsPerBatch` at once. One that the database refuses does not hold up
 * the others: what was refused is halved until it stands alone, 2 log2(n) attempts for one of them. Only refusals of data
 * count, as in `applyIsolated`.
 *
 * Several parts are several transactions, so a crash may leave the first of them applied. All of them come again then,
 * and what is applied is recognised.
 * @param apply all or nothing
 */
export async function applyRefusable<T>(
  items: readonly T[],
  apply: (items: readonly T[]) => Promise<void>,
): Promise<Refused<T>[]> {
  if (items.length === 0) return [];
  if (items.length <= LIMITS.rowsPerBatch) {
    const error = await refusalOf(apply(items));
    if (error === undefined) return [];
    if (items.length === 1) return [{ item: items[0] as T, error }];
  }
  const middle = Math.ceil(items.length / 2);
  // One half after the other: what concerns one collection keeps its order.
  const refused = await applyRefusable(items.slice(0, middle), apply);
  return [...refused, ...(await applyRefusable(items.slice(middle), apply))];
}

/** @throws everything but a refusal of data */
async function refusalOf(applied: Promise<void>): Promise<string | undefined> {
  try {
    await applied;
    return undefined;
  } catch (error) {
    const code = refusalOfData(error);
    if (code === undefined) throw error;
    return code;
  }
}
