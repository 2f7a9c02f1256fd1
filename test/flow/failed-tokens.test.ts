import { randomBytes } from "node:crypto";
import t from "tap";
import { createTokenSecret } from "#domain";
import { hasUws } from "#http";
import { PublisherClient, startPipeline } from "#test-support";

/** One comes back in a minute: long enough for all that follows. */
const LIMIT = 1;

t.test("wrong tokens from one address are slowed down, and nobody else is", async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"] });
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
    t.equal((await list(other, "192.0.2.1")).status, 429, "and not yet this one");
    t.equal((await list(other, "192.0.2.2")).status, 200);
    t.equal((await list(other, "192.0.2.1")).status, 200, "now it does");
    t.match((await edge.ops("/metrics")).body, /^stampede_edge_authentication_slowed_total\S* 2(\.0)?$/m);
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
