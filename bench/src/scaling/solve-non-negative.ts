const ROUNDS = 5_000;

/**
 * Least squares with no unknown below zero, one unknown at a time until nothing moves (coordinate descent; the problem is
 * convex, so it ends at the best). Columns that are all zero get zero.
 * @param rows an equation each: what the unknowns are multiplied by
 */
export function solveNonNegative(rows: readonly (readonly number[])[], wanted: readonly number[]): number[] {
  const unknowns = rows[0]?.length ?? 0;
  const solution = new Array<number>(unknowns).fill(0);
  const left = [...wanted];
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (let column = 0; column < unknowns; column++) {
      moved = Math.max(moved, improve(rows, left, solution, column));
    }
    if (moved < 1e-12) break;
  }
  return solution;
}

/** Sets one unknown to its best value while the others stay; returns by what share it moved. */
function improve(
  rows: readonly (readonly number[])[],
  left: number[],
  solution: number[],
  column: number,
): number {
  let dot = 0;
  let square = 0;
  for (const [at, row] of rows.entries()) {
    const factor = row[column] as number;
    dot += factor * (left[at] as number);
    square += factor * factor;
  }
  if (square === 0) return 0;
  const before = solution[column] as number;
  const after = Math.max(0, before + dot / square);
  solution[column] = after;
  for (const [at, row] of rows.entries())
    left[at] = (left[at] as number) - (row[column] as number) * (after - before);
  return Math.abs(after - before) / (Math.abs(after) + 1e-12);
}
