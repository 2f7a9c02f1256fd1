import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { StampedeClient } from "../client.ts";
import type { TransactionEvent } from "../generated/publisher-api.ts";
import { testEvent, until } from "./test-ingest.ts";

interface Seen {
  readonly path: string | undefined;
  readonly prefer: string | undefined;
  readonly events: readonly TransactionEvent[];
}

type Reply = (response: ServerResponse, seen: Seen, request: IncomingMessage) => void;

/** A service that gives the scripted replies, one per request; the last one answers all further requests. */
async function service(t: Test, ...replies: readonly Reply[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { events } = JSON.parse(Buffer.concat(chunks).toString());
    const { prefer } = request.headers;
    const one = { path: request.url, prefer: prefer as string | undefined, events };
    seen.push(one);
    (replies[Math.min(seen.length, replies.length) - 1] as Reply)(response, one, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new StampedeClient({ baseUrl, token: "secret" });
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    // A test that is about its failure has heard of it.
    await client.close().catch(() => {});
  });
  return { client, seen };
}

function write(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const created: Reply = (response, { events }) => {
  const count = events.length;
  const counts = { accepted: count, created: count, updated: 0, unchanged: 0 };
  write(response, 200, { status: "processed", ...counts, outcomes: "c".repeat(count) });
};
const hangUp: Reply = (_, __, request) => request.socket.destroy();
const refused =
  (status: number, code: string, data: object = {}): Reply =>
  (response) =>
    write(response, status, { error: { code, message: `it is ${code}`, data, trace_id: "0af7" } });

t.test(
  "stream - asks for each event's outcome, in a body that is made of the events as they are",
  async (t) => {
    const { client, seen } = await service(t, created);
    const stream = client.stream({ maxWaitMs: 0 });
    const event = testEvent("tx-1", {
      statement_descriptor: 'CAFÉ "Ü" \u{1F600}',
      amount: 1250,
      currency: "EUR",
    });
    t.strictSame(await stream.send(event), { outcome: "created" });
    t.strictSame(seen, [
      { path: "/publisher.v1/transaction/ingest", prefer: "return=representation", events: [event] },
    ]);
  },
);

t.test("stream - respondAsync asks not to wait, and the outcome names the batch", async (t) => {
  const { client, seen } = await service(t, (response, { events }) =>
    write(response, 202, { status: "accepted", batch_id: "batch_1", accepted: events.length }),
  );
  const stream = client.stream({ maxWaitMs: 0, respondAsync: true });
  t.strictSame(await stream.send(testEvent("a")), { outcome: "accepted", batch_id: "batch_1" });
  t.equal(seen[0]?.prefer, "respond-async");
});

t.test("stream - a refusal of some events is their outcome, and the others have theirs", async (t) => {
  const rejected = [
    { index: 1, external_id: "b", code: "not_found", reason: "not_found" },
    { index: 2, external_id: "c", code: "conflict", reason: "identity_mismatch", field: "card" },
  ];
  const counts = { accepted: 2, created: 1, updated: 1, unchanged: 0 };
  const data = { reason: "not_found", external_id: "b", ...counts, rejected, outcomes: "crru" };
  const { client, seen } = await service(t, refused(404, "not_found", data));
  const stream = client.stream();
  t.strictSame(await Promise.all(["a", "b", "c", "d"].map((id) => stream.send(testEvent(id)))), [
    { outcome: "created" },
    { outcome: "rejected", code: "not_found", reason: "not_found" },
    { outcome: "rejected", code: "conflict", reason: "identity_mismatch", field: "card" },
    { outcome: "updated" },
  ]);
  t.equal(seen.length, 1);
});

t.test("stream - a path that is not there is no event's fault", async (t) => {
  const { client } = await service(t, refused(404, "not_found", { resource: "path" }));
  await t.rejects(client.stream().send(testEvent("a")), { cause: { code: "not_found", traceId: "0af7" } });
});

t.test(
  "stream - a lost connection, a gateway's answer and a 503 are repeated with the same bytes",
  async (t) => {
    const gateway: Reply = (response) => response.writeHead(502).end("bad gateway");
    const { client, seen } = await service(t, hangUp, gateway, refused(503, "unavailable"), created);
    const stream = client.stream();
    await Promise.all(["a", "b", "a"].map((id) => stream.send(testEvent(id))));
    t.equal(seen.length, 4);
    for (const one of seen) t.strictSame(one, seen[0]);
  },
);

t.test("client.close - delivers what its streams hold", async (t) => {
  const { client, seen } = await service(t, hangUp, created);
  const stream = client.stream({ maxWaitMs: 60_000 });
  await stream.write(testEvent("a"));
  await client.close();
  t.equal(stream.counts.created, 1);
  t.equal(seen.length, 2);
});

t.test("client.close - throws with what a stream could not deliver", async (t) => {
  const { client } = await service(t, refused(401, "authentication_error"));
  await client.stream({ maxWaitMs: 60_000 }).write(testEvent("a"));
  await t.rejects(client.close(), { name: "UndeliveredError", events: [{ external_id: "a" }] });
});

t.test("stream - closing with a time gives open requests up", async (t) => {
  let isGone = false;
  const { client, seen } = await service(t, (_, __, request) => {
    request.socket.once("close", () => {
      isGone = true;
    });
  });
  const stream = client.stream({ maxWaitMs: 0 });
  await stream.write(testEvent("a"));
  await until(() => seen.length === 1);
  await t.rejects(stream.close({ timeoutMs: 1 }), {
    name: "UndeliveredError",
    events: [{ external_id: "a" }],
  });
  await until(() => isGone);
});

t.test("ingestAll - of the client, with its options", async (t) => {
  const { client, seen } = await service(t, created);
  const events = ["a", "b", "c"].map((id) => testEvent(id));
  const outcomes: string[] = [];
  for await (const { outcome } of client.ingestAll(events, { maxEvents: 2 })) outcomes.push(outcome.outcome);
  t.strictSame(outcomes, ["created", "created", "created"]);
  t.equal(seen.length, 2);
});

t.test("members - of the client, by bulk upserts", async (t) => {
  const paths: (string | undefined)[] = [];
  const { client } = await service(t, (response, { path }) => {
    paths.push(path);
    write(response, 200, ["m_1", "m_2"]);
  });
  const members = client.members({ memberBaseId: "mb_1" });
  t.strictSame(await members.resolveAll(["ada", "bob"]), ["m_1", "m_2"]);
  t.strictSame(paths, ["/publisher.v1/member/bulk-upsert"]);
});
