import t from "tap";
import { type Pipeline, PublisherClient, startPipeline, TcpProxy } from "#test-support";

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline({ begin: ["edge"] });
});
t.teardown(() => pipeline.stop());

/**
 * Contract, section 3: a revocation holds for the very next request on every edge process, even if it has the
 * token in memory.
 */
t.test("a token revoked at one edge is refused by the next request at every other", async (t) => {
  const second = await pipeline.start("edge");
  t.teardown(() => second.stop());
  const admin = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  for (let round = 0; round < 20; round++) {
    const { id, token } = (await admin.post("api-token/create", { access: "read", description: "" })).body;
    const users = [pipeline.edge, second].map(({ url }) => new PublisherClient(url, token));
    for (const user of users) t.match(await user.post("member-base/list", {}), { status: 200 });
    t.match(await admin.post("api-token/revoke", { id }), { status: 200 });
    const answers = await Promise.all(users.map((user) => user.post("member-base/list", {})));
    t.strictSame(
      answers.map((answer) => answer.status),
      [401, 401],
    );
  }
});

t.test(
  "if an edge that is cut off revokes a token, no other accepts it once the revocation is answered",
  async (t) => {
    const proxy = await TcpProxy.start(pipeline.natsUrl);
    t.teardown(() => proxy.close());
    const cutOff = await pipeline.start("edge", { NATS_URL: proxy.through(pipeline.natsUrl) });
    t.teardown(() => cutOff.kill());
    const admin = new PublisherClient(cutOff.url, pipeline.publisher.token);
    const { id, token } = (await admin.post("api-token/create", { access: "read", description: "" })).body;
    const user = new PublisherClient(pipeline.edge.url, token);
    t.match(await user.post("member-base/list", {}), { status: 200 });
    proxy.freezeServer();
    t.match(await admin.post("api-token/revoke", { id }), { status: 200 });
    t.match(
      await user.post("member-base/list", {}),
      { status: 401 },
      "although no message could reach that edge",
    );
  },
);

t.test(
  "an edge that is cut off from NATS refuses a revoked token once the revocation is answered",
  async (t) => {
    const proxy = await TcpProxy.start(pipeline.natsUrl);
    t.teardown(() => proxy.close());
    const second = await pipeline.start("edge", { NATS_URL: proxy.through(pipeline.natsUrl) });
    t.teardown(() => second.kill());
    const admin = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const { id, token } = (await admin.post("api-token/create", { access: "read", description: "" })).body;
    const user = new PublisherClient(second.url, token);
    t.match(await user.post("member-base/list", {}), { status: 200 });
    proxy.freezeServer();
    t.match(await admin.post("api-token/revoke", { id }), { status: 200 });
    t.match(await user.post("member-base/list", {}), { status: 401 });
  },
);
