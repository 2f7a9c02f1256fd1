/** Waits between attempts at work of our own (database, stream): 100 ms doubling to 10 s, each ±20 %. */
const FIRST_MS = 100;
const LONGEST_MS = 10_000;
const JITTER = 0.2;

/**
 * @param attempt 1 for the first failure
 * @param random from [0, 1), so that processes that failed together do not retry together
 * @returns milliseconds: 100, 200, 400, 800, 1600, 3200, 6400, 10000, … (12.7 s for the first seven), before
 * jitter
 */
export function retryDelayMs(attempt: number, random: number): number {
  const planned = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 30));
  return Math.round(planned * (1 + JITTER * (2 * random - 1)));
}
