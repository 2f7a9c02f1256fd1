import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { PlatformClient } from "./index.ts";

interface Seen {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly key: string | string[] | undefined;
  readonly body: unknown;
}

/** A platform that gives the scripted answers, one per request; null cuts the connection. */
async function platform(t: Test, answers: ReadonlyArray<object | null>) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const { authorization, "idempotency-key": key } = request.headers;
    seen.push({ path: request.url, authorization, key, body });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    if (answer === null || answer === undefined) request.socket.destroy();
    else reply(response, answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new PlatformClient({ baseUrl, token: "secret" });
  t.teardown(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, seen };
}

function reply(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}

const retailer = { id: "ret_1", name: "A", merchant_ids: ["M1"] };
const payment = {
  payment_id: "p-1",
  identifiers: ["0".repeat(64)],
  amount: 100,
  currency: "EUR",
  paid_at: "2026-01-05T06:00:00Z",
};

t.test("platform client - calls the platform's paths with its token", async (t) => {
  const { client, seen } = await platform(t, [{ accepted: 1 }]);
  t.strictSame(await client.call("payment/ingest", { payments: [payment] }), { accepted: 1 });
  t.strictSame(seen, [
    {
      path: "/platform.v1/payment/ingest",
      authorization: "Bearer secret",
      key: undefined,
      body: { payments: [payment] },
    },
  ]);
});

t.test("platform client - payments are sent again when the connection is lost", async (t) => {
  const { client, seen } = await platform(t, [null, { accepted: 1 }]);
  t.strictSame(await client.call("payment/ingest", { payments: [payment] }), { accepted: 1 });
  t.equal(seen.length, 2);
});

t.test("platform client - an upsert that makes a retailer is repeated under one key", async (t) => {
  const { client, seen } = await platform(t, [null, retailer]);
  const { id: _, ...fresh } = retailer;
  t.strictSame(await client.call("retailer/upsert", fresh), retailer);
  t.equal(seen.length, 2);
  t.match(seen[0]?.key, /^[0-9a-f-]{36}$/);
  t.equal(seen[1]?.key, seen[0]?.key, "or there could be two retailers");
});

for (const route of ["retailer/rotate-token", "retailer/delete", "deal/delete"] as const) {
  t.test(`platform client - ${route} is not repeated: a second one does something else`, async (t) => {
    const { client, seen } = await platform(t, [null, {}]);
    await t.rejects(client.call(route, { id: "ret_1" }), { code: "connection_error" });
    t.equal(seen.length, 1);
  });
}

t.test("platform client - list walks all pages", async (t) => {
  const page = (cursor: string | null) => ({ page_size: 1, cursor, more: cursor !== null });
  const { client, seen } = await platform(t, [
    { data: [{ id: "ret_1" }], page: page("c1") },
    { data: [{ id: "ret_2" }], page: page(null) },
  ]);
  const ids: string[] = [];
  for await (const { id } of client.list("retailer/list")) ids.push(id);
  t.strictSame(ids, ["ret_1", "ret_2"]);
  t.strictSame(
    seen.map(({ body }) => body),
    [{}, { pagination: { cursor: "c1" } }],
  );
});
