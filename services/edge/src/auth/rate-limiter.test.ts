import t from "tap";
import { createRateLimiter, RateLimiter } from "./rate-limiter.ts";

const limiterAt = (perSecond: number, burst: number) => {
  const clock = { ms: 0 };
  return { clock, limiter: new RateLimiter({ perSecond, burst }, () => clock.ms) };
};

t.test("rate - each token has its own bucket, and answers say how full it is", async (t) => {
  const { limiter, clock } = limiterAt(0.5, 2);
  t.strictSame(limiter.take({ tokenId: "a" }), {
    headers: { "ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "2" },
    refusal: undefined,
  });
  t.match(limiter.take({ tokenId: "a" }), { refusal: undefined });
  t.match(limiter.take({ tokenId: "a" }), {
    headers: { "ratelimit-limit": "2", "ratelimit-remaining": "0", "ratelimit-reset": "4" },
    refusal: { code: "rate_limited", retryAfterSeconds: 2 },
  });
  t.match(limiter.take({ tokenId: "b" }), { headers: { "ratelimit-remaining": "1" }, refusal: undefined });
  clock.ms = 2000;
  t.match(limiter.take({ tokenId: "a" }), { refusal: undefined });
  t.match(limiter.take({ tokenId: "a" }), { refusal: { code: "rate_limited" } });
});

t.test("rate - it remembers the 10,000 tokens that were used last", async (t) => {
  const { limiter } = limiterAt(0.001, 1);
  const refused = (token: number) => limiter.take({ tokenId: String(token) }).refusal !== undefined;
  for (let token = 0; token < 10_000; token++) refused(token);
  t.equal(refused(0), true, "all are remembered, and this one is used again");
  t.equal(refused(10_000), false, "a new one");
  t.equal(refused(0), true, "the recently used bucket is kept");
  t.equal(refused(2), true);
  t.equal(refused(1), false, "the bucket unused for longest is forgotten");
});

t.test("rate - off at 0, and a burst of one second's worth unless given", async (t) => {
  t.equal(createRateLimiter(0, 5), undefined);
  const limitOf = (perSecond: number, burst: number) =>
    createRateLimiter(perSecond, burst)?.take({ tokenId: "a" }).headers["ratelimit-limit"];
  t.strictSame([limitOf(20, 0), limitOf(0.01, 0), limitOf(2.5, 0), limitOf(20, 7)], ["20", "1", "3", "7"]);
});

t.test(
  "rate - events are counted by requests of any size; one over the burst is paid off before the next",
  async (t) => {
    const { limiter, clock } = limiterAt(100, 200);
    const caller = { tokenId: "a" };
    t.match(limiter.take(caller, 50), { headers: { "ratelimit-remaining": "150" }, refusal: undefined });
    t.match(limiter.take(caller, 151), {
      headers: { "ratelimit-remaining": "150", "ratelimit-reset": "1" },
      refusal: { code: "rate_limited", retryAfterSeconds: 1 },
    });
    clock.ms = 500;
    t.match(limiter.take(caller, 5000), {
      headers: { "ratelimit-limit": "200", "ratelimit-remaining": "0", "ratelimit-reset": "50" },
    });
    clock.ms = 40_000;
    t.match(limiter.take(caller, 1), { refusal: { retryAfterSeconds: 9 } });
  },
);
