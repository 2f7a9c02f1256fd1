import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
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
  "a request whose head came before the revocation and whose body comes after it is refused",
  async (t) => {
    const admin = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const { id, token } = (await admin.post("api-token/create", { access: "write", description: "" })).body;
    const tokens = async () => (await admin.post("api-token/list", {})).body.data.length;
    const before = await tokens();
    const body = JSON.stringify({ access: "write", description: "late" });
    const { hostname, port } = new URL(pipeline.edge.url ?? "");
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    const headers = [`authorization: Bearer ${token}`, "content-type: application/json", "connection: close"];
    const head = ["POST /publisher.v1/api-token/create HTTP/1.1", `host: ${hostname}`, ...headers];
    socket.write(`${head.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
    await delay(200);
    t.match(await admin.post("api-token/revoke", { id }), { status: 200 });
    socket.write(body.slice(-1));
    await once(socket, "close");
    t.match(answer, /^HTTP\/1\.1 401 /);
    t.equal(await tokens(), before);
  },
);

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

t.test(
  "a revocation is answered even if the database is silent to the session that counts edges",
  async (t) => {
    const proxy = await TcpProxy.start(pipeline.databaseUrl);
    t.teardown(() => proxy.close());
    const memberPorts = async () => {
      const sessions = await pipeline.store<{ port: number }[]>`
      select client_port as port from pg_stat_activity
      where datname = current_database() and application_name = 'stampede-edge-member'`;
      return sessions.map(({ port }) => port);
    };
    const others = await memberPorts();
    const second = await pipeline.start("edge", { DATABASE_URL: proxy.through(pipeline.databaseUrl) });
    t.teardown(() => second.kill());
    const own = (await memberPorts()).filter((port) => !others.includes(port));
    t.equal(own.length, 1);
    const admin = new PublisherClient(second.url, pipeline.publisher.token);
    const { id, token } = (await admin.post("api-token/create", { access: "read", description: "" })).body;
    const user = new PublisherClient(pipeline.edge.url, token);
    t.match(await user.post("member-base/list", {}), { status: 200 });
    for (const port of own) proxy.stallFrom(port);
    t.match(await admin.post("api-token/revoke", { id }), { status: 200 });
    t.match(await user.post("member-base/list", {}), { status: 401 });
  },
);
