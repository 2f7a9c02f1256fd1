import t from "tap";
import { waitFor } from "#test-support";
import { jsonResponse } from "./envelope.ts";
import { envelope, head, post, serve } from "./test-server.ts";

/** Counts turns of the event loop. */
function countTurns() {
  let turn = 0;
  let isOver = false;
  const next = () => {
    turn++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return {
    now: () => turn,
    stop: () => {
      isOver = true;
    },
  };
}

t.test("pipeline - requests of a connection are begun in order, in turns of their own", async (t) => {
  const turns = countTurns();
  t.teardown(turns.stop);
  const begun: { path: string; turn: number }[] = [];
  // For a refusal by the head, the kernel has the answer before the next request is parsed.
  const refused = jsonResponse(404, {});
  const { connect } = await serve(t, "node", {
    api: {
      admit: ({ path }) => {
        begun.push({ path, turn: turns.now() });
        return refused;
      },
    },
  });
  const connection = await connect();
  await connection.send(Array.from({ length: 300 }, (_, i) => post(`/${i}`, "{}")).join(""));
  for (let i = 0; i < 300; i++) t.equal((await connection.response()).status, 404);
  t.strictSame(
    begun.map(({ path }) => path),
    Array.from({ length: 300 }, (_, i) => `/${i}`),
  );
  t.equal(new Set(begun.map(({ turn }) => turn)).size, 300);
});

t.test("pipeline - a caller that never reads gets one answer made, and delays no other", async (t) => {
  let made = 0;
  const large = jsonResponse(200, { text: "x".repeat(4 * 1024 * 1024) });
  const { connect } = await serve(t, "node", {
    api: {
      handle: ({ path }, _body, respond) => {
        if (path === "/large") made++;
        respond(path === "/large" ? large : jsonResponse(200, {}));
      },
    },
  });
  const greedy = await connect();
  greedy.pause();
  await greedy.send(post("/large", "{}").repeat(200));
  await waitFor(() => made > 0, { message: "the first answer is made" });
  for (let i = 0; i < 20; i++) {
    const other = await connect();
    await other.send(post("/small", "{}"));
    t.equal((await other.response()).status, 200);
  }
  t.ok(made < 10, `${made} answers of 4 MiB wait in the kernel and in memory`);
});

t.test("pipeline - requests above the limit are refused, after the answers to earlier ones", async (t) => {
  const { connect, handled, server } = await serve(t, "node", { limits: { pipelinedRequests: 20 } });
  const connection = await connect();
  await connection.send(Array.from({ length: 30 }, (_, i) => post(`/${i}`, "{}")).join(""));
  const served = 21;
  for (let i = 0; i < served; i++) t.match(JSON.parse((await connection.response()).body), { path: `/${i}` });
  envelope(t, await connection.response(), "unavailable");
  await connection.untilClosed();
  t.equal(connection.rest, "");
  t.equal(handled.length, served, "refused requests have no effect");
  t.equal(server.stats().refused.unavailable, 1);
});

t.test("pipeline - a broken request after waiting ones is answered after them", async (t) => {
  const { connect, handled } = await serve(t, "node");
  const connection = await connect();
  await connection.send(
    `${post("/a", "{}")}${post("/b", "{}")}${head("POST /c", "transfer-encoding: chunked")}zz\r\n`,
  );
  t.match(JSON.parse((await connection.response()).body), { path: "/a" });
  t.match(JSON.parse((await connection.response()).body), { path: "/b" });
  envelope(t, await connection.response(), "bad_request");
  await connection.untilClosed();
  t.strictSame(handled, ["POST /a", "POST /b"]);
});

t.test("pipeline - a refused head is the last answer, even if broken bytes follow it", async (t) => {
  const { connect, handled } = await serve(t, "node", {
    api: { handle: (_request, _body, respond) => setTimeout(() => respond(jsonResponse(200, {})), 20) },
  });
  // Without a length its body is read as the next request.
  for (const bad of [`${head("POST /b")}{"name":"x"}`, post("/b", "{}", "host: b")]) {
    const connection = await connect();
    await connection.send(`${post("/a", "{}")}${bad}`);
    t.equal((await connection.response()).status, 200);
    envelope(t, await connection.response(), "bad_request");
    await connection.untilClosed();
    t.equal(connection.rest, "");
  }
  t.strictSame(handled, ["POST /a", "POST /a"]);
});
