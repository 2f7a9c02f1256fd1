import { request as clientRequest } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { waitFor } from "#test-support";
import { errorResponse } from "./envelope.ts";
import type { HttpResponse } from "./server.ts";
import { envelope, head, overBothAdapters, post, serve } from "./test-server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const MIB = 1024 * 1024;
const NO_CHUNKS = "uWebSockets.js: chunked bodies are refused";

overBothAdapters((adapter, t) => {
  t.test("body - chunked, in pieces: taken, or refused before anything happens", async (t) => {
    const { connect, handled, server } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(head("POST /chunked", "transfer-encoding: chunked"));
    for (const piece of ["5\r\nhel", "lo\r\n", "6\r", "\n wörl\r\n1\r\nd\r\n", "0\r\n\r\n"]) {
      await connection.send(piece);
    }
    const response = await connection.response();
    t.equal(server.stats().bufferedBytes, 0);
    if (adapter === "uws") {
      t.match(envelope(t, response, "bad_request").message, /content-length/);
      await connection.untilClosed();
      t.strictSame(handled, []);
      return;
    }
    t.equal(JSON.parse(response.body).text, "hello wörld");
    await connection.send(`${head("POST /empty", "transfer-encoding: Chunked")}0\r\n\r\n`);
    t.equal(JSON.parse((await connection.response()).body).text, "");
    t.equal(server.stats().bufferedBytes, 0);
  });

  t.test(
    "body - chunked with a trailer, in one piece: an answer in the envelope, one way or the other",
    async (t) => {
      const { connect, handled } = await serve(t, adapter);
      const connection = await connect();
      await connection.send(
        `${head("POST /", "transfer-encoding: chunked")}2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n`,
      );
      const response = await connection.response();
      if (adapter === "node") t.equal(JSON.parse(response.body).text, "{}");
      else envelope(t, response, "bad_request");
      t.equal(handled.length, adapter === "node" ? 1 : 0);
    },
  );

  t.test("body - with a length, in many pieces, counted while it arrives", async (t) => {
    const { connect, server } = await serve(t, adapter);
    const connection = await connect();
    const request = Buffer.from(post("/pieces", "äöü".repeat(1000)));
    const cut = request.length - 2000;
    await connection.send(request.subarray(0, cut));
    await waitFor(() => server.stats().bufferedBytes === 4000, { message: "4000 of 6000 bytes are there" });
    t.equal(server.stats().inFlight, 1);
    for (let at = cut; at < request.length; at += 97) await connection.send(request.subarray(at, at + 97));
    t.equal(JSON.parse((await connection.response()).body).text, "äöü".repeat(1000));
    t.equal(server.stats().bufferedBytes, 0);
    t.equal(server.stats().inFlight, 0);
  });

  t.test("body - 8 MiB is taken, whole and unchanged", async (t) => {
    let kept: Uint8Array = new Uint8Array(0);
    const { url, server } = await serve(t, adapter, {
      api: {
        handle: (_request, body, respond) => {
          kept = body;
          respond({ status: 200, body: "{}" });
        },
      },
    });
    const sent = Buffer.alloc(8 * MIB, "0123456789abcdefghijk");
    t.equal((await fetch(url, { method: "POST", body: sent })).status, 200);
    t.ok(sent.equals(kept));
    t.equal(kept.buffer.byteLength, kept.byteLength, "in its own memory");
    t.equal(server.stats().bufferedBytes, 0);
  });

  t.test("body - every one has its own memory, even a small one", async (t) => {
    const seen: Uint8Array[] = [];
    const { connect } = await serve(t, adapter, {
      api: {
        handle: (_request, body, respond) => {
          seen.push(body);
          respond({ status: 200, body: "{}" });
        },
      },
    });
    const connection = await connect();
    for (const text of ["first", "second"]) {
      await connection.send(post("/", text));
      await connection.response();
    }
    const [first, second] = seen.map((body) =>
      structuredClone(body, { transfer: [body.buffer as ArrayBuffer] }),
    );
    t.equal(Buffer.from(first ?? []).toString(), "first");
    t.equal(Buffer.from(second ?? []).toString(), "second");
  });

  t.test("body - expect: 100-continue gets its go-ahead", async (t) => {
    const { connect } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(head("POST /", "expect: 100-continue", "content-length: 2"));
    t.equal((await connection.response()).status, 100);
    await connection.send("hi");
    t.equal(JSON.parse((await connection.response()).body).text, "hi");
  });

  t.test("refusal in admit - before the body; the connection serves on", async (t) => {
    const { connect, handled, server } = await serve(t, adapter, {
      api: {
        admit: (request) =>
          request.path === "/no"
            ? errorResponse({ code: "not_found", message: "no" }, request.traceId)
            : undefined,
      },
    });
    const connection = await connect();
    const body = "x".repeat(3 * MIB);
    const request = post("/no", body);
    await connection.send(request.slice(0, 500));
    envelope(t, await connection.response(), "not_found");
    await connection.send(request.slice(500));
    // uWebSockets.js: chunks are refused as the last request of their connection.
    if (adapter === "node") {
      await connection.send(`${head("POST /no", "transfer-encoding: chunked")}5\r\nhello\r\n`);
      envelope(t, await connection.response(), "not_found");
      await connection.send("0\r\n\r\n");
    }
    await connection.send(post("/yes", "next"));
    const { path, text } = JSON.parse((await connection.response()).body);
    t.strictSame({ path, text }, { path: "/yes", text: "next" });
    t.strictSame(handled, ["POST /yes"]);
    t.equal(server.stats().inFlight, 0);
    t.equal(server.stats().bufferedBytes, 0);
  });

  t.test("too large - a declared length is refused immediately and the connection closed", async (t) => {
    const { connect, handled, server } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(head("POST /", `content-length: ${8 * MIB + 1}`));
    const response = await connection.response();
    t.equal(response.status, 413);
    t.equal(response.headers.connection, "close");
    t.strictSame(envelope(t, response, "payload_too_large").data, { limit_bytes: 8 * MIB });
    t.equal(server.stats().inFlight, 0);
    await connection.send("x".repeat(8 * MIB + 1) + post("/smuggled", ""));
    await connection.untilClosed();
    t.equal(connection.rest, "");
    t.strictSame(handled, []);
  });

  t.test("too large - a client that sends all before it reads gets the answer and no reset", async (t) => {
    const { port } = await serve(t, adapter);
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const request = clientRequest({ port, host: "127.0.0.1", method: "POST" }, (response) => {
        let text = "";
        response.on("data", (piece) => {
          text += piece;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      request.on("error", reject);
      request.setHeader("content-length", 12 * MIB);
      request.end(Buffer.alloc(12 * MIB));
    });
    t.equal(answer.status, 413);
    t.equal(JSON.parse(answer.text).error.code, "payload_too_large");
  });

  t.test("too large - an absurd length is refused too", async (t) => {
    const { connect } = await serve(t, adapter);
    const connection = await connect();
    await connection.send(head("POST /", "content-length: 123456789012"));
    const response = await connection.response();
    t.equal(response.status, 413);
    envelope(t, response, "payload_too_large");
    if (adapter === "uws") await connection.untilClosed();
  });

  t.test(
    "too large - a chunked body is refused when it passes the limit",
    { skip: adapter === "uws" && NO_CHUNKS },
    async (t) => {
      const { connect, handled, server } = await serve(t, adapter);
      const connection = await connect();
      const chunk = `100000\r\n${"x".repeat(MIB)}\r\n`;
      await connection.send(head("POST /", "transfer-encoding: chunked"));
      for (let sent = 0; sent < 8; sent += 1) await connection.send(chunk);
      await waitFor(() => server.stats().bufferedBytes === 8 * MIB, { message: "8 MiB are buffered" });
      await connection.send(chunk);
      const response = await connection.response();
      t.equal(response.status, 413);
      envelope(t, response, "payload_too_large");
      t.equal(server.stats().bufferedBytes, 0);
      await connection.send(`0\r\n\r\n${post("/smuggled", "")}`);
      await connection.untilClosed();
      t.strictSame(handled, []);
    },
  );

  t.test(
    "too large - a body that passes the limit and ends in one piece gets its answer too",
    { skip: adapter === "uws" && NO_CHUNKS },
    async (t) => {
      const { connect, handled } = await serve(t, adapter, { limits: { bodyBytes: 1000 } });
      for (const chunks of [10, 11, 15, 30]) {
        const connection = await connect();
        const body = `64\r\n${"x".repeat(100)}\r\n`.repeat(chunks);
        await connection.send(`${head("POST /", "transfer-encoding: chunked")}${body}0\r\n\r\n`);
        t.equal((await connection.response()).status, chunks === 10 ? 200 : 413);
        if (chunks > 10) await connection.untilClosed();
      }
      t.equal(handled.length, 1);
    },
  );

  t.test(
    "too large - a caller that never stops sending is cut off",
    { skip: adapter === "uws" && NO_CHUNKS },
    async (t) => {
      const { connect } = await serve(t, adapter, { limits: { bodyBytes: 1000 } });
      const connection = await connect();
      await connection.send(head("POST /", "transfer-encoding: chunked"));
      while (!connection.closed) await connection.send(`64\r\n${"x".repeat(100)}\r\n`);
      t.equal((await connection.response()).status, 413);
    },
  );

  t.test("overload - a sender may hold as much as stays free, and leaves room for the others", async (t) => {
    const { connect, server } = await serve(t, adapter, { limits: { bufferedBodyBytes: 40_000 } });
    const [patient, refused, other] = [await connect(), await connect(), await connect()];
    const request = post("/patient", "a".repeat(19_000), "authorization: one");
    await patient.send(request.slice(0, -1));
    await waitFor(() => server.stats().bufferedBytes === 18_999, {
      message: "the first body waits for its end",
    });
    await refused.send(post("/refused", "b".repeat(5000), "authorization: one"));
    const response = await refused.response();
    t.equal(response.status, 503);
    t.equal(response.headers["retry-after"], "1");
    envelope(t, response, "unavailable");
    await refused.untilClosed();
    await other.send(post("/other", "c".repeat(9000), "authorization: two"));
    t.equal(JSON.parse((await other.response()).body).text.length, 9000);
    await patient.send(request.slice(-1));
    t.equal(JSON.parse((await patient.response()).body).text.length, 19_000);
    t.equal(server.stats().bufferedBytes, 0);
  });

  t.test(
    "token - while it is looked up, no more of the body is kept than was read with the head",
    async (t) => {
      const answers: Array<(refusal: HttpResponse | undefined) => void> = [];
      const admit = () => new Promise<HttpResponse | undefined>((resolve) => answers.push(resolve));
      const { connect, handled, server } = await serve(t, adapter, { api: { admit } });
      const unread = Buffer.alloc(6 * MIB, "x");
      const [right, wrong] = [await connect(), await connect()];
      for (const connection of [right, wrong]) {
        await connection.send(head("POST /", `content-length: ${unread.length}`));
      }
      await waitFor(() => answers.length === 2, { message: "both wait for their look-up" });
      const sent = Promise.all([right.send(unread), wrong.send(unread)]);
      // The kernel buffers some MiB, and then the senders wait.
      await waitFor(async () => (await isStill(() => right.unsent)) && (await isStill(() => wrong.unsent)), {
        message: "the senders wait",
      });
      t.ok(server.stats().bufferedBytes <= MIB, `${server.stats().bufferedBytes} bytes are kept`);
      t.strictSame(handled, []);
      answers[0]?.(undefined);
      answers[1]?.(errorResponse({ code: "authentication_error", message: "no" }, "0".repeat(32)));
      t.equal(JSON.parse((await right.response()).body).text.length, unread.length);
      const refused = await wrong.response();
      t.equal(refused.status, 401);
      await sent;
      t.notOk(wrong.wasReset, "a client that sends everything before it reads gets its answer");
      t.equal(handled.length, 1);
      t.equal(server.stats().bufferedBytes, 0);
    },
  );

  t.test("memory - a body that was handed over is not kept until its answer", async (t) => {
    const bodies: WeakRef<Uint8Array>[] = [];
    const answers: Array<(response: HttpResponse) => void> = [];
    const handle = (_request: unknown, body: Uint8Array, respond: (response: HttpResponse) => void) => {
      bodies.push(new WeakRef(body));
      answers.push(respond);
    };
    const { connect } = await serve(t, adapter, { api: { handle } });
    const connection = await connect();
    await connection.send(post("/", "x".repeat(MIB)));
    await waitFor(() => answers.length === 1, { message: "it is not handed over" });
    const isGone = () => {
      collectGarbage();
      return bodies[0]?.deref() === undefined;
    };
    await waitFor(isGone, { message: "the body is kept" });
    answers[0]?.({ status: 200, body: "{}" });
    t.equal((await connection.response()).status, 200);
  });

  t.test("slow - a body that trickles is given up after the time for a request", async (t) => {
    const { connect, handled, server } = await serve(t, adapter, { limits: { requestReceiveMs: 1_000 } });
    const connection = await connect();
    await connection.send(post("/", "x".repeat(100_000)).slice(0, 200));
    const trickle = setInterval(() => void connection.send("x"), 50);
    t.teardown(() => clearInterval(trickle));
    t.match(envelope(t, await connection.response(), "bad_request").message, /within 1000 ms/);
    await connection.untilClosed();
    t.strictSame(handled, []);
    t.match(server.stats(), { inFlight: 0, bufferedBytes: 0 });
  });
});

/** Whether a value stays the same for some turns of the event loop. */
async function isStill(value: () => number): Promise<boolean> {
  const before = value();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return value() === before;
}
