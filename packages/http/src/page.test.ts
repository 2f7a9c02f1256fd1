import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Test } from "tap";
import { request } from "undici";
import { API_HEADERS, type RequestRecord } from "./api.ts";
import { EndpointApi } from "./endpoint-api.ts";
import { createPage } from "./page.ts";
import { createHttpServer } from "./serve-api.ts";
import type { AdapterName } from "./server.ts";
import { TestConnection } from "./test-connection.ts";
import { envelope, head, overBothAdapters } from "./test-server.ts";

const SMALL = "a page";
/**
 * Far more than a socket's buffers hold, and hard to compress: the page arrives in pieces in every encoding.
 */
const MEDIUM = "x".repeat(12 * 1024);
const LARGE = Buffer.alloc(3 * 1024 * 1024);
for (let i = 0, x = 1; i < LARGE.length; i++) {
  x = (Math.imul(x, 1103515245) + 12345) & 0x7fffffff;
  LARGE[i] = x >> 16;
}

async function serve(t: Test, adapter: AdapterName) {
  const records: RequestRecord<never>[] = [];
  const api = new EndpointApi<never>({
    prefix: "/v1/",
    endpoints: [
      {
        route: "thing/get",
        validate: () => true,
        refuseCaller: () => undefined,
        run: () => ({ status: 200, body: "{}" }),
      },
    ],
    pages: new Map([
      [
        "/small",
        createPage({
          label: "pages",
          contentType: "text/plain",
          body: SMALL,
          headers: { "x-own": "1" },
        }),
      ],
      [
        "/named-by-content",
        createPage({ label: "pages", contentType: "text/plain", body: SMALL, isImmutable: true }),
      ],
      ["/medium", createPage({ label: "pages", contentType: "text/plain", body: MEDIUM })],
      ["/large", createPage({ label: "pages", contentType: "image/png", body: LARGE })],
    ]),
    senderOf: () => "",
    authenticate: () => "unknown",
    looksRight: () => true,
    observe: (record) => records.push(record),
    explainFault: () => undefined,
    onFault: (error) => t.fail(String(error)),
  });
  const server = createHttpServer({
    api,
    adapter,
    wantedHeaders: API_HEADERS,
    onNotice: (sentence) => t.fail(sentence),
    onFault: (error) => t.fail(String(error)),
  });
  const port = await server.start({ host: "127.0.0.1", port: 0 });
  t.teardown(() => server.close(0));
  const ask = async (method: "GET" | "HEAD" | "POST", path: string, headers: Record<string, string> = {}) => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, { method, headers });
    return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  return { server, port, ask, records };
}

overBothAdapters((adapter, t) => {
  t.test("page - GET gives it to anyone, HEAD its headers", async (t) => {
    const { ask, records } = await serve(t, adapter);
    const got = await ask("GET", "/small?any=query");
    t.equal(got.statusCode, 200);
    t.equal(got.bytes.toString(), SMALL);
    t.match(got.headers, {
      "content-type": "text/plain",
      "content-length": String(SMALL.length),
      "cache-control": "no-cache",
      vary: "accept-encoding",
      "x-own": "1",
      "x-trace-id": /^[0-9a-f]{32}$/,
      etag: /^"[\w-]{22}"$/,
    });
    const headed = await ask("HEAD", "/small");
    t.equal(headed.statusCode, 200);
    t.equal(headed.bytes.length, 0);
    t.equal(headed.headers["content-length"], String(SMALL.length));
    t.equal(headed.headers.etag, got.headers.etag);
    t.match(records, [
      { route: "pages", status: 200, code: "ok", caller: undefined },
      { route: "pages", status: 200, code: "ok" },
    ]);
  });

  t.test("page - a client that has it already gets 304, without a body", async (t) => {
    const { ask, port } = await serve(t, adapter);
    const { headers } = await ask("GET", "/small");
    const etag = headers.etag as string;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await ask("GET", "/small", { "if-none-match": known });
      t.equal(again.statusCode, 304, known);
      t.equal(again.bytes.length, 0);
      t.equal(again.headers.etag, etag);
      t.equal(again.headers["content-length"], undefined);
      t.equal(again.headers["content-type"], undefined);
    }
    t.equal((await ask("GET", "/small", { "if-none-match": '"other"' })).statusCode, 200);
    t.equal((await ask("GET", "/small", { "if-none-match": etag.replaceAll('"', "") })).statusCode, 200);
    const connection = await TestConnection.open(t, port);
    await connection.send(head("GET /small", `if-none-match: ${etag}`));
    t.equal((await connection.response()).status, 304);
    if (adapter === "uws") {
      await connection.untilClosed();
      t.equal(connection.rest, "", "with nothing after it");
      return;
    }
    // The connection stays open after an answer without a length.
    await connection.send(head("GET /small"));
    t.equal((await connection.response()).body, SMALL);
  });

  t.test("page - a client that accepts compression gets it compressed, under its own tag", async (t) => {
    const { ask } = await serve(t, adapter);
    const plain = await ask("GET", "/large");
    t.equal(plain.headers["content-encoding"], undefined);
    t.ok(plain.bytes.equals(LARGE));
    const tags = new Set([plain.headers.etag]);
    for (const { accepted, encoding, decompress } of [
      { accepted: "gzip", encoding: "gzip", decompress: gunzipSync },
      { accepted: "zstd, GZIP;q=0.5", encoding: "gzip", decompress: gunzipSync },
      { accepted: "gzip , br;q=0", encoding: "gzip", decompress: gunzipSync },
      { accepted: "br", encoding: "br", decompress: brotliDecompressSync },
      { accepted: "gzip, deflate, br, zstd", encoding: "br", decompress: brotliDecompressSync },
    ]) {
      const zipped = await ask("GET", "/large", { "accept-encoding": accepted });
      t.equal(zipped.headers["content-encoding"], encoding, accepted);
      t.ok(decompress(zipped.bytes).equals(LARGE));
      tags.add(zipped.headers.etag);
      const again = await ask("GET", "/large", {
        "accept-encoding": accepted,
        "if-none-match": zipped.headers.etag as string,
      });
      t.equal(again.statusCode, 304);
      t.equal(again.headers["content-encoding"], undefined);
    }
    t.equal(tags.size, 3);
    for (const refused of ["", "zstd", "gzip;q=0", "gzip; q=0.00, br;q=0.0", "identity;q=1, *;q=0"]) {
      const answer = await ask("GET", "/large", { "accept-encoding": refused });
      t.equal(answer.headers["content-encoding"], undefined, refused);
    }
  });

  t.test("page - one with a path that names its content is kept for ever", async (t) => {
    const { ask } = await serve(t, adapter);
    const kept = await ask("GET", "/named-by-content");
    t.match(kept.headers, {
      "cache-control": "max-age=31536000, immutable",
      vary: "accept-encoding",
      etag: undefined,
    });
    t.equal((await ask("GET", "/named-by-content", { "if-none-match": "" })).statusCode, 200);
  });

  t.test("page - it takes no other method, and no other path takes GET", async (t) => {
    const { ask, port, records } = await serve(t, adapter);
    const posted = await ask("POST", "/small");
    t.equal(posted.statusCode, 405);
    t.equal(posted.headers.allow, "GET, HEAD");
    t.equal(JSON.parse(posted.bytes.toString()).error.code, "method_not_allowed");
    const known = await ask("GET", "/v1/thing/get");
    t.equal(known.statusCode, 405);
    t.equal(known.headers.allow, "POST");
    for (const path of [
      "/",
      "/small/",
      "/smal",
      "/small/x",
      "/SMALL",
      "/%73mall",
      "/v1/thing/list",
      "//small",
    ]) {
      t.equal((await ask("GET", path)).statusCode, 404, path);
    }
    const connection = await TestConnection.open(t, port);
    await connection.send(head("DELETE /small"));
    envelope(t, await connection.response(), "method_not_allowed");
    t.strictSame([...new Set(records.map(({ route }) => route))].sort(), ["pages", "thing/get", "unknown"]);
  });

  for (const { path, times, atOnce } of [
    { path: "/large", times: 350, atOnce: 1 },
    { path: "/medium", times: 50, atOnce: 2000 },
  ]) {
    t.test(`page - a client that asks for ${path} and never reads fills no memory`, async (t) => {
      const { server, port } = await serve(t, adapter);
      const before = process.memoryUsage().rss;
      const connection = await TestConnection.open(t, port);
      connection.pause();
      // If the server kept them for the client, they would take a gigabyte.
      for (let i = 0; i < times; i++) await connection.send(head(`GET ${path}`).repeat(atOnce));
      const grown = process.memoryUsage().rss - before;
      t.ok(grown < 200 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more`);
      connection.destroy();
      await server.close(5_000);
      t.equal(server.stats().inFlight, 0);
    });
  }
});
