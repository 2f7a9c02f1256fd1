import type { Test } from "tap";
import { waitFor } from "#test-support";
import type { AdapterName } from "./server.ts";
import { envelope, head, overBothAdapters, post, serve } from "./test-server.ts";

/** The test names each difference between the two adapters; the list is at `UwsServer`. */
overBothAdapters((adapter, t) => {
  t.test(
    "header block - a bare LF or an invalid field: refused as a whole, nothing of it skipped",
    async (t) => {
      await refused(t, adapter, {
        "bare LF everywhere": "GET / HTTP/1.1\nhost: a\n\n",
        "bare LF after the request line": "GET / HTTP/1.1\nhost: a\r\n\r\n",
        "bare LF after a field": "GET / HTTP/1.1\r\nhost: a\nx: 1\r\n\r\n",
        "bare LF at the end": "GET / HTTP/1.1\r\nhost: a\r\n\n",
        "bare LF hides a content-length":
          "POST / HTTP/1.1\r\nhost: a\r\nx: 1\ncontent-length: 5\r\n\r\nhello",
        "bare LF hides a transfer-encoding": `${head("POST /", "content-length: 5", "x: 1\ntransfer-encoding: chunked")}0\r\n\r\n`,
        "a line without a colon": head("GET /", "nocolon"),
        "a name with brackets": head("GET /", "x(a): 1"),
        "a space before the colon": `${head("POST /", "content-length : 5")}hello`,
        "a space before the colon of transfer-encoding": head("POST /", "transfer-encoding : chunked"),
        "a line that goes on in the next": head("GET /", "x: 1", " 2"),
        "transfer-encoding in the next line": head("POST /", "transfer-encoding:", " chunked"),
        "NUL in a value": head("GET /", "x: 1\u00002"),
        "CR in a value": head("GET /", "x: 1\r2"),
        "an unknown method": head("FOO /"),
        "a method in lower case": head("get /"),
      });
    },
  );

  t.test("content-length - only digits count", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    for (const length of ["+5", "0x5", "1e1", "5,5", "5 5", "", "5.0", "٥"]) {
      const connection = await connect();
      await connection.send(`${head("POST /", `content-length: ${length}`)}hello`);
      envelope(t, await connection.response(), "bad_request");
      await connection.untilClosed();
    }
    t.strictSame(handled, []);
  });

  t.test("content-length - a POST without a length is refused, whether bytes follow or not", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    const smuggled = head("GET /smuggled");
    for (const fields of [[], [": nameless", `content-length: ${smuggled.length}`]]) {
      const connection = await connect();
      await connection.send(head("POST /", ...fields) + smuggled);
      envelope(t, await connection.response(), "bad_request");
      await connection.untilClosed();
      t.equal(connection.rest.trim(), "");
    }
    t.strictSame(handled, []);
  });

  t.test("chunks - a size that is none ends the request", async (t) => {
    const { connect, handled, server } = await serve(t, adapter);
    for (const size of ["0x5", "+5", "-5", "FFFFFFFFFFFFFFFFF"]) {
      const connection = await connect();
      await connection.send(`${head("POST /", "transfer-encoding: chunked")}${size}\r\nhello\r\n0\r\n\r\n`);
      envelope(t, await connection.response(), "bad_request");
      await connection.untilClosed();
    }
    t.strictSame(handled, []);
    t.equal(server.stats().inFlight, 0);
  });

  t.test("chunks - a wrong line end after one is refused", async (t) => {
    const { connect } = await serve(t, adapter);
    for (const body of ["5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhellooo\r\n0\r\n\r\n"]) {
      const connection = await connect();
      await connection.send(head("POST /", "transfer-encoding: chunked") + body);
      envelope(t, await connection.response(), "bad_request");
    }
  });

  t.test(
    "stops short - a client that ends within a request gets no answer to it, and nothing is kept",
    async (t) => {
      const { connect, handled, server } = await serve(t, adapter);
      const short = [
        "POST / HT",
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-le",
        post("/", "hello").slice(0, -1),
        `${head("POST /", "transfer-encoding: chunked")}5\r\nhel`,
        `${head("POST /", "transfer-encoding: chunked")}5\r\nhello\r\n`,
      ];
      for (const bytes of short) {
        const connection = await connect();
        await connection.send(bytes);
        connection.finish();
        await connection.untilClosed();
        t.notMatch(connection.rest, /^HTTP\/1.1 2/, JSON.stringify(bytes));
      }
      t.strictSame(handled, []);
      await waitFor(() => server.stats().inFlight === 0, { message: "nothing is in flight" });
      t.equal(server.stats().bufferedBytes, 0);
    },
  );

  t.test("header flood - many small fields are refused or taken whole, never in part", async (t) => {
    const { connect, handled } = await serve(t, adapter);
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `x-${i}: 1`);
    const few = await connect();
    await few.send(head("GET /few", ...fields(40), "x-wanted: last"));
    t.equal(JSON.parse((await few.response()).body).wanted, "last");
    const many = await connect();
    await many.send(head("GET /many", ...fields(3000), "x-wanted: last"));
    await many.untilClosed();
    t.match(many.rest, adapter === "uws" ? /^HTTP\/1.1 431 / : /^HTTP\/1.1 400 .*"bad_request"/s);
    t.strictSame(handled, ["GET /few"]);
  });
});

/**
 * Each request closes its connection and does not reach the API. node:http gives the reason in the envelope;
 * uWebSockets answers in its own way, or not at all.
 */
async function refused(
  t: Test,
  adapter: AdapterName,
  requests: Readonly<Record<string, string>>,
): Promise<void> {
  const { connect, handled } = await serve(t, adapter);
  const refuse = async ([name, bytes]: readonly [string, string]) => {
    const connection = await connect();
    await connection.send(bytes);
    await connection.untilClosed();
    if (adapter === "uws") t.match(connection.rest, /^(?:$|HTTP\/1.1 (?:400|431|505) )/, name);
    else envelope(t, await connection.response(), "bad_request");
  };
  // All at the same time: uWebSockets.js takes 10 s to give up a block.
  await Promise.all(Object.entries(requests).map(refuse));
  t.strictSame(handled, []);
}
