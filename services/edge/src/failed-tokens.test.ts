import t from "tap";
import { trustedProxies } from "#domain";
import { FailedTokens } from "./failed-tokens.ts";

const MINUTE_MS = 60_000;

function setUp(perMinute: number) {
  const state = { now: 1_000_000, slowed: 0 };
  const limit = new FailedTokens({
    perMinute,
    proxies: trustedProxies([]),
    header: "x-forwarded-for",
    knows: (token) => token === "known",
    observe: () => state.slowed++,
    now: () => state.now,
  });
  const begin = (address: string, token = "wrong") =>
    limit.begin({ remoteAddress: () => address, header: () => undefined }, token);
  return { state, begin };
}

t.test("failed tokens - past its failures an address is refused, and told when to come again", async (t) => {
  const { state, begin } = setUp(3);
  for (let n = 0; n < 3; n++) {
    const attempt = begin("8.8.8.8");
    t.equal(attempt?.refusal, undefined);
    attempt?.failed();
  }
  t.match(begin("8.8.8.8")?.refusal, { code: "rate_limited", retryAfterSeconds: 20 });
  t.equal(state.slowed, 1);
  t.equal(begin("8.8.8.8", "known"), undefined, "a token that is known is not slowed down");
  t.equal(begin("9.9.9.9")?.refusal, undefined, "nor is another address");
  state.now += 20_000;
  const again = begin("8.8.8.8");
  t.equal(again?.refusal, undefined, "one more may be wrong");
  again?.failed();
  t.ok(begin("8.8.8.8")?.refusal);
  state.now += MINUTE_MS;
  for (let n = 0; n < 3; n++) begin("8.8.8.8")?.failed();
  t.ok(begin("8.8.8.8")?.refusal);
});

t.test("failed tokens - the addresses of one IPv6 customer count as one", async (t) => {
  const { begin } = setUp(2);
  begin("2a00:1450:4001:81::1")?.failed();
  begin("2a00:1450:4001:81::2")?.failed();
  t.ok(begin("2a00:1450:4001:81::3")?.refusal);
  t.notOk(begin("2a00:1450:4001:82::1")?.refusal);
});

t.test("failed tokens - an address that may be a proxy is not counted", async (t) => {
  const { begin } = setUp(1);
  for (const address of ["127.0.0.1", "10.0.0.1", "fd00::1", ""]) t.equal(begin(address), undefined, address);
});

t.test("failed tokens - holds 10,000 addresses, and gives up the one that failed longest ago", async (t) => {
  const { begin } = setUp(1);
  const address = (n: number) => `8.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < 10_000; n++) begin(address(n))?.failed();
  begin(address(0))?.failed();
  begin("9.9.9.9")?.failed();
  t.ok(begin(address(0))?.refusal, "failed again");
  t.notOk(begin(address(1))?.refusal);
  t.ok(begin(address(2))?.refusal);
});
