import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "#test-support";
import { TestConnection } from "./test-connection.ts";
import { held, overBothAdapters, post, serve } from "./test-server.ts";

overBothAdapters((adapter, t) => {
  t.test("abort - is counted, and the late answer goes nowhere", async (t) => {
    const api = held();
    const { connect, server } = await serve(t, adapter, { api });
    const connection = await connect();
    await connection.send(post("/", "{}"));
    const { respond } = await api.next();
    t.equal(server.stats().aborted, 0);
    connection.destroy();
    // While a request is handled, uWebSockets.js reads nothing, not even the end.
    if (adapter === "node") {
      await waitFor(() => server.stats().aborted === 1, { message: "the abort is seen" });
    }
    respond({ status: 200, body: "{}" });
    t.equal(server.stats().aborted, adapter === "node" ? 1 : 0);
    t.equal(server.stats().inFlight, 0);
  });

  t.test("abort - in the middle of a body gives its bytes back", async (t) => {
    const { connect, handled, server } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(post("/", "x".repeat(5000)).slice(0, -100));
    await waitFor(() => server.stats().bufferedBytes === 4900, { message: "most of the body is there" });
    connection.destroy();
    await waitFor(() => server.stats().bufferedBytes === 0, { message: "the bytes are given back" });
    t.strictSame(handled, []);
    t.equal(server.stats().aborted, 1);
  });

  t.test("drain - new connections are refused, open ones get one last answer", async (t) => {
    const api = held();
    const { connect, server, port } = await serve(t, adapter, { api });
    const [idle, busy] = [await connect(), await connect()];
    await idle.send(post("/warm", ""));
    const warm = await api.next();
    warm.respond({ status: 200, body: "{}" });
    t.not((await idle.response()).headers.connection, "close");
    await busy.send(post("/busy", ""));
    const pending = await api.next();
    server.stopAccepting();
    server.stopAccepting();
    await t.rejects(TestConnection.open(t, port), { code: "ECONNREFUSED" });
    t.equal(idle.closed, false);
    const closed = server.close(10_000);
    await idle.send(post("/last", ""));
    const last = await api.next();
    last.respond({ status: 200, body: "{}" });
    pending.respond({ status: 200, body: "{}" });
    for (const connection of [idle, busy]) {
      const response = await connection.response();
      t.equal(response.status, 200);
      t.equal(response.headers.connection, "close");
      await connection.untilClosed();
    }
    await closed;
    t.equal(server.stats().inFlight, 0);
  });

  t.test("close - a request that comes on an idle connection during the drain is answered", async (t) => {
    const { connect, server } = await serve(t, adapter, { limits: { drainQuietMs: 5_000 } });
    const connections = await Promise.all(Array.from({ length: 3 }, () => connect()));
    for (const connection of connections) {
      await connection.send(post("/before", ""));
      await connection.response();
    }
    const closed = server.close(60_000);
    for (const [i, connection] of connections.entries()) {
      if (i === 2) break;
      await delay(300); // a caller that pauses for far less than the server's quiet time
      await connection.send(post("/during", "{}"));
      const response = await connection.response();
      t.equal(response.status, 200);
      t.equal(response.headers.connection, "close");
      await connection.untilClosed();
    }
    await closed;
    await connections[2]?.untilClosed();
    t.notOk(connections[2]?.wasReset, "an idle connection ends with FIN");
  });

  t.test(
    "close - connections that the kernel has accepted and the server has not are answered",
    async (t) => {
      const { port, server } = await serve(t, adapter);
      // In one turn: the server sees none of them before it has to close.
      const answers = Array.from({ length: 20 }, async () => {
        const connection = await TestConnection.open(t, port);
        await connection.send(post("/", "{}"));
        return (await connection.response()).status;
      });
      const connected = new Promise((resolve) => setImmediate(resolve));
      await connected;
      await server.close(10_000);
      t.strictSame(new Set(await Promise.all(answers)), new Set([200]));
    },
  );

  t.test(
    "close - after the grace open connections are closed, and their requests count as aborted",
    async (t) => {
      const api = held();
      const { connect, server } = await serve(t, adapter, { api });
      const [idle, busy] = [await connect(), await connect()];
      await busy.send(post("/busy", ""));
      await api.next();
      await server.close(50);
      await Promise.all([idle.untilClosed(), busy.untilClosed()]);
      t.equal(server.stats().aborted, 1);
      t.equal(server.stats().open, 0);
    },
  );

  t.test("close - an answer given in the same turn still reaches its client", async (t) => {
    const body = JSON.stringify("x".repeat(200_000));
    const { connect, server } = await serve(t, adapter, {
      api: {
        handle: (_request, _body, respond) => {
          void server.close(5000);
          respond({ status: 200, body });
        },
      },
    });
    const connection = await connect();
    await connection.send(post("/", ""));
    t.equal((await connection.response()).body, body);
    await connection.untilClosed();
  });

  t.test("start - a port in use is an error with a code", async (t) => {
    const first = await serve(t, adapter);
    const second = await serve(t, adapter);
    await second.server.close(0);
    await t.rejects(second.server.start({ host: "127.0.0.1", port: first.port }), { code: "listen_failed" });
  });
});
