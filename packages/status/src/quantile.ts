/**
 * A quantile from the buckets of a histogram, as PromQL's `histogram_quantile` computes it: values are taken to lie
 * evenly in their bucket, the lowest bucket begins at 0, and of what lies above the highest finite bound that bound is told.
 *
 * @param quantile from 0 to 1
 * @param buckets by upper bound, how many values are at most so large; one of them is infinite
 * @returns undefined if there are no values
 */
export function quantileOf(quantile: number, buckets: ReadonlyMap<number, number>): number | undefined {
  const rising = [...buckets].sort(([a], [b]) => a - b);
  const total = rising.at(-1)?.[1] ?? 0;
  if (rising.at(-1)?.[0] !== Number.POSITIVE_INFINITY || !(total > 0)) return undefined;
  const rank = quantile * total;
  let [lower, below] = [0, 0];
  for (const [bound, count] of rising) {
    if (count >= rank && count > below) {
      return bound === Number.POSITIVE_INFINITY
        ? lower
        : lower + ((bound - lower) * (rank - below)) / (count - below);
    }
    [lower, below] = [bound, Math.max(below, count)];
  }
  return undefined;
}
