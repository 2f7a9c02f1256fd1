import type { Test } from "tap";
import { waitFor } from "#test-support";
import { errorResponse, jsonResponse } from "./envelope.ts";
import type { AdapterName, HttpRequest, HttpResponse } from "./server.ts";
import { envelope, head, overBothAdapters, post, serve } from "./test-server.ts";

const SMUGGLED = post("/smuggled", "{}");
const NAMELESS = [": nameless", `content-length: ${SMUGGLED.length}`];
/** More than the kernel buffers for a client that does not read. */
const LARGE_BYTES = 16 * 1024 * 1024;
const pages: ReadonlyMap<string, HttpResponse> = new Map([
  ["/docs", { status: 200, headers: { "content-type": "text/html" }, body: "page".repeat(2000) }],
  ["/small", { status: 200, headers: { "content-type": "text/html" }, body: "page" }],
  ["/unchanged", { status: 304, headers: { etag: '"1"' }, body: "" }],
  ["/large", { status: 200, body: Buffer.alloc(LARGE_BYTES, "x") }],
]);

/**
 * Like the API of a service: pages for GET and HEAD, 404 for unknown paths; `/handled` and `/later` wait for their bodies.
 */
function admit(request: HttpRequest): HttpResponse | undefined {
  const page = pages.get(request.path);
  if (page !== undefined && request.method !== "POST") return page;
  if (["/handled", "/later", "/smuggled"].includes(request.path)) return undefined;
  return errorResponse({ code: "not_found", message: "no such path" }, request.traceId);
}

function answersIn(received: string): number {
  return received.split("HTTP/1.1 ").length - 1;
}

overBothAdapters((adapter, t) => {
  t.test("smuggling - a nameless field hides no request after one that is answered", async (t) => {
    const { connect, handled } = await serve(t, adapter, { api: { admit } });
    const ask = async (method: string, path: string, pieces: 1 | 2) => {
      const name = `${method} ${path}, in ${pieces}`;
      const block = head(`${method} ${path}`, ...NAMELESS);
      const connection = await connect();
      await connection.send(pieces === 1 ? block + SMUGGLED : block);
      if (pieces === 2) {
        await waitFor(() => connection.rest !== "" || connection.closed, { message: name });
        await connection.send(SMUGGLED);
      }
      await connection.untilClosed();
      t.ok(answersIn(connection.rest) <= 1, `${name}: one answer at most`);
    };
    const asked: Array<Promise<void>> = [];
    for (const method of ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"]) {
      for (const path of ["/docs", "/small", "/unchanged", "/nothing"]) {
        asked.push(ask(method, path, 1), ask(method, path, 2));
      }
    }
    await Promise.all(asked);
    t.strictSame(handled, []);
  });

  t.test("smuggling - a nameless field hides no request after one that is handled", async (t) => {
    const { connect, handled } = await serve(t, adapter, {
      api: {
        admit,
        handle: (request, _body, respond) => {
          const answer = jsonResponse(200, { path: request.path });
          if (request.path === "/later") setTimeout(() => respond(answer), 20);
          else respond(answer);
        },
      },
    });
    for (const line of ["GET /handled", "GET /later?now", "HEAD /handled", "DELETE /later?now"]) {
      const connection = await connect();
      await connection.send(head(line, ...NAMELESS) + SMUGGLED);
      await connection.untilClosed();
      t.ok(answersIn(connection.rest) <= 1, `${line}: one answer at most`);
    }
    t.notOk(handled.some((request) => request.includes("smuggled")));
  });

  t.test("smuggling - nor after a page with a slow reader", async (t) => {
    const { connect, handled, server } = await serve(t, adapter, { api: { admit } });
    const connection = await connect();
    connection.pause();
    await connection.send(head("GET /large", ...NAMELESS));
    await connection.send(SMUGGLED);
    connection.resume();
    await connection.untilClosed();
    t.strictSame(handled, []);
    await waitFor(() => server.stats().inFlight === 0, { message: "nothing is in flight" });
  });

  t.test("smuggling - GET and HEAD announce no body: 400, closed, not interpreted", async (t) => {
    const { connect, handled } = await serve(t, adapter, { api: { admit } });
    for (const method of ["GET", "HEAD"]) {
      for (const field of [`content-length: ${SMUGGLED.length}`, "transfer-encoding: chunked"]) {
        const connection = await connect();
        await connection.send(head(`${method} /docs`, field));
        const response = await connection.response({ bodiless: method === "HEAD" });
        t.equal(response.status, 400);
        t.equal(response.headers.connection, "close");
        if (method === "GET") envelope(t, response, "bad_request");
        await connection.send(SMUGGLED);
        await connection.untilClosed();
      }
    }
    const plain = await connect();
    await plain.send(head("GET /docs", "content-length: 0"));
    t.equal((await plain.response()).status, 200, "a length of nothing announces none");
    t.strictSame(handled, []);
  });

  t.test(
    "smuggling - nothing after a chunked body is a request, unless node is sure of its end",
    async (t) => {
      const { connect, handled } = await serve(t, adapter, { api: { admit } });
      const sure: Readonly<Record<string, string>> = {
        "an extension that reads as a digit": "5;a\r\nhello\r\n0\r\n\r\n",
        "an extension": "5;ext=1\r\nhello\r\n0\r\n\r\n",
        "a trailer": "0\r\nx: y\r\n\r\n",
        "a trailer that reads as a request": "0\r\nxxPOST: /smuggled HTTP/1.1\r\nhost: a\r\n\r\n",
        "nothing special": "5\r\nhello\r\n0\r\n\r\n",
      };
      const unsure: Readonly<Record<string, string>> = {
        "a colon for ten": ":\r\nhellohello\r\n0\r\n\r\n",
        "a digit past f": "g\r\nhellohellohello!\r\n0\r\n\r\n",
        "any two bytes after a chunk": "5\r\nhelloXX0\r\n\r\n",
        "one LF after a chunk": "5\r\nhello\n10\r\n\r\n",
        "one LF after a size": "5\nhello\r\n0\r\n\r\n",
        "no line end after the last chunk": "0\r\n",
      };
      const ask = async (path: string, body: string) => {
        const connection = await connect();
        await connection.send(head(`POST ${path}`, "transfer-encoding: chunked") + body + SMUGGLED);
        connection.finish();
        await connection.untilClosed();
        // After our refusal, uWebSockets.js may write its own error, for a trailer that it takes for a
        // request.
        return adapter === "uws"
          ? connection.rest.split("x-trace-id: ").length - 1
          : answersIn(connection.rest);
      };
      const askAll = async (bodies: Readonly<Record<string, string>>, most: number) => {
        const asked = Object.entries(bodies).flatMap(([name, body]) =>
          ["/handled", "/nothing"].map(async (path) => {
            t.ok((await ask(path, body)) <= most, `${path}, ${name}`);
          }),
        );
        await Promise.all(asked);
      };
      await askAll(unsure, 1);
      t.notOk(handled.includes("POST /smuggled"));
      await askAll(sure, adapter === "node" ? 2 : 1);
      t.equal(handled.filter((request) => request === "POST /smuggled").length, adapter === "node" ? 10 : 0);
    },
  );

  t.test("smuggling - a field that only looks like one of length: refused, or no length", async (t) => {
    await refused(t, adapter, {
      "a name with an underscore": head("POST /handled", "content_length: 2"),
      "a name after a blank": `POST /handled HTTP/1.1\r\n content-length: 2\r\nhost: a\r\n\r\n`,
      "a name after a tab": head("POST /handled", "\tcontent-length: 2"),
      "a tab before the colon": head("POST /handled", "content-length\t: 2"),
      "NUL in the name": head("POST /handled", "content-length\u0000: 2"),
      "a byte over ASCII in the name": head("POST /handled", "content-lengthé: 2"),
      "DEL in the name": head("POST /handled", "content-length\u007f: 2"),
      "a line end in the name": head("POST /handled", "content-length\r\n: 2"),
      "CR before the name": head("POST /handled", "\rcontent-length: 2"),
      "CR for a line end": head("POST /handled", "x: 1\rcontent-length: 2"),
      "CR CR LF": head("POST /handled", "content-length: 2\r"),
      "vertical tab in the value": head("POST /handled", "transfer-encoding: \u000bchunked"),
      "form feed in the value": head("POST /handled", "content-length: 2\u000c"),
      "a nameless field first": head("POST /handled", ...NAMELESS),
      "nothing but a colon": head("POST /handled", ":"),
      "a tab in the request line": "POST\t/handled HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n",
    });
  });

  t.test("smuggling - codings that are not plainly chunked: 400, closed, not interpreted", async (t) => {
    const { connect, handled } = await serve(t, adapter, { api: { admit } });
    const codings = [
      "xchunked",
      "chunked,",
      ", chunked",
      "chunked;q=1",
      '"chunked"',
      "chunk ed",
      "",
      "chunked\t,",
    ];
    for (const coding of codings) {
      const connection = await connect();
      await connection.send(`${head("POST /handled", `transfer-encoding: ${coding}`)}0\r\n\r\n${SMUGGLED}`);
      const response = await connection.response();
      t.equal(response.status, 400, coding);
      envelope(t, response, "bad_request");
      await connection.untilClosed();
      t.equal(connection.rest.trim(), "");
    }
    t.strictSame(handled, []);
  });
});

/**
 * Each connection is closed, and the request after it must not reach the API; at most an error is answered.
 */
async function refused(
  t: Test,
  adapter: AdapterName,
  blocks: Readonly<Record<string, string>>,
): Promise<void> {
  const { connect, handled } = await serve(t, adapter, { api: { admit } });
  const refuse = async ([name, block]: readonly [string, string]) => {
    const connection = await connect();
    await connection.send(`${block}{}${SMUGGLED}`);
    await connection.untilClosed();
    t.match(connection.rest, /^(?:$|HTTP\/1.1 (?:400|431|505) )/, name);
    t.ok(answersIn(connection.rest) <= 1, name);
  };
  // All at the same time: uWebSockets.js takes 10 s to give up a block.
  await Promise.all(Object.entries(blocks).map(refuse));
  t.strictSame(handled, []);
}
