import { randomBytes } from "node:crypto";
import t from "tap";
import { createTokenSecret } from "#domain";
import { PublisherClient, startPipeline } from "#test-support";

/** So low that nothing comes back while a test runs: a request in a day and a half. */
const RATE = { STAMPEDE_RATE_LIMIT: "0.00001", STAMPEDE_RATE_LIMIT_BURST: "3" };

t.test("rate limit - each token has its burst, every answer tells, and the rest is 429", async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"], env: RATE });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const standing = (remaining: number) => ({
    "ratelimit-limit": "3",
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": /^\d+$/,
  });
  t.match(await client.post("member-base/list", {}), { status: 200, headers: standing(2) });
  t.match(await client.post("member-base/list", "{"), { status: 400, headers: standing(1) });
  t.match(await client.post("member-base/get", { id: "mb_none" }), { status: 404, headers: standing(0) });
  const refused = await client.post("member-base/create", { name: "no" });
  t.match(refused, {
    status: 429,
    headers: { ...standing(0), "retry-after": /^\d+$/ },
    body: { error: { code: "rate_limited", data: {}, trace_id: refused.headers["x-trace-id"] } },
  });
  t.ok(Number(refused.headers["retry-after"]) > 0);
  t.ok(Number(refused.headers["ratelimit-reset"]) >= Number(refused.headers["retry-after"]));
  t.match(await client.post("member-base/create", "{"), { status: 429 }, "before the body is looked at");
  t.strictSame(await pipeline.store`select id from memberbases`, []);

  const reader = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher("read")).token);
  t.match(await reader.post("member-base/create", { name: "no" }), { status: 403, headers: standing(2) });

  const nobody = new PublisherClient(pipeline.edge.url, createTokenSecret(randomBytes(32)));
  const unknown = await nobody.post("member-base/list", {});
  t.equal(unknown.status, 401);
  t.equal(unknown.headers["ratelimit-limit"], undefined, "no token, no rate");

  const second = await pipeline.start("edge");
  const elsewhere = new PublisherClient(second.url, pipeline.publisher.token);
  t.match(await elsewhere.post("member-base/list", {}), { status: 200, headers: standing(2) });
});

t.test("rate limit - off unless configured", async (t) => {
  const pipeline = await startPipeline({ begin: ["edge"], env: { STAMPEDE_RATE_LIMIT_BURST: "1" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  for (let i = 0; i < 5; i++) {
    const answer = await client.post("member-base/list", {});
    t.equal(answer.status, 200);
    t.equal(answer.headers["ratelimit-limit"], undefined);
  }
});
