import { waitFor } from "#test-support";
import { envelope, head, held, overBothAdapters, post, serve } from "./test-server.ts";

overBothAdapters((adapter, t) => {
  const smuggled = post("/smuggled", "");

  t.test("smuggling - two content-length headers: 400, closed, the rest not interpreted", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    for (const [first, second] of ["00", "05", "50", "55"]) {
      const connection = await connect();
      const fields = [`content-length: ${first}`, `Content-Length: ${second}`];
      await connection.send(`${head("POST /", ...fields)}${smuggled}${smuggled}`);
      const response = await connection.response();
      t.equal(response.status, 400);
      t.equal(response.headers.connection, "close");
      envelope(t, response, "bad_request");
      await connection.untilClosed();
      t.equal(connection.rest, "");
    }
    t.strictSame(handled, []);
  });

  t.test("smuggling - content-length with transfer-encoding: 400, closed, not interpreted", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    for (const coding of ["chunked", "CHUNKED", "gzip, chunked", "identity"]) {
      const connection = await connect();
      const fields = ["content-length: 4", `transfer-encoding: ${coding}`];
      await connection.send(`${head("POST /", ...fields)}0\r\n\r\n${smuggled}`);
      // uWebSockets.js answers this one itself, in HTML.
      if (adapter === "uws")
        await waitFor(() => /^HTTP\/1.1 400 /.test(connection.rest), { message: "a 400" });
      else envelope(t, await connection.response(), "bad_request");
      await connection.untilClosed();
    }
    t.strictSame(handled, []);
  });

  t.test("smuggling - unsure framing: 400 with the envelope, closed, not interpreted", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    const blocks = [
      head("POST /", "transfer-encoding: gzip"),
      head("POST /", "transfer-encoding: chunked, identity"),
      head("POST /", "transfer-encoding: chunked", "transfer-encoding: chunked"),
      head("POST /", "content-length: 5x"),
      head("POST /", "content-length: -1"),
      head("POST /", "content-length: 1, 1"),
      head("POST /", "host: b"),
    ];
    for (const block of blocks) {
      const connection = await connect();
      await connection.send(`${block}0\r\n\r\n${smuggled}`);
      const response = await connection.response();
      t.equal(response.status, 400, JSON.stringify(block));
      envelope(t, response, "bad_request");
      await connection.untilClosed();
    }
    t.strictSame(handled, []);
  });

  t.test("header block - up to 8 KiB is taken, more gets 400 and the connection is closed", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    const filled = (bytes: number) => {
      const empty = head("GET /", "x-wanted: ").trimEnd().length + " ".length + "\r\n".length;
      return head("GET /", `x-wanted: ${"x".repeat(bytes - empty)}`);
    };
    const taken = await connect();
    await taken.send(filled(8192));
    t.equal((await taken.response()).status, 200);
    for (const bytes of [8193, 20_000]) {
      const refused = await connect();
      await refused.send(filled(bytes) + smuggled);
      const response = await refused.response();
      t.equal(response.status, 400);
      envelope(t, response, "bad_request");
      await refused.untilClosed();
    }
    t.strictSame(handled, ["GET /"]);
  });

  t.test("header flood - without an end it is cut off", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    const connection = await connect();
    await connection.send("GET / HTTP/1.1\r\nhost: a\r\n");
    while (!connection.closed) await connection.send(`x-flood: ${"x".repeat(1000)}\r\n`);
    t.match(connection.rest, adapter === "uws" ? /^HTTP\/1.1 431 / : /^HTTP\/1.1 400 .*"bad_request"/s);
    t.strictSame(handled, []);
  });

  t.test("malformed - bytes that are not HTTP/1.1 are answered with an error and closed", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    for (const bytes of [
      "\x16\x03\x01 hello\r\n\r\n",
      "GET / HTTP/1.0\r\nhost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nx: no host\r\n\r\n",
      "GET http://a/ HTTP/1.1\r\nhost: a\r\n\r\n",
      "CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n",
    ]) {
      const connection = await connect();
      await connection.send(bytes);
      await connection.untilClosed();
      if (adapter === "uws") t.match(connection.rest, /^HTTP\/1.1 (400|505) /, JSON.stringify(bytes));
      else envelope(t, await connection.response(), "bad_request");
    }
    t.strictSame(handled, []);
  });

  const skip = adapter === "uws" && "uWebSockets.js: chunked bodies are refused before the first chunk";
  t.test("malformed - a broken chunk ends the request, and handle never sees it", { skip }, async (t) => {
    const { connect, handled, server } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(`${head("POST /", "transfer-encoding: chunked")}3\r\nabc\r\n`);
    await waitFor(() => server.stats().bufferedBytes === 3, { message: "the first chunk is there" });
    await connection.send("zz\r\n");
    await connection.untilClosed();
    t.match(connection.rest, /^HTTP\/1.1 400 /);
    t.strictSame(handled, []);
    t.equal(server.stats().bufferedBytes, 0);
    t.equal(server.stats().inFlight, 0);
  });

  t.test("malformed - after a request whose answer is due, no error is mistaken for it", async (t) => {
    const api = held();
    const { connect, server } = await serve(t, adapter, { api });
    const connection = await connect();
    await connection.send(post("/", "{}"));
    const { respond } = await api.next();
    await connection.send("\x01\x02\r\n\r\n");
    // The request before it was complete, so its answer comes first.
    respond({ status: 200, body: "{}" });
    t.equal((await connection.response()).status, 200);
    // uWebSockets.js answers invalid bytes itself.
    if (adapter === "node") t.equal((await connection.response()).status, 400);
    await connection.untilClosed();
    t.equal(server.stats().aborted, 0);
  });

  t.test("stalled - a header block or a body that never ends does not hold the connection", async (t) => {
    const { connect, handled, server } = await serve(t, adapter, { limits: { requestReceiveMs: 2_000 } });
    const [block, body] = [await connect(), await connect()];
    await block.send("GET / HTTP/1.1\r\nhost: a\r\n");
    await body.send(post("/", "hello").slice(0, -2));
    await Promise.all([block.untilClosed(), body.untilClosed()]); // uWebSockets.js: a block after its 10 s, silently
    envelope(t, await body.response(), "bad_request");
    if (adapter === "node") envelope(t, await block.response(), "bad_request");
    t.strictSame(handled, []);
    const aborted = adapter === "node" ? 1 : 0; // over uWebSockets.js the body was answered, and the block was no request
    // The server sees the end of a connection a little after its caller.
    await waitFor(() => server.stats().open === 0, { message: "all connections are closed" });
    t.match(server.stats(), { open: 0, inFlight: 0, bufferedBytes: 0, aborted });
  });
});
