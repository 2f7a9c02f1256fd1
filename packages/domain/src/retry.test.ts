import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { retryDelayMs } from "./retry.ts";

const HALFWAY = 0.5;

t.test("retry - the planned series doubles from 100 ms to 10 s and stays there", async (t) => {
  const series = Array.from({ length: 10 }, (_, i) => retryDelayMs(i + 1, HALFWAY));
  t.strictSame(series, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
});

t.test("retry - the first seven waits come to 12.7 s", async (t) => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => retryDelayMs(attempt, HALFWAY));
  t.equal(
    waits.reduce((total, wait) => total + wait, 0),
    12_700,
  );
});

t.test("retry - chance moves a wait by at most a fifth, either way", async (t) => {
  t.equal(retryDelayMs(1, 0), 80);
  t.equal(retryDelayMs(8, 0), 8000);
  t.equal(retryDelayMs(1, 1 - Number.EPSILON), 120);
  t.equal(retryDelayMs(8, 1 - Number.EPSILON), 12_000);
});

t.test("retry - for any attempt the wait is a whole number between 80 ms and 12 s", async () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), random, (attempt, chance) => {
      const wait = retryDelayMs(attempt, chance);
      assert.ok(Number.isInteger(wait) && wait >= 80 && wait <= 12_000, `${attempt}: ${wait}`);
    }),
    { numRuns: 200 },
  );
});
