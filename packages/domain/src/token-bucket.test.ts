import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { type Bucket, takeToken } from "./token-bucket.ts";

t.test("bucket - the whole burst, then no more until time has passed", async (t) => {
  const rate = { perSecond: 2, burst: 3 };
  let bucket: Bucket | undefined;
  const take = (nowMs: number) => {
    const { bucket: after, ...taken } = takeToken(bucket, rate, nowMs);
    bucket = after;
    return taken;
  };
  t.strictSame(
    [take(1000), take(1000), take(1000), take(1000), take(1499), take(1500), take(1500)],
    [
      { allowed: true, remaining: 2, resetSeconds: 1, retryAfterSeconds: 0 },
      { allowed: true, remaining: 1, resetSeconds: 1, retryAfterSeconds: 0 },
      { allowed: true, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 },
      { allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 },
      { allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 },
      { allowed: true, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 },
      { allowed: false, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 },
    ],
  );
  t.match(take(3_600_000), { allowed: true, remaining: 2 }, "a long rest fills it to the burst, not above");
});

t.test("bucket - a clock that goes back changes nothing", async (t) => {
  const rate = { perSecond: 1, burst: 1 };
  const { bucket } = takeToken(undefined, rate, 5000);
  t.match(takeToken(bucket, rate, 1000), { allowed: false, retryAfterSeconds: 1, bucket });
});

const rates = fc.record({
  perSecond: fc.double({ min: 0.001, max: 10_000, noNaN: true }),
  burst: fc.integer({ min: 1, max: 50 }),
});

t.test("bucket - never more than the burst and the rate allow, in any span of time", async (t) => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 200 }), (rate, gaps) => {
      let now = 1_000_000;
      let bucket: Bucket | undefined;
      const times: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const taken = takeToken(bucket, rate, now);
        bucket = taken.bucket;
        if (taken.allowed) times.push(now);
      }
      for (const [first, start] of times.entries()) {
        for (let last = first; last < times.length; last++) {
          const seconds = ((times[last] as number) - start) / 1000;
          if (last - first + 1 > rate.burst + seconds * rate.perSecond + 1e-3) return false;
        }
      }
      return true;
    }),
    { seed: 20260302, numRuns: 200 },
  );
  t.pass();
});

t.test(
  "bucket - a caller that waits as told gets a token, however often others asked in between",
  async (t) => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 100 }), fc.nat(100), (rate, takes, asks) => {
        let bucket: Bucket | undefined;
        for (let i = 0; i < takes; i++) bucket = takeToken(bucket, rate, i * 7).bucket;
        const now = takes * 7;
        const { retryAfterSeconds, ...last } = takeToken(bucket, rate, now);
        bucket = last.bucket;
        for (let i = 0; i < asks && retryAfterSeconds > 0; i++) {
          const asked = takeToken(bucket, rate, now);
          if (asked.allowed) return false;
          bucket = asked.bucket;
        }
        return takeToken(bucket, rate, now + retryAfterSeconds * 1000).allowed;
      }),
      { seed: 20260303, numRuns: 500 },
    );
    t.pass();
  },
);

t.test("bucket - more than it holds is taken when it is full, and is paid off before the next", async (t) => {
  const rate = { perSecond: 100, burst: 200 };
  const first = takeToken(undefined, rate, 0, 500);
  t.match(first, { allowed: true, remaining: 0, bucket: { tokens: -300 }, resetSeconds: 5 });
  t.match(takeToken(first.bucket, rate, 2000, 1), { allowed: false, remaining: 0, retryAfterSeconds: 2 });
  t.match(takeToken(first.bucket, rate, 3010, 1), { allowed: true, remaining: 0 });
  t.match(takeToken(first.bucket, rate, 4990, 500), { allowed: false, retryAfterSeconds: 1 });
  t.match(takeToken(first.bucket, rate, 5000, 500), { allowed: true });
});

t.test("bucket - in any order of sizes, no more is taken than the rate and one burst allow", async () => {
  const attempts = fc.array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 5000 })), {
    minLength: 1,
    maxLength: 100,
  });
  fc.assert(
    fc.property(rates, attempts, (rate, sizes) => {
      let bucket: Bucket | undefined;
      let nowMs = 0;
      let taken = 0;
      let last = 0;
      for (const [wanted, afterMs] of sizes) {
        nowMs += afterMs;
        const result = takeToken(bucket, rate, nowMs, wanted);
        bucket = result.bucket;
        if (!result.allowed) continue;
        // The debt of the last one is paid off before another is taken.
        assert.ok(taken <= rate.burst + (rate.perSecond * nowMs) / 1000 + 0.01, `${taken} before ${last}`);
        taken += wanted;
        last = wanted;
      }
    }),
  );
});
