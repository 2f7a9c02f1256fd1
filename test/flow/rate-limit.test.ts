import { randomBytes } from "node:crypto";
import t from "tap";
import { createTokenSecret } from "#domain";
import { makeEvent, PublisherClient, startPipeline } from "#test-support";

/** So low that the allowance does not recover while a test runs: a request in a day and a half. */
const RATE = { STAMPEDE_RATE_LIMIT: "0.00001", STAMPEDE_RATE_LIMIT_BURST: "3" };

t.test("rate limit - each token has its burst, every answer shows it, and the rest is 429", async (t) => {
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
  t.match(await client.post("member-base/create", "{"), { status: 429 }, "before the edge reads the body");
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

t.test(
  "rate limit of events - each answer shows it, and no event of a refused request is stored",
  async (t) => {
    const env = { STAMPEDE_EVENT_RATE_LIMIT: "0.00001", STAMPEDE_EVENT_RATE_LIMIT_BURST: "3" };
    const pipeline = await startPipeline({ env });
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [member] = (await client.enrol("one")) as [string];
    const send = (count: number) => client.ingest(Array.from({ length: count }, () => makeEvent(member)));
    const standing = (remaining: number) => ({
      "ratelimit-limit": "3",
      "ratelimit-remaining": String(remaining),
    });
    t.match(await send(2), { status: 200, headers: standing(1) });
    const refused = await send(2);
    t.match(refused, { status: 429, headers: { ...standing(1), "retry-after": /^[1-9]\d*$/ } });
    t.match(await send(1), { status: 200, headers: standing(0) });
    const [{ count }] = await pipeline.store<
      [{ count: number }]
    >`select count(*)::int as count from transactions`;
    t.equal(count, 3);
    const others = await client.post("member-base/list", {});
    t.equal(others.status, 200, "other requests have no such limit");
    t.equal(others.headers["ratelimit-limit"], undefined);

    const large = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
    const [other] = (await large.enrol("one")) as [string];
    const events = Array.from({ length: 10 }, () => makeEvent(other));
    t.match(
      await large.ingest(events),
      { status: 200, headers: standing(0) },
      "more than the burst, after a rest",
    );
    t.match(await large.ingest([makeEvent(other)]), { status: 429 });
  },
);
