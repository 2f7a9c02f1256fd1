import t from "tap";
import { LIMITS } from "#contract";
import { trustedProxies } from "#domain";
import { FailedTokens } from "./failed-tokens.ts";

const MINUTE_MS = 60_000;

function setUp(perMinute: number) {
  const state = { now: 1_000_000, slowed: 0 };
  const limit = new FailedTokens({
    perMinute,
    proxies: trustedProxies([]),
    header: "x-forwarded-for",
    observe: () => state.slowed++,
    now: () => state.now,
  });
  const begin = (address: string, token = "wrong") =>
    limit.begin({ remoteAddress: () => address, header: () => undefined }, token);
  /** Looks a wrong token up; returns the answer in place of 401. */
  const fail = async (address: string) => {
    const attempt = begin(address);
    await attempt?.turn;
    return attempt?.refusal ?? attempt?.end("wrong");
  };
  return { state, limit, begin, fail };
}

t.test("failed tokens - past its failures an address is refused, and told when to come again", async (t) => {
  const { state, begin, fail } = setUp(3);
  begin("8.8.8.8", "known")?.end("right");
  for (let n = 0; n < 3; n++) t.equal(await fail("8.8.8.8"), undefined);
  t.match(await fail("8.8.8.8"), { code: "rate_limited", retryAfterSeconds: 20 });
  t.equal(state.slowed, 1);
  t.equal(begin("8.8.8.8", "known"), undefined, "a token that is known is not slowed down");
  t.equal(await fail("9.9.9.9"), undefined, "another address is not slowed");
  state.now += 20_000;
  t.equal(await fail("8.8.8.8"), undefined, "one more may be wrong");
  t.ok(await fail("8.8.8.8"));
  state.now += MINUTE_MS;
  for (let n = 0; n < 3; n++) await fail("8.8.8.8");
  t.ok(await fail("8.8.8.8"));
});

t.test("failed tokens - a right token that is new gets its look-up from a slowed address too", async (t) => {
  const { state, limit, begin, fail } = setUp(1);
  await fail("8.8.8.8");
  const attempts = [begin("8.8.8.8", "new"), begin("8.8.8.8"), begin("8.8.8.8")];
  t.strictSame(new Set(attempts.map((attempt) => attempt?.turn)).size, 1, "they leave together");
  await attempts[0]?.turn;
  t.equal(attempts[0]?.end("right"), undefined);
  t.match(attempts[1]?.end("wrong"), { code: "rate_limited" });
  t.equal(attempts[2]?.end("unknown"), undefined, "a database that is away says nothing about it");
  t.equal(state.slowed, 1);
  t.equal(begin("8.8.8.8", "new"), undefined, "now it is known");
  limit.forget("new");
  t.ok(begin("8.8.8.8", "new")?.turn, "until it is revoked");
});

t.test("failed tokens - look-ups for slowed addresses are bounded, and the places come back", async (t) => {
  const { begin, fail } = setUp(1);
  await fail("8.8.8.8");
  const attempts = Array.from({ length: LIMITS.slowedLookUps }, () => begin("8.8.8.8"));
  t.match(begin("8.8.8.8")?.refusal, { code: "rate_limited", retryAfterSeconds: 1 });
  t.equal(begin("9.9.9.9")?.turn, undefined, "others do not wait");
  for (const attempt of attempts) attempt?.end("wrong");
  t.equal(begin("8.8.8.8")?.refusal, undefined);
});

t.test("failed tokens - the addresses of one IPv6 customer count as one", async (t) => {
  const { fail } = setUp(2);
  await fail("2a00:1450:4001:81::1");
  await fail("2a00:1450:4001:81::2");
  t.ok(await fail("2a00:1450:4001:81::3"));
  t.notOk(await fail("2a00:1450:4001:82::1"));
});

t.test("failed tokens - an address that may be a proxy is not counted", async (t) => {
  const { fail } = setUp(1);
  for (const address of ["127.0.0.1", "10.0.0.1", "fd00::1", ""]) {
    for (let n = 0; n < 3; n++) t.equal(await fail(address), undefined, address);
  }
});

t.test("failed tokens - without a limit no address is counted", async (t) => {
  const { fail } = setUp(0);
  for (let n = 0; n < 3; n++) t.equal(await fail("8.8.8.8"), undefined);
});

t.test("failed tokens - holds 10,000 addresses, and gives up the one that failed longest ago", async (t) => {
  const { begin, fail } = setUp(1);
  const address = (n: number) => `8.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < 10_000; n++) await fail(address(n));
  t.ok(await fail(address(0)), "it fails again, and is slowed");
  await fail("9.9.9.9");
  t.ok(begin(address(0))?.turn, "it is still known");
  t.notOk(begin(address(1))?.turn, "this one failed longest ago");
  t.ok(begin(address(2))?.turn);
});
