import { randomBytes } from "node:crypto";
import t from "tap";
import { createTokenSecret } from "#domain";
import { PlatformClient, PublisherClient, startPipeline } from "#test-support";

/** One failure is forgiven in a minute: long enough for the whole test. */
const LIMIT = 1;

t.test("wrong tokens from one address are slowed down, and other callers are not", async (t) => {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  const edge = await pipeline.start("edge", {
    STAMPEDE_AUTH_FAILURES_PER_MINUTE: String(LIMIT),
    STAMPEDE_TRUSTED_PROXIES: "127.0.0.0/8",
    STAMPEDE_CLIENT_ADDRESS_HEADER: "X-Client",
  });
  const list = (token: string, address: string) =>
    new PublisherClient(edge.url, token).post("member-base/list", {}, { "x-client": address });
  const wrong = () => createTokenSecret(randomBytes(32));
  const { token } = pipeline.publisher;
  t.equal((await list(token, "192.0.2.1")).status, 200);
  for (let n = 0; n < LIMIT; n++) t.equal((await list(wrong(), "192.0.2.1")).status, 401);
  const refused = await list(wrong(), "198.51.100.1, 192.0.2.1");
  t.match(refused, { status: 429, body: { error: { code: "rate_limited" } } });
  t.match(refused.headers, { "retry-after": /^[1-9]\d*$/ });
  t.equal((await list(token, "192.0.2.1")).status, 200, "the edge knows this one");
  const other = (await pipeline.newPublisher()).token;
  t.equal((await list(other, "192.0.2.1")).status, 200, "and it looks this one up, which is new to it");
  t.equal((await list(wrong(), "192.0.2.2")).status, 401, "another address is not slowed down");
  t.match((await edge.ops("/metrics")).body, /^stampede_edge_authentication_slowed_total\S* 1(\.0)?$/m);
});

t.test("wrong tokens are slowed down at the platform too", async (t) => {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  const platform = await pipeline.start("platform", {
    STAMPEDE_AUTH_FAILURES_PER_MINUTE: String(LIMIT),
    STAMPEDE_TRUSTED_PROXIES: "127.0.0.0/8",
  });
  const right = await pipeline.newPlatformToken();
  const list = (token: string) =>
    new PlatformClient(platform.url, token).post("retailer/list", {}, { "x-forwarded-for": "192.0.2.1" });
  const wrong = () => createTokenSecret(randomBytes(32));
  for (let n = 0; n < LIMIT; n++) t.equal((await list(wrong())).status, 401);
  t.match(await list(wrong()), { status: 429, body: { error: { code: "rate_limited" } } });
  t.equal((await list(right)).status, 200, "a right token is still accepted");
  t.equal((await list(wrong())).status, 429);
});
