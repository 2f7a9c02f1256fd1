import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import t, { type Test } from "tap";
import { createWebhookSecret } from "#domain";
import {
  answer,
  inTurn,
  type ReceiverOptions,
  type ReceiverStep,
  selfSignedCertificate,
  startWebhookReceiver,
  waitFor,
} from "#test-support";
import type { SenderOptions } from "./sender.ts";
import { requestTo, SECRET, testSender } from "./test-sender.ts";

/** An attempt that must be made before its time is over, even on a busy machine. */
const SHORT_MS = 2_000;

async function start(t: Test, options: ReceiverOptions = {}, more: Parameters<typeof testSender>[0] = {}) {
  const receiver = await startWebhookReceiver(options);
  const sender = testSender(more);
  t.teardown(async () => {
    sender.close();
    await receiver.close();
  });
  const send = (path = "/hooks") => sender.send(requestTo(receiver.url + path));
  return { receiver, sender, send };
}

/** The result of one attempt at a receiver with this behaviour. */
async function outcomeOf(t: Test, step: ReceiverStep, more: Partial<SenderOptions> = {}) {
  const { receiver, send } = await start(t, { script: () => step }, more);
  const result = await send();
  t.equal(receiver.requests.length, 1);
  await waitFor(() => receiver.open === 0 || result.errorClass === null, {
    message: "a failure ends its connection",
  });
  return result;
}

t.test("sender - its requests pass an independent verifier of Standard Webhooks", async (t) => {
  const { receiver, sender } = await start(t);
  const timestamp = new Date("2026-03-01T10:00:00.999Z");
  const body = JSON.stringify({ events: [{ type: "webhook.test", reason: "päid 🎉" }] });
  const result = await sender.send(requestTo(`${receiver.url}/a/b?tenant=1%202`, { timestamp, body }));
  t.match(result, { status: 200, errorClass: null, answer: "", retryAfterMs: null });
  const [request] = receiver.requests;
  t.match(request, { method: "POST", path: "/a/b?tenant=1%202", body });
  t.match(request?.headers, {
    "content-type": "application/json",
    "user-agent": /^Stampede-Webhooks\//,
    "webhook-id": "dlv_01h455vb4pex5vsknk084sn02q",
    "webhook-timestamp": "1772359200",
    "content-length": String(Buffer.byteLength(body)),
  });
  const headers = request?.headers as Record<string, string>;
  t.equal(
    headers["webhook-signature"],
    new Webhook(SECRET).sign(headers["webhook-id"] ?? "", timestamp, body),
  );
});

t.test("sender - while secrets overlap each of them verifies, and no other does", async (t) => {
  const { receiver, sender } = await start(t);
  const secrets = [1, 2, 3].map(() => createWebhookSecret(randomBytes(32)));
  await sender.send(requestTo(receiver.url, { secrets }));
  const [request] = receiver.requests;
  const headers = request?.headers as Record<string, string>;
  for (const secret of secrets) t.ok(new Webhook(secret).verify(request?.body ?? "", headers));
  t.throws(() => new Webhook(createWebhookSecret(randomBytes(32))).verify(request?.body ?? "", headers));
  t.throws(() => new Webhook(secrets[0] ?? "").verify(`${request?.body} `, headers));
});

t.test("sender - each way to fail has its class", async (t) => {
  for (const [name, step, status, errorClass] of [
    ["3xx", answer(302, { headers: { location: "/elsewhere" } }), 302, "redirect"],
    ["304", answer(304), 304, "redirect"],
    ["4xx", answer(404), 404, "http_4xx"],
    ["410", answer(410), 410, "http_4xx"],
    ["5xx", answer(503), 503, "http_5xx"],
    ["a status that there is not", answer(799), 799, "http_5xx"],
    ["RST before an answer", { kind: "reset" }, null, "connection_reset"],
    ["FIN before an answer", { kind: "half_close" }, null, "connection_reset"],
    ["no HTTP", { kind: "garbage" }, null, "connection_reset"],
    ["a refusal without end", { kind: "endless", status: 400 }, 400, "http_4xx"],
    [
      "headers without end",
      answer(200, { headers: { "x-long": "x".repeat(32_000) } }),
      null,
      "response_too_large",
    ],
  ] as const) {
    t.match(await outcomeOf(t, step), { status, errorClass }, name);
  }
});

t.test(
  "sender - no attempt takes longer than its time, and one that does not end keeps no connection",
  async (t) => {
    const never = new Promise(() => {});
    const attempts = [
      ["no answer", { kind: "hang" }, { status: null, errorClass: "timeout" }],
      ["an answer that waits", answer(200, { after: never }), { status: null, errorClass: "timeout" }],
      [
        "a refusal whose text does not end",
        { kind: "slow", status: 500, everyMs: 20 },
        { status: 500, errorClass: "http_5xx", answer: /^\.+$/ },
      ],
    ] as const;
    await Promise.all(
      attempts.map(async ([name, step, expected]) => {
        const result = await outcomeOf(t, step, { timeoutMs: SHORT_MS });
        t.match(result, expected, name);
        t.ok(result.durationMs >= SHORT_MS - 5, `${name}: ${result.durationMs}`);
      }),
    );
  },
);

t.test("sender - the head of a 2xx is a success, and an unfinished connection is not kept", async (t) => {
  const withBody = "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello";
  const withLength = "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n";
  for (const [name, step, status] of [
    ["RST in the body", { kind: "cut", status: 200 }, 200],
    ["a body without end", { kind: "endless", status: 200 }, 200],
    ["more than 64 KiB", answer(202, { body: "x".repeat(64 * 1024 + 1) }), 202],
    ["a byte now and then", { kind: "slow", status: 201, everyMs: 20 }, 201],
    ["a 204 with a body", { kind: "raw", bytes: withBody }, 204],
    ["a 204 with a content-length", { kind: "raw", bytes: withLength }, 204],
    [
      "a body that is no chunk",
      { kind: "raw", bytes: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n?" },
      200,
    ],
  ] as const) {
    t.match(await outcomeOf(t, step), { status, errorClass: null }, name);
  }
});

t.test(
  "sender - a 2xx of exactly 64 KiB is a success, and its connection serves the next request",
  async (t) => {
    const { receiver, send } = await start(t, {
      script: () => answer(200, { body: "x".repeat(64 * 1024) }),
    });
    for (let i = 0; i < 3; i++)
      t.match(await send(), { status: 200, errorClass: null, answer: "x".repeat(4096) });
    t.equal(receiver.connections, 1);
  },
);

t.test("sender - a closed port, and a name that does not exist, have their classes", async (t) => {
  const sender = testSender({ names: { "empty.example": [], "taken.example": ["127.0.0.1"] } });
  t.teardown(() => sender.close());
  const free = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => free.once("listening", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  for (const [url, errorClass] of [
    [`http://127.0.0.1:${port}/`, "connection_refused"],
    [`https://taken.example:${port}/`, "connection_refused"],
    ["https://missing.example/", "dns_error"],
    ["https://empty.example/", "dns_error"],
  ] as const) {
    t.match(await sender.send(requestTo(url)), { status: null, errorClass, answer: null }, url);
  }
});

t.test("sender - a name server that is silent costs the time of one attempt", async (t) => {
  const sender = testSender({ resolve: () => new Promise(() => {}), timeoutMs: SHORT_MS });
  t.teardown(() => sender.close());
  t.match(await sender.send(requestTo("https://silent.example/")), { status: null, errorClass: "timeout" });
});

t.test("sender - a TLS handshake that is never answered costs the time of one attempt", async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const sender = testSender({ timeoutMs: SHORT_MS });
  t.teardown(() => {
    sender.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  t.match(await sender.send(requestTo(url)), { status: null, errorClass: "timeout" });
  t.equal(sockets.length, 1);
  await waitFor(() => sockets[0]?.resume().closed, { message: "the connection is closed" });
});

t.test("sender - TLS is to the name of the URL, at the address that was checked", async (t) => {
  const certificate = selfSignedCertificate(["hooks.example", "127.0.0.1"]);
  const receiver = await startWebhookReceiver({ certificate });
  const names = { "hooks.example": ["127.0.0.1"], "other.example": ["127.0.0.1"] };
  const trusting = testSender({ names, ca: certificate.cert });
  const strict = testSender({ names });
  t.teardown(async () => {
    trusting.close();
    strict.close();
    await receiver.close();
  });
  const at = (host: string) => requestTo(`https://${host}:${receiver.port}/`);
  t.match(await trusting.send(at("hooks.example")), { status: 200, errorClass: null });
  t.equal(receiver.requests[0]?.headers.host, `hooks.example:${receiver.port}`);
  t.match(await trusting.send(at("127.0.0.1")), { status: 200, errorClass: null });
  t.match(
    await trusting.send(at("other.example")),
    { status: null, errorClass: "tls_error" },
    "another name",
  );
  t.match(
    await strict.send(at("hooks.example")),
    { status: null, errorClass: "tls_error" },
    "nobody vouches for it",
  );
  t.equal(receiver.requests.length, 2);
});

t.test("sender - a certificate that has expired, and a server that speaks no TLS", async (t) => {
  const certificate = selfSignedCertificate(["hooks.example"], new Date(Date.now() - 1000));
  const expired = await startWebhookReceiver({ certificate });
  const plain = await startWebhookReceiver();
  const sender = testSender({ names: { "hooks.example": ["127.0.0.1"] }, ca: certificate.cert });
  t.teardown(async () => {
    sender.close();
    await Promise.all([expired.close(), plain.close()]);
  });
  for (const { port, requests } of [expired, plain]) {
    const result = await sender.send(requestTo(`https://hooks.example:${port}/`));
    t.match(result, { status: null, errorClass: "tls_error" });
    t.equal(requests.length, 0);
  }
});

t.test("sender - retry-after in both forms, from any answer that is no success", async (t) => {
  const now = new Date("2026-03-01T10:00:00Z");
  for (const [status, header, retryAfterMs] of [
    [429, "120", 120_000],
    [429, "Sun, 01 Mar 2026 10:02:30 GMT", 150_000],
    [503, "0", 0],
    [429, "7200", null],
    [429, "later", null],
  ] as const) {
    const step = answer(status, { headers: { "retry-after": header } });
    t.match(await outcomeOf(t, step, { now: () => now }), { status, retryAfterMs }, header);
  }
});

t.test("sender - the answer is kept as text that can be stored, 4 KiB at most", async (t) => {
  for (const [body, kept] of [
    ["accepted", "accepted"],
    ["a\0b", "a\ufffdb"],
    ["ü".repeat(3000), "ü".repeat(2048)],
    [`x${"ü".repeat(3000)}`, `x${"ü".repeat(2047)}`],
    ["🎉".repeat(2000), "🎉".repeat(1024)],
    ["x".repeat(5000), "x".repeat(4096)],
  ] as const) {
    t.equal((await outcomeOf(t, answer(400, { body }))).answer, kept);
  }
});

t.test("sender - one connection for one request after the other, none after a failure", async (t) => {
  const { receiver, send } = await start(t, {
    script: inTurn(
      answer(200),
      answer(204),
      answer(500),
      answer(200),
      answer(200, { headers: { connection: "close" } }),
    ),
  });
  for (let i = 0; i < 6; i++) await send();
  t.strictSame(
    receiver.requests.map(({ connection }) => connection),
    [1, 1, 1, 2, 2, 3],
  );
});

t.test("sender - a kept connection that its server has closed costs no attempt", async (t) => {
  const { receiver, send } = await start(t, { script: inTurn(answer(200), { kind: "reset" }, answer(201)) });
  t.match(await send(), { status: 200 });
  t.match(await send(), { status: 201, errorClass: null }, "repeated immediately, on a new connection");
  const [, second, third] = receiver.requests;
  t.equal(second?.headers["webhook-id"], third?.headers["webhook-id"]);
  receiver.follow(() => ({ kind: "reset" }));
  t.match(await send(), { status: null, errorClass: "connection_reset" }, "once, not for ever");
  t.equal(receiver.requests.length, 5);
});

t.test("sender - requests that hang keep no other of their origin waiting", async (t) => {
  const { receiver, send } = await start(
    t,
    { script: ({ path }) => (path === "/hangs" ? { kind: "hang" } : answer(200)) },
    { timeoutMs: 300_000 },
  );
  const hanging = Array.from({ length: 150 }, () => send("/hangs"));
  await waitFor(() => receiver.requests.length === 150, { message: "all of them are under way together" });
  const others = await Promise.all(Array.from({ length: 50 }, () => send("/fine")));
  t.ok(others.every(({ errorClass }) => errorClass === null));
  await receiver.close();
  t.ok((await Promise.all(hanging)).every(({ errorClass }) => errorClass === "connection_reset"));
});

t.test("sender - a signal cuts an attempt at any point, and nothing stays open", async (t) => {
  const { receiver, sender } = await start(t, { script: () => ({ kind: "hang" }) });
  const controller = new AbortController();
  const sending = sender.send(requestTo(receiver.url), controller.signal);
  await waitFor(() => receiver.requests.length === 1, { message: "it is under way" });
  controller.abort();
  t.match(await sending, { status: null, errorClass: "timeout" });
  t.match(await sender.send(requestTo(receiver.url), controller.signal), { errorClass: "timeout" });
  t.equal(receiver.requests.length, 1, "one that was cut before makes no request");
  await waitFor(() => receiver.open === 0, { message: "its connection is closed" });
});

t.test("sender - closing ends requests under way and idle connections", async (t) => {
  const { receiver, sender, send } = await start(t, {
    script: inTurn(answer(200), answer(200), { kind: "hang" }),
  });
  await Promise.all([send(), send()]);
  const sending = send();
  await waitFor(() => receiver.requests.length === 3, { message: "it is under way" });
  sender.close();
  t.match(await sending, { errorClass: "timeout" });
  await waitFor(() => receiver.open === 0, { message: "no connection is left" });
});

t.test("sender - of a name with several addresses the next one is tried", async (t) => {
  const receiver = await startWebhookReceiver();
  const sender = testSender({ names: { "hooks.example": ["127.0.0.2", "::1", "127.0.0.1"] } });
  t.teardown(async () => {
    sender.close();
    await receiver.close();
  });
  const result = await sender.send(requestTo(`http://hooks.example:${receiver.port}/`));
  t.match(result, { status: 200, errorClass: null });
});
