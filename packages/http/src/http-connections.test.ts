import t from "tap";
import { trustedProxies } from "#domain";
import { waitFor } from "#test-support";
import { jsonResponse } from "./envelope.ts";
import { envelope, head, post, serve } from "./test-server.ts";

const MIB = 1024 * 1024;

t.test("connections - one too many gets a reason and is closed, and a freed place is given", async (t) => {
  const limits = { connections: 2, connectionsPerAddress: 2 };
  const { connect, server } = await serve(t, "node", { limits });
  const [first, second] = [await connect(), await connect()];
  for (const connection of [first, second]) {
    await connection.send(post("/", "{}"));
    t.equal((await connection.response()).status, 200);
  }
  const refused = await connect();
  await refused.send(post("/", "{}"));
  const response = await refused.response();
  t.equal(response.status, 503);
  t.equal(response.headers.connection, "close");
  t.equal(response.headers["retry-after"], "1");
  t.match(envelope(t, response, "unavailable").data, { reason: "too_many_connections" });
  await refused.untilClosed();
  t.notOk(refused.wasReset);
  t.match(server.stats(), { open: 2, refused: { unavailable: 1 } });
  first.destroy();
  await waitFor(() => server.stats().open === 1, { message: "a place is free" });
  const next = await connect();
  await next.send(post("/", "{}"));
  t.equal((await next.response()).status, 200);
});

t.test("connections - an address has a share of them, and a proxy has none", async (t) => {
  const limits = { connections: 10, connectionsPerAddress: 1 };
  const { connect, server } = await serve(t, "node", { limits, proxies: trustedProxies(["127.0.0.3/32"]) });
  const ask = async (from: string) => {
    const connection = await connect(from);
    await connection.send(post("/", "{}"));
    return (await connection.response()).status;
  };
  t.strictSame([await ask("127.0.0.1"), await ask("127.0.0.1")], [200, 503]);
  t.strictSame([await ask("127.0.0.2"), await ask("127.0.0.2")], [200, 503], "another address has its own");
  t.strictSame([await ask("127.0.0.3"), await ask("127.0.0.3")], [200, 200], "a proxy's are of many callers");
  t.equal(server.stats().open, 4);
});

t.test("connections - of very many that are refused, some are closed without a word", async (t) => {
  const { connect, server } = await serve(t, "node", { limits: { connections: 0, connectionsRefused: 1 } });
  const [told, untold] = [await connect(), await connect()];
  envelope(t, await told.response(), "unavailable");
  await untold.untilClosed();
  t.equal(untold.rest, "");
  t.equal(server.stats().open, 0);
});

t.test("unread - a caller that stops reading an answer is cut off, and its memory is free", async (t) => {
  const large = jsonResponse(200, { text: "x".repeat(16 * MIB) });
  const { connect, server } = await serve(t, "node", {
    limits: { connectionStillMs: 500 },
    api: { handle: (_request, _body, respond) => respond(large) },
  });
  const connection = await connect();
  connection.pause();
  await connection.send(post("/", "{}"));
  await waitFor(() => server.stats().open === 0, { message: "the connection is closed" });
  t.match(server.stats(), { inFlight: 0 });
});

t.test(
  "unread - a request that is handled for long is not cut off, however still its connection",
  async (t) => {
    const { connect } = await serve(t, "node", {
      limits: { connectionStillMs: 50 },
      api: {
        handle: (_request, _body, respond) => void setTimeout(() => respond(jsonResponse(200, {})), 500),
      },
    });
    const connection = await connect();
    await connection.send(post("/", "{}"));
    t.equal((await connection.response()).status, 200);
  },
);

for (const isRead of [true, false]) {
  const title = isRead
    ? "a further one is refused"
    : "effects that happened are still answered, and then no more requests are taken";
  t.test(`unread - a sender has a share of the memory for answers: ${title}`, async (t) => {
    const large = jsonResponse(200, { text: "x".repeat(16 * MIB) });
    const { connect, handled } = await serve(t, "node", {
      limits: { unreadAnswerBytes: 40 * MIB },
      api: {
        isRead,
        handle: ({ path }, _body, respond) => respond(path === "/large" ? large : jsonResponse(200, {})),
      },
    });
    const ask = async (path: string, sender: string) => {
      const connection = await connect();
      connection.pause();
      await connection.send(post(path, "{}", `authorization: ${sender}`));
      return connection;
    };
    const asked = [await ask("/large", "greedy"), await ask("/large", "greedy")];
    await waitFor(() => handled.length === 2, { message: "both are handled" });
    asked[1]?.resume();
    const second = await (asked[1] as (typeof asked)[0]).response();
    if (isRead) t.match(envelope(t, second, "unavailable").data, { reason: "unread_answers" });
    else t.equal(second.status, 200);

    const third = await ask("/large", "greedy");
    third.resume();
    t.equal((await third.response()).status, isRead ? 503 : 200);
    const small = await ask("/small", "other");
    small.resume();
    t.equal((await small.response()).status, 200, "others are served");
    for (const connection of asked) connection.resume();
    t.equal(
      (await (asked[0] as (typeof asked)[0]).response()).status,
      200,
      "a caller that finally reads gets all of it",
    );
    const last = await ask("/large", "greedy");
    last.resume();
    t.equal((await last.response()).status, 200, "and the room again");
  });
}

t.test("unread - while a sender has its whole share, none of its requests is handled", async (t) => {
  const large = jsonResponse(200, { text: "x".repeat(16 * MIB) });
  const { connect, handled } = await serve(t, "node", {
    limits: { unreadAnswerBytes: 16 * MIB },
    api: { handle: (_request, _body, respond) => respond(large) },
  });
  const greedy = await connect();
  greedy.pause();
  await greedy.send(post("/1", "{}"));
  await waitFor(() => handled.length === 1, { message: "the first is handled" });
  const refused = await connect();
  await refused.send(post("/2", "{}"));
  envelope(t, await refused.response(), "unavailable");
  t.strictSame(handled, ["POST /1"]);
  await refused.send(head("GET /3"));
  envelope(t, await refused.response(), "unavailable");
});

t.test(
  "regression - requests admitted by their heads were all handled, however little was read",
  async (t) => {
    const large = jsonResponse(200, { text: "x".repeat(16 * MIB) });
    const { connect, handled } = await serve(t, "node", {
      limits: { unreadAnswerBytes: 16 * MIB },
      api: { handle: (_request, _body, respond) => respond(large) },
    });
    const [greedy, next] = [await connect(), await connect()];
    greedy.pause();
    await greedy.send(post("/1", "{}").slice(0, -2));
    await next.send(post("/2", "{}").slice(0, -2));
    await greedy.send("{}");
    await waitFor(() => handled.length === 1, { message: "the first is handled" });
    await next.send("{}");
    envelope(t, await next.response(), "unavailable");
    t.strictSame(handled, ["POST /1"], "nothing of it has happened");
  },
);
