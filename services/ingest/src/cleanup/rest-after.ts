/** After steps shorter than this, a proportional rest would be too short to help others. */
const LEAST_MS = 20;
/** Background work usually takes a tenth of one connection's time … */
const USUAL_FACTOR = 9;
/** … and half of it if it would otherwise be late. */
const LEAST_FACTOR = 1;

/**
 * How many milliseconds background work rests after a step.
 * @param tookMs how long the step took
 * @param paceMs how often a step has to begin for the work to end in time; without it, there is no hurry
 */
export function restAfter(tookMs: number, paceMs = Number.POSITIVE_INFINITY): number {
  const usual = Math.max(LEAST_MS, USUAL_FACTOR * tookMs);
  return Math.min(usual, Math.max(LEAST_FACTOR * tookMs, paceMs - tookMs));
}
