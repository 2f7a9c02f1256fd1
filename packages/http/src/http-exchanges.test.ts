import { clientAddress, trustedProxies } from "#domain";
import { echo, head, held, overBothAdapters, post, serve, type TestApi } from "./test-server.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const HEX = /^[0-9a-f]{32}$/;

overBothAdapters((adapter, t) => {
  t.test("keep-alive - three requests on one connection", async (t) => {
    const { connect, server } = await serve(t, adapter);
    const connection = await connect();
    for (const text of ["one", "zwei ü 🎟", ""]) {
      await connection.send(post("/a/b?c=d%20e&f", text, "x-wanted: w", "x-other: o"));
      const response = await connection.response();
      t.equal(response.status, 200);
      t.equal(response.headers["content-type"], "application/json");
      t.equal(response.headers.connection === "close", false);
      const { traceId, ...rest } = JSON.parse(response.body);
      t.strictSame(rest, { method: "POST", path: "/a/b", wanted: "w", text });
      t.equal(response.headers["x-trace-id"], traceId);
    }
    t.match(
      { ...server.stats(), open: 0 },
      { open: 0, inFlight: 0, bufferedBytes: 0, aborted: 0 },
      "nothing under way",
    );
  });

  t.test("address - the API can ask where a request comes from, at its head and with its body", async (t) => {
    const seen: string[] = [];
    const api: TestApi = {
      admit: (request) => {
        seen.push(request.remoteAddress());
        return undefined;
      },
      handle: (request, _body, respond) => {
        seen.push(request.remoteAddress());
        respond({ status: 200, body: "{}" });
      },
    };
    const { connect } = await serve(t, adapter, { api });
    const connection = await connect();
    await connection.send(post("/", "late"));
    t.equal((await connection.response()).status, 200);
    t.strictSame(
      seen.map((address) => clientAddress(address, "8.8.8.8", trustedProxies(["127.0.0.1/32"]))),
      ["8.8.8.8", "8.8.8.8"],
      seen.join(),
    );
  });

  t.test("pipelined - in one piece: answered in order, or cut off before any is handled", async (t) => {
    const { connect, handled, server } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(post("/1", "a") + post("/2", "b") + post("/3", "") + post("/4", "d"));
    if (adapter === "uws") {
      await connection.untilClosed();
      t.equal(connection.rest, "");
      t.strictSame(handled, [], "no effect whose answer is lost");
      t.equal(server.stats().inFlight, 0);
      return;
    }
    for (const path of ["/1", "/2", "/3", "/4"]) {
      t.equal(JSON.parse((await connection.response()).body).path, path);
    }
  });

  t.test("pipelined - a request that comes while another is handled waits for its answer", async (t) => {
    const api = held();
    const { connect, handled, server } = await serve(t, adapter, { api });
    const connection = await connect();
    await connection.send(post("/1", "a"));
    const first = await api.next();
    await connection.send(post("/2", "b"));
    first.respond(echo(first.request, Buffer.from("a")));
    t.equal(JSON.parse((await connection.response()).body).path, "/1");
    const second = await api.next();
    second.respond(echo(second.request, Buffer.from("b")));
    t.equal(JSON.parse((await connection.response()).body).path, "/2");
    t.strictSame(handled, ["POST /1", "POST /2"]);
    t.equal(server.stats().aborted, 0);
  });

  t.test("pipelined - after a request without a length: in order, or that one is the last", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(head("GET /1") + post("/2", "c"));
    if (adapter === "uws") {
      // A field without a name may hide that `/2` is the body of `/1`.
      await connection.untilClosed();
      t.strictSame(handled, []);
      return;
    }
    for (const path of ["/1", "/2"]) {
      t.equal(JSON.parse((await connection.response()).body).path, path);
    }
  });

  t.test("pipelined - after a request whose token is being looked up: in order, or cut off", async (t) => {
    let letIn = () => {};
    const gate = new Promise<undefined>((resolve) => {
      letIn = () => resolve(undefined);
    });
    const { connect, handled } = await serve(t, adapter, { api: { admit: () => gate } });
    const connection = await connect();
    await connection.send(post("/1", "a") + post("/2", "b"));
    if (adapter === "uws") await connection.untilClosed();
    letIn();
    if (adapter === "uws") return t.strictSame(handled, []);
    for (const path of ["/1", "/2"]) t.equal(JSON.parse((await connection.response()).body).path, path);
  });

  t.test("GET and HEAD - reach the API without a body; HEAD is answered without one", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    let connection = await connect();
    // uWebSockets.js cannot be sure of the end of a request without a visible length: each is the last of its
    // connection.
    const next = async () => {
      if (adapter === "node") return;
      await connection.untilClosed();
      connection = await connect();
    };
    await connection.send(head("HEAD /x"));
    const bodiless = await connection.response({ bodiless: true });
    t.equal(bodiless.status, 200);
    t.ok(Number(bodiless.headers["content-length"]) > 0, "the length that GET would have");
    t.equal(bodiless.headers.connection, adapter === "uws" ? "close" : "keep-alive");
    t.match(bodiless.headers.date, / GMT$/);
    await next();
    await connection.send(head("GET /x"));
    t.equal(JSON.parse((await connection.response()).body).method, "GET");
    await next();
    await connection.send(head("DELETE /x"));
    t.equal(JSON.parse((await connection.response()).body).method, "DELETE");
    t.strictSame(handled, ["HEAD /x", "GET /x", "DELETE /x"]);
  });

  t.test("answers - bytes, other content types and own headers go out as given", async (t) => {
    const bytes = new Uint8Array(Buffer.from("--ü--")).subarray(2, 4);
    const { url } = await serve(t, adapter, {
      api: {
        handle: (_request, _body, respond) =>
          respond({
            status: 418,
            headers: { "content-type": "text/plain", "retry-after": "7" },
            body: bytes,
          }),
      },
    });
    const response = await fetch(url);
    t.equal(response.status, 418);
    t.equal(response.headers.get("content-type"), "text/plain");
    t.equal(response.headers.get("retry-after"), "7");
    t.equal(await response.text(), "ü");
  });

  t.test("trace id - that of the caller's traceparent, else a new one", async (t) => {
    const { url } = await serve(t, adapter);
    const ask = async (traceparent: string) =>
      (await fetch(url, { headers: { traceparent } })).headers.get("x-trace-id") ?? "";
    t.equal(await ask(`00-${TRACE}-00f067aa0ba902b7-01`), TRACE);
    const fresh = await ask(`ff-${TRACE}-00f067aa0ba902b7-01`);
    t.match(fresh, HEX);
    t.not(fresh, TRACE);
  });

  t.test("headers - repeated ones are joined, absent ones undefined, unwanted ones an error", async (t) => {
    const { connect, faults } = await serve(t, adapter, {
      api: {
        handle: (request, _body, respond) => {
          t.equal(request.header("authorization"), undefined);
          if (request.path === "/unwanted") request.header("x-other");
          if (request.path === "/unknown") request.isRepeated("x-other");
          t.equal(request.isRepeated("x-wanted"), request.path === "/twice");
          t.notOk(request.isRepeated("authorization"));
          respond(echo(request, Buffer.from("")));
        },
      },
    });
    const connection = await connect();
    await connection.send(post("/twice", "", "x-wanted: aüb", "X-Wanted:  c  "));
    t.equal(JSON.parse((await connection.response()).body).wanted, "aüb, c");
    for (const joined of ["", "a", "a, b"]) {
      await connection.send(post("/", "", `x-wanted: ${joined}`));
      t.equal(JSON.parse((await connection.response()).body).wanted, joined);
    }
    for (const twice of [
      ["x-wanted:", "x-wanted: b"],
      ["x-wanted: a", "x-wanted:"],
    ]) {
      await connection.send(post("/twice", "", ...twice));
      t.equal((await connection.response()).status, 200);
    }
    for (const path of ["/unwanted", "/unknown"]) {
      await connection.send(post(path, ""));
      t.equal((await connection.response()).status, 500, path);
    }
    t.equal(faults.length, 2);
  });

  t.test("faults - a throw in admit or handle is a 500 without internals, and reported", async (t) => {
    const { url, faults } = await serve(t, adapter, {
      api: {
        admit: (request) => {
          if (request.path === "/admit") throw new Error("secret one");
          return undefined;
        },
        handle: () => {
          throw new Error("secret two");
        },
      },
    });
    for (const path of ["/admit", "/handle"]) {
      const response = await fetch(url + path, { method: "POST", body: "{}" });
      const text = await response.text();
      t.equal(response.status, 500);
      t.notMatch(text, /secret/);
      t.equal(JSON.parse(text).error.code, "internal_error");
      t.equal(faults.at(-1)?.traceId, response.headers.get("x-trace-id"));
    }
    t.strictSame(
      faults.map(({ error }) => (error as Error).message),
      ["secret one", "secret two"],
    );
  });

  t.test("respond - counts once, and later calls change nothing", async (t) => {
    const { connect } = await serve(t, adapter, {
      api: {
        handle: (request, body, respond) => {
          respond(echo(request, body));
          respond({ status: 500, body: "second" });
          setImmediate(() => respond({ status: 500, body: "third" }));
        },
      },
    });
    const connection = await connect();
    for (const path of ["/1", "/2"]) {
      await connection.send(post(path, ""));
      t.equal(JSON.parse((await connection.response()).body).path, path);
    }
    t.equal(connection.rest, "");
  });
});
