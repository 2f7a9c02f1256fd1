/** Small steps would leave no time between them that anybody notices. */
const LEAST_MS = 20;
/** As a rule background work takes a tenth of one connection's time … */
const USUAL_FACTOR = 9;
/** … and half of it where it would not be done in time. */
const LEAST_FACTOR = 1;

/**
 * How many milliseconds background work rests after a step.
 * @param tookMs how long the step took
 * @param paceMs how often a step has to begin for the work to be done in time; left out: it has all the time
 */
export function restAfter(tookMs: number, paceMs = Number.POSITIVE_INFINITY): number {
  const usual = Math.max(LEAST_MS, USUAL_FACTOR * tookMs);
  return Math.min(usual, Math.max(LEAST_FACTOR * tookMs, paceMs - tookMs));
}
