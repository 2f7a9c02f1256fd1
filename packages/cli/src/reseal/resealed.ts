import type { Sealed } from "#runtime";

/** What a walk over sealed rows came to. Rows that were under the newest key already are not counted. */
export interface Resealed {
  /** Under the newest key now. */
  readonly resealed: number;
  /** No key opened them; they are as they were. */
  readonly unreadable: number;
}

/** The same secret under the newest key; undefined: no key opens it. */
export type Reseal<Row extends Sealed> = (row: Row) => Sealed | undefined;

/**
 * Gives each of the rows to `reseal`, and what comes of it to `write`, one row after the other. Not in one transaction: a
 * row is right under either key, so a crash in between does no harm and the next walk goes on; and locks on many rows at
 * a time could meet those of a rotation or a sweep in another order.
 * @param write resolves to whether the row was still as it was read
 */
export async function resealRows<Row extends Sealed>(
  rows: readonly Row[],
  reseal: Reseal<Row>,
  write: (row: Row, sealed: Sealed) => Promise<boolean>,
): Promise<Resealed> {
  let resealed = 0;
  let unreadable = 0;
  for (const row of rows) {
    const sealed = reseal(row);
    if (sealed === undefined) unreadable++;
    else if (await write(row, sealed)) resealed++;
  }
  return { resealed, unreadable };
}
