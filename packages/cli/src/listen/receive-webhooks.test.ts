import { randomBytes } from "node:crypto";
import t, { type Test } from "tap";
import { createWebhookSecret } from "#domain";
import { signWebhook } from "#domain/webhooks";
import { answer, type ReceivedRequest, startWebhookReceiver, waitFor } from "#test-support";
import { keptTerminal } from "../test-terminal.ts";
import { type ReceiveRequest, receiveWebhooks } from "./receive-webhooks.ts";

const SECRET = createWebhookSecret(randomBytes(32));
const TEST = { event_id: "evt_1", type: "webhook.test", timestamp: "2026-03-01T10:00:00.000Z" };
const CREATED = {
  event_id: "evt_2",
  type: "cashback.created",
  timestamp: "2026-03-01T10:00:01.000Z",
  transaction_id: "txn_1",
  transaction_ref: "order 7\u009b31m\t",
  amount: 250,
};

/** The running command, with its output captured. */
function start(t: Test, request: Partial<ReceiveRequest> = {}, isTTY = false) {
  const { said, terminal } = keptTerminal(isTTY);
  const controller = new AbortController();
  const running = receiveWebhooks(
    { port: 0, json: false, webhook: { secret: SECRET }, ...request },
    terminal,
    controller.signal,
  );
  const stop = () => {
    controller.abort();
    return running;
  };
  t.teardown(() => stop().catch(() => {}));
  const url = () => waitFor(() => /listening on (\S+?)[; ]/.exec(said.err)?.[1], { message: "it listens" });
  return { said, stop, running, url };
}

function deliver(url: string, events: readonly object[], secret = SECRET): Promise<Response> {
  const body = JSON.stringify({ events });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    "webhook-id": "dlv_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": signWebhook(secret, { id: "dlv_1", timestamp, body }),
  };
  return fetch(url, { method: "POST", headers, body });
}

t.test(
  "listen, receiving - prints a line for each event of a signed delivery, without control characters",
  async (t) => {
    const { said, stop, url } = start(t);
    t.ok((await deliver(await url(), [TEST, CREATED])).ok);
    t.equal(
      said.out,
      '2026-03-01T10:00:00.000Z\twebhook.test\t\t{"event_id":"evt_1"}\n' +
        "2026-03-01T10:00:01.000Z\tcashback.created\torder 7\\u009b31m\\u0009\t" +
        '{"event_id":"evt_2","transaction_id":"txn_1","amount":250}\n',
    );
    await stop();
    await t.rejects(fetch(await url()), "it is gone afterwards");
  },
);

t.test("listen, receiving - types have colours on a terminal only", async (t) => {
  const { said, url } = start(t, {}, true);
  await deliver(await url(), [CREATED]);
  t.match(said.out, "\t\x1b[32mcashback.created\x1b[0m\t");
});

t.test("listen, receiving - with --json each event is an object on one line", async (t) => {
  const { said, url } = start(t, { json: true });
  await deliver(await url(), [TEST, CREATED]);
  t.strictSame(
    said.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [TEST, CREATED],
  );
});

t.test(
  "listen, receiving - a request without a valid signature is refused, reported, and not printed",
  async (t) => {
    const { said, url } = start(t);
    const wrong = await deliver(await url(), [TEST], createWebhookSecret(randomBytes(32)));
    t.equal(wrong.status, 400);
    t.equal((await fetch(await url(), { method: "POST", body: "{}" })).status, 400);
    t.equal((await fetch(await url())).status, 400);
    t.equal(said.out, "");
    t.match(said.err, /refused a request \(signature_mismatch\).*\n.*\(missing_header\)/);
    t.notMatch(said.err, SECRET);
  },
);

t.test("listen, receiving - makes a webhook with a new secret, and removes it at the end", async (t) => {
  const api = await startWebhookReceiver({ script: publisherApi });
  t.teardown(() => api.close());
  const { said, stop, url } = start(t, { webhook: { baseUrl: api.url, token: "token" } });
  const target = await url();
  const made = JSON.parse(api.requests[0]?.body ?? "");
  t.match(made, { url: target, events: { length: 7 }, secret: /^whsec_/ });
  t.match(said.err, /as webhook whk_1,/);
  t.ok((await deliver(target, [TEST], made.secret)).ok);
  t.match(said.out, "webhook.test");
  await stop();
  t.strictSame(
    api.requests.map(({ path }) => path),
    ["/publisher.v1/webhook/create", "/publisher.v1/webhook/delete"],
  );
  t.strictSame(JSON.parse(api.requests[1]?.body ?? ""), { id: "whk_1" });
  t.notMatch(said.out + said.err, made.secret);
});

t.test(
  "listen, receiving - if a webhook cannot be made or removed, the message says what to do",
  async (t) => {
    const api = await startWebhookReceiver({ script: () => refused("bad_request", 400) });
    t.teardown(() => api.close());
    const webhook = { baseUrl: api.url, token: "token" };
    await t.rejects(start(t, { webhook }).running, { code: "bad_request" });
    api.follow((request) =>
      request.path.endsWith("create") ? publisherApi(request) : refused("not_found", 404),
    );
    const gone = start(t, { webhook });
    await gone.url();
    await gone.stop();
    api.follow((request) =>
      request.path.endsWith("create") ? publisherApi(request) : refused("authorization_error", 403),
    );
    const { url, stop } = start(t, { webhook });
    await url();
    await t.rejects(stop(), { name: "CommandError", message: /whk_1 could not be removed.*webhook\/delete/ });
  },
);

t.test("listen, receiving - a taken port and a malformed secret are each reported on one line", async (t) => {
  const { port, close } = await startWebhookReceiver();
  t.teardown(() => close());
  await t.rejects(start(t, { port }).running, { name: "CommandError", message: /port \d+: .*--port/ });
  await t.rejects(start(t, { webhook: { secret: "hunter2" } }).running, { message: /^--secret takes/ });
});

/** The part of the publisher API that the command calls. */
function publisherApi({ path, body }: ReceivedRequest) {
  const headers = { "content-type": "application/json" };
  const made = path.endsWith("create") ? { ...JSON.parse(body), id: "whk_1" } : { id: "whk_1" };
  return answer(200, { headers, body: JSON.stringify(made) });
}

function refused(code: string, status: number) {
  const error = { code, message: "no", data: {}, trace_id: "0" };
  return answer(status, { headers: { "content-type": "application/json" }, body: JSON.stringify({ error }) });
}
