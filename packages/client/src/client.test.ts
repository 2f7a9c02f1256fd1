import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import {
  type ClientOptions,
  type FailureCode,
  type Retry,
  StampedeClient,
  StampedeError,
  type TransactionEvent,
} from "./index.ts";
import { backoffMs } from "./retry.ts";

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

interface Seen {
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** A service that gives the scripted replies, one per request; the last one answers all further requests. */
async function misbehaving(t: Test, replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({
      path: request.url,
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    const reply = replies[Math.min(seen.length, replies.length) - 1] as Reply;
    reply(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new StampedeClient({ baseUrl, token: "secret", ...options });
  t.teardown(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, seen, server, baseUrl };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const refusal = (status: number, code: string, data: object = {}, headers: Record<string, string> = {}) =>
  json(status, { error: { code, message: `it is ${code}`, data, trace_id: "0af7" } }, headers);
const hangUp: Reply = (_, request) => request.socket.destroy();
const cutShort: Reply = (response, request) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"status":', () => request.socket.destroy());
};

const processed = { status: "processed", accepted: 1, created: 1, updated: 0, unchanged: 0 };
const memberbase = { id: "mb_1", name: "demo", created_at: "", updated_at: "" };
const event: TransactionEvent = {
  member_id: "m_1",
  external_id: "tx-1",
  auth_code: "A1",
  network: "visa",
  bin: "411111",
  merchant_id: "M1",
  authed_at: "2026-01-01T00:00:00Z",
};

t.test("call - posts JSON with the token, below a base url that has a path", async (t) => {
  const { seen, baseUrl } = await misbehaving(t, [json(200, memberbase)]);
  const behind = new StampedeClient({ baseUrl: `${baseUrl}/loyalty/`, token: "secret" });
  t.teardown(() => behind.close());
  t.strictSame(await behind.call("member-base/get", { id: "mb_1" }), memberbase);
  t.match(seen, [
    {
      path: "/loyalty/publisher.v1/member-base/get",
      headers: { authorization: "Bearer secret", "content-type": "application/json" },
      body: { id: "mb_1" },
    },
  ]);
});

t.test("call - a refusal is a StampedeError with everything that the answer says", async (t) => {
  const { client, seen } = await misbehaving(t, [refusal(404, "not_found", { resource: "member" })]);
  const error = await client.getMember({ id: "m_9" }).catch((error: unknown) => error);
  t.type(error, StampedeError);
  t.match(error, {
    code: "not_found",
    status: 404,
    message: "it is not_found",
    data: { resource: "member" },
    traceId: "0af7",
  });
  t.equal(seen.length, 1, "a final refusal is not repeated");
});

t.test("call - an answer that is not the API's is told apart from the API's own", async (t) => {
  const page: Reply = (response) => response.writeHead(500, { "x-trace-id": "beef" }).end("<h1>oops</h1>");
  const { client } = await misbehaving(t, [page]);
  await t.rejects(client.getMember({ id: "m_1" }), {
    code: "unexpected_answer",
    status: 500,
    traceId: "beef",
  });
});

t.test("call - 200 without JSON is no success", async (t) => {
  const { client } = await misbehaving(t, [(response) => response.writeHead(200).end("<html>")]);
  await t.rejects(client.getMember({ id: "m_1" }), { code: "unexpected_answer", status: 200 });
});

const troubles: ReadonlyArray<[string, Reply, { code: FailureCode; status: number }]> = [
  ["503", refusal(503, "unavailable", {}, { "retry-after": "0" }), { code: "unavailable", status: 503 }],
  ["429", refusal(429, "rate_limited"), { code: "rate_limited", status: 429 }],
  [
    "502 of a gateway",
    (r) => r.writeHead(502).end("bad gateway"),
    { code: "unexpected_answer", status: 502 },
  ],
  ["a connection closed without an answer", hangUp, { code: "connection_error", status: 0 }],
  ["an answer cut in the middle", cutShort, { code: "connection_error", status: 0 }],
];
for (const [name, trouble, error] of troubles) {
  t.test(`ingest - is repeated after ${name}`, async (t) => {
    const retries: Retry[] = [];
    const { client, seen } = await misbehaving(t, [trouble, json(200, processed)]);
    const result = await client.ingest([event], { onRetry: (retry) => retries.push(retry) });
    t.strictSame(result, processed);
    t.strictSame(seen[1]?.body, seen[0]?.body);
    t.match(retries, [{ attempt: 1, error }]);
  });

  t.test(`create - is repeated after ${name}, under one key that the client makes`, async (t) => {
    const { client, seen } = await misbehaving(t, [trouble, json(200, memberbase)]);
    t.strictSame(await client.createMemberbase("demo"), memberbase);
    const [key, ...more] = seen.map(({ headers }) => headers["idempotency-key"]);
    t.match(key, /^[0-9a-f-]{36}$/);
    t.strictSame(more, [key]);
    await client.createMemberbase("demo");
    t.not(seen.at(-1)?.headers["idempotency-key"], key, "another call is another create");
  });

  t.test(`a write without a key is not repeated after ${name}`, async (t) => {
    const { client, seen } = await misbehaving(t, [trouble, json(200, {})]);
    await t.rejects(client.call("webhook/rotate-secret", { id: "whk_1" }), error);
    t.equal(seen.length, 1);
  });
}

t.test("create - is repeated with an idempotency key, under the same key", async (t) => {
  const { client, seen } = await misbehaving(t, [hangUp, json(200, memberbase)]);
  t.strictSame(await client.createMemberbase("demo", { idempotencyKey: "k-1" }), memberbase);
  t.strictSame(
    seen.map(({ headers }) => headers["idempotency-key"]),
    ["k-1", "k-1"],
  );
});

t.test("create - asks again while the service works on its first attempt", async (t) => {
  const { client, seen } = await misbehaving(t, [
    cutShort,
    refusal(409, "conflict", { reason: "in_progress" }),
    json(200, memberbase),
  ]);
  t.strictSame(await client.createMemberbase("demo", { idempotencyKey: "k-1" }), memberbase);
  t.equal(seen.length, 3);
});

t.test("create - a key that served another request is a conflict at once", async (t) => {
  const { client, seen } = await misbehaving(t, [
    refusal(409, "conflict", { reason: "idempotency_key_reused" }),
  ]);
  await t.rejects(client.createMemberbase("demo", { idempotencyKey: "k-1" }), { code: "conflict" });
  t.equal(seen.length, 1);
});

t.test("a key does not make a call repeatable on a route that does not honour it", async (t) => {
  const { client, seen } = await misbehaving(t, [hangUp, json(200, {})]);
  const call = client.call("webhook/rotate-secret", { id: "whk_1" }, { idempotencyKey: "k-1" });
  await t.rejects(call, { code: "connection_error" });
  t.equal(seen.length, 1);
});

t.test("retry - goes on until its time is over, and throws the last error", async (t) => {
  const { client, seen } = await misbehaving(t, [refusal(503, "unavailable")], { retryForMs: 3_000 });
  await t.rejects(client.ingest([event]), { code: "unavailable" });
  const attempts = seen.length;
  t.ok(attempts > 1, "the first wait is far shorter than that");
  await t.rejects(client.ingest([event], { retryForMs: 0 }), { code: "unavailable" });
  t.equal(seen.length, attempts + 1, "no time is one attempt");
});

t.test("retry - outlasts many failures", async (t) => {
  const busy = Array.from({ length: 5 }, () => refusal(503, "unavailable"));
  const { client, seen } = await misbehaving(t, [...busy, json(200, processed)]);
  t.strictSame(await client.ingest([event]), processed);
  t.equal(seen.length, 6);
});

t.test("retry - waits for a service that does not run yet", async (t) => {
  const { server, client, baseUrl } = await misbehaving(t, [json(200, processed)]);
  await new Promise((resolve) => server.close(resolve));
  const retries: Retry[] = [];
  const call = client.ingest([event], {
    onRetry: (retry) => {
      retries.push(retry);
      if (retries.length === 2) server.listen(Number(new URL(baseUrl).port), "127.0.0.1");
    },
  });
  t.strictSame(await call, processed);
  t.match(retries[0]?.error, { code: "connection_error", message: /ECONNREFUSED/ });
});

t.test("retry - events whose fate the service does not know are sent again", async (t) => {
  const unknown = refusal(500, "internal_error", { batch_id: "batch_1" });
  const { client, seen } = await misbehaving(t, [unknown, json(200, processed)]);
  t.strictSame(await client.ingest([event]), processed);
  t.strictSame(seen[1]?.body, seen[0]?.body);
});

t.test("retry - another fault of the service is thrown at once", async (t) => {
  const { client, seen } = await misbehaving(t, [refusal(500, "internal_error")]);
  await t.rejects(client.ingest([event]), { code: "internal_error" });
  t.equal(seen.length, 1);
});

t.test("retry - each wait is random, up to a bound that doubles", async (t) => {
  const longest = [1, 2, 3, 8, 9, 50].map((attempt) => backoffMs(attempt, 1));
  t.strictSame(longest, [100, 200, 400, 12_800, 20_000, 20_000]);
  t.equal(backoffMs(5, 0), 0);
  t.equal(backoffMs(5, 0.5), 800);
});

t.test("retry - waits at least as long as retry-after says", async (t) => {
  const retries: Retry[] = [];
  const busy = refusal(503, "unavailable", {}, { "retry-after": "1" });
  const { client } = await misbehaving(t, [busy, json(200, processed)]);
  await client.ingest([event], { onRetry: (retry) => retries.push(retry) });
  t.ok(retries[0] !== undefined && retries[0].delayMs >= 1000);
});

t.test("retry - if the service asks for a long time, the caller gets the error at once", async (t) => {
  const busy = refusal(429, "rate_limited", {}, { "retry-after": "3600" });
  const { client, seen } = await misbehaving(t, [busy]);
  await t.rejects(client.ingest([event]), { code: "rate_limited", retryAfterSeconds: 3600 });
  t.equal(seen.length, 1);
});

t.test("retry - a service that asks for minutes gets them, up to ten in all", async (t) => {
  const abort = new AbortController();
  const retries: Retry[] = [];
  const onRetry = (retry: Retry) => {
    retries.push(retry);
    abort.abort(new Error("enough seen"));
  };
  const minutes = [9, 11].map((n) => refusal(503, "unavailable", {}, { "retry-after": String(60 * n) }));
  const { client } = await misbehaving(t, minutes);
  await t.rejects(client.ingest([event], { signal: abort.signal, onRetry }), { message: "enough seen" });
  t.ok(retries[0] !== undefined && retries[0].delayMs >= 540_000);
  await t.rejects(client.ingest([event], { onRetry }), { code: "unavailable", retryAfterSeconds: 660 });
  t.equal(retries.length, 1);
});

t.test("retry - an aborted signal ends the waiting", async (t) => {
  const abort = new AbortController();
  const busy = refusal(503, "unavailable", {}, { "retry-after": "20" });
  const { client, seen } = await misbehaving(t, [busy]);
  const reason = new Error("shutting down");
  const call = client.ingest([event], { signal: abort.signal, onRetry: () => abort.abort(reason) });
  t.equal(await call.catch((error: unknown) => error), reason);
  t.equal(seen.length, 1);
});

t.test("close - a call that waits for its next attempt ends with the error of its last", async (t) => {
  const busy = refusal(503, "unavailable", {}, { "retry-after": "20" });
  const { client, seen } = await misbehaving(t, [busy]);
  let closed: Promise<void> | undefined;
  const onRetry = () => {
    closed = client.close();
  };
  await t.rejects(client.ingest([event], { onRetry }), { code: "unavailable" });
  await closed;
  t.equal(seen.length, 1);
});

t.test("close - any number of calls may wait for it, without a warning of a leak", async (t) => {
  const warnings: string[] = [];
  const warn = ({ name }: Error) => warnings.push(name);
  process.on("warning", warn);
  t.teardown(() => process.off("warning", warn));
  const busy = refusal(503, "unavailable", {}, { "retry-after": "20" });
  const calls = 12;
  const { client } = await misbehaving(t, Array(calls).fill(busy));
  let waiting = 0;
  const onRetry = () => {
    waiting += 1;
    if (waiting === calls) setImmediate(() => client.close());
  };
  const all = await Promise.allSettled(
    Array.from({ length: calls }, () => client.ingest([event], { onRetry })),
  );
  t.ok(all.every(({ status }) => status === "rejected"));
  t.strictSame(warnings, []);
});

t.test("close - a call that comes later fails at once", async (t) => {
  const { client, seen } = await misbehaving(t, [json(200, processed)]);
  await client.close();
  const onRetry = () => t.fail("no attempt of a closed client can succeed");
  await t.rejects(client.ingest([event], { onRetry, retryForMs: 200 }), { code: "connection_error" });
  t.equal(seen.length, 0);
});

t.test("timeout - an attempt without an answer is given up", async (t) => {
  const { client } = await misbehaving(t, [() => {}], { timeoutMs: 50, retryForMs: 0 });
  await t.rejects(client.getTransaction("tx-1"), { code: "connection_error", status: 0 });
});

t.test("connection - refused, the error names why", async (t) => {
  const { server, client } = await misbehaving(t, [hangUp], { retryForMs: 0 });
  await new Promise((resolve) => server.close(resolve));
  await t.rejects(client.getTransaction("tx-1"), { code: "connection_error", message: /ECONNREFUSED/ });
});

t.test("ingest - respond-async is asked for by header, and the answer is `accepted`", async (t) => {
  const accepted = { status: "accepted", batch_id: "batch_1", accepted: 1 };
  const { client, seen } = await misbehaving(t, [json(202, accepted), json(200, processed)]);
  t.strictSame(await client.ingest([event], { respondAsync: true }), accepted);
  t.strictSame(await client.ingest([event]), processed);
  t.strictSame(
    seen.map(({ headers }) => headers.prefer),
    ["respond-async", undefined],
  );
});

t.test("ingest - refused events are a result that lists them", async (t) => {
  const rejected = [{ index: 0, external_id: "tx-1", code: "conflict", reason: "invalid_transition" }];
  const data = { reason: "invalid_transition", external_id: "tx-1", accepted: 2, rejected };
  const { client } = await misbehaving(t, [refusal(409, "conflict", data)]);
  t.strictSame(await client.ingest([event]), { status: "rejected", accepted: 2, rejected, trace_id: "0af7" });
});

t.test("ingest - a malformed event is an error: nothing was taken", async (t) => {
  const data = { issues: [{ path: "/events/0/bin", message: "must match" }] };
  const { client } = await misbehaving(t, [refusal(400, "bad_request", data)]);
  await t.rejects(client.ingest([event]), { code: "bad_request", data });
});

t.test("ingest - on request the result has each event's outcome, of rejected ones too", async (t) => {
  const rejected = [{ index: 1, external_id: "tx-2", code: "conflict", reason: "invalid_transition" }];
  const data = { accepted: 1, rejected, outcomes: "cr" };
  const told = { ...processed, outcomes: "c" };
  const { client, seen } = await misbehaving(t, [json(200, told), refusal(409, "conflict", data)]);
  t.strictSame(await client.ingest([event], { outcomes: true }), told);
  t.match(await client.ingest([event], { outcomes: true }), { status: "rejected", outcomes: "cr" });
  t.equal(seen[0]?.headers.prefer, "return=representation");
});

t.test("list - `skip` is for the first page only, and the page size for all", async (t) => {
  const page = (cursor: string | null) =>
    json(200, { data: [memberbase], page: { page_size: 1, cursor, more: cursor !== null } });
  const { client, seen } = await misbehaving(t, [page("c-1"), page(null)]);
  const request = { pagination: { limit: 1, skip: 5 }, filters: [{ key: "name", eq: "demo" }] } as const;
  const found = [];
  for await (const record of client.list("member-base/list", request)) found.push(record);
  t.equal(found.length, 2);
  t.strictSame(
    seen.map(({ body }) => body),
    [request, { ...request, pagination: { limit: 1, cursor: "c-1" } }],
  );
});

t.test("list - asks for a page only when the one before it is used up", async (t) => {
  const page = json(200, { data: [memberbase], page: { page_size: 1, cursor: "c-1", more: true } });
  const { client, seen } = await misbehaving(t, [page]);
  for await (const _ of client.list("loyalty-program/list")) break;
  t.equal(seen.length, 1);
});

t.test("listMemberbases - follows the cursor to the last page", async (t) => {
  const page = (names: string[], cursor: string | null) =>
    json(200, {
      data: names.map((name) => ({ ...memberbase, name })),
      page: { page_size: names.length, cursor, more: cursor !== null },
    });
  const { client, seen } = await misbehaving(t, [page(["a", "b"], "c-1"), page(["c"], null)]);
  const names: string[] = [];
  for await (const { name } of client.listMemberbases()) names.push(name);
  t.strictSame(names, ["a", "b", "c"]);
  t.strictSame(seen[1]?.body, { pagination: { cursor: "c-1" } });
});

t.test("call - the client stops reading an endless answer", async (t) => {
  const chunk = Buffer.alloc(1024 * 1024, " ");
  let sent = 0;
  const endless: Reply = (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = (): void => {
      while (!response.destroyed && sent < 200) {
        sent++;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    more();
  };
  const { client } = await misbehaving(t, [endless]);
  await t.rejects(client.call("member-base/get", { id: "mb_1" }), { code: "unexpected_answer", status: 200 });
  t.ok(sent < 100, `${sent} MiB were sent of 200`);
});

t.test("client - a token with the newline of its file is refused at once", async (t) => {
  const make = (token: string) => new StampedeClient({ baseUrl: "http://127.0.0.1:1", token });
  for (const token of ["secret\n", " secret", "", "sec\u0000ret", "s\u00e9cret"])
    t.throws(() => make(token), { name: "TypeError", message: /trim it/ }, JSON.stringify(token));
});
