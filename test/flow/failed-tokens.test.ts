import { randomBytes, randomUUID } from "node:crypto";
import t from "tap";
import { createTokenSecret, hashTokenSecret } from "#domain";
import { hasUws } from "#http";
import { createPlatformToken } from "#platform-db";
import { PlatformClient, PublisherClient, startPipeline } from "#test-support";

/** One failure is forgiven in a minute: long enough for the whole test. */
const LIMIT = 1;

t.test("wrong tokens from one address are slowed down, and other callers are not", async (t) => {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  for (const adapter of hasUws() ? ["uws", "node"] : ["node"]) {
    const edge = await pipeline.start("edge", {
      STAMPEDE_HTTP_ADAPTER: adapter,
      STAMPEDE_AUTH_FAILURES_PER_MINUTE: String(LIMIT),
      STAMPEDE_TRUSTED_PROXIES: "127.0.0.0/8",
      STAMPEDE_CLIENT_ADDRESS_HEADER: "X-Client",
    });
    const list = (token: string, address: string) =>
      new PublisherClient(edge.url, token).post("member-base/list", {}, { "x-client": address });
    const wrong = () => createTokenSecret(randomBytes(32));
    const { token } = pipeline.publisher;
    t.equal((await list(token, "192.0.2.1")).status, 200, adapter);
    for (let n = 0; n < LIMIT; n++) t.equal((await list(wrong(), "192.0.2.1")).status, 401);
    const refused = await list(wrong(), "198.51.100.1, 192.0.2.1");
    t.match(refused, { status: 429, body: { error: { code: "rate_limited" } } });
    t.match(refused.headers, { "retry-after": /^[1-9]\d*$/ });
    t.equal((await list(token, "192.0.2.1")).status, 200, "the edge knows this one");
    const other = (await pipeline.newPublisher()).token;
    t.equal((await list(other, "192.0.2.1")).status, 200, "and it looks this one up, which is new to it");
    t.equal((await list(wrong(), "192.0.2.2")).status, 401, "another address is not slowed down");
    t.match((await edge.ops("/metrics")).body, /^stampede_edge_authentication_slowed_total\S* 1(\.0)?$/m);
  }
});

t.test("wrong tokens are slowed down at the platform too", async (t) => {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  const right = createTokenSecret(randomBytes(32));
  for (const adapter of hasUws() ? ["uws", "node"] : ["node"]) {
    const platform = await pipeline.start("platform", {
      STAMPEDE_HTTP_ADAPTER: adapter,
      STAMPEDE_AUTH_FAILURES_PER_MINUTE: String(LIMIT),
      STAMPEDE_TRUSTED_PROXIES: "127.0.0.0/8",
    });
    if (adapter === "uws" || !hasUws()) {
      const secretHash = hashTokenSecret(right);
      await createPlatformToken(pipeline.store, { id: randomUUID(), description: "test", secretHash });
    }
    const list = (token: string) =>
      new PlatformClient(platform.url, token).post("retailer/list", {}, { "x-forwarded-for": "192.0.2.1" });
    const wrong = () => createTokenSecret(randomBytes(32));
    for (let n = 0; n < LIMIT; n++) t.equal((await list(wrong())).status, 401, adapter);
    t.match(await list(wrong()), { status: 429, body: { error: { code: "rate_limited" } } });
    t.equal((await list(right)).status, 200, "a right token is still accepted");
    t.equal((await list(wrong())).status, 429);
  }
});

t.test("wrong tokens from an address that may be a proxy are not slowed down", async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"], env: { STAMPEDE_AUTH_FAILURES_PER_MINUTE: "1" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, createTokenSecret(randomBytes(32)));
  for (let n = 0; n < 5; n++) {
    t.equal((await client.post("member-base/list", {}, { "x-forwarded-for": "192.0.2.1" })).status, 401);
  }
});
