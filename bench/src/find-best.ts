/** A later candidate must be better by this much: past the knee more connections only add waiting. */
const WORTH_IT = 1.03;

/** Tries candidates in order and keeps the best by score; the first without trying if there is only one. */
export async function findBest<T>(
  candidates: readonly T[],
  score: (candidate: T) => Promise<number>,
): Promise<{ readonly best: T; readonly score: number | undefined }> {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("no candidates");
  if (others.length === 0) return { best: first, score: undefined };
  let best: T = first;
  let bestScore = await score(first);
  for (const candidate of others) {
    const its = await score(candidate);
    if (its <= bestScore * WORTH_IT) continue;
    best = candidate;
    bestScore = its;
  }
  return { best, score: bestScore };
}
