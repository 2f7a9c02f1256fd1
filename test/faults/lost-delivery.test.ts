import t from "tap";
import { makeEvent, waitFor } from "#test-support";
import { startProxiedIngest } from "./proxied-ingest.ts";

/**
 * If a broken connection loses messages that the server has sent, they must come again before newer ones:
 * otherwise a reversal would overtake its clearing.
 */
t.test("messages lost with a connection to NATS are handled before newer ones", async (t) => {
  const { pipeline, client, member, ingest, proxy } = await startProxiedIngest(t);
  const event = makeEvent(member);
  t.match(await client.ingest([event]), { status: 200, body: { created: 1 } });

  proxy.freezeServer();
  const cleared = { ...event, cleared_at: "2026-03-02T10:00:00Z" };
  t.match(await client.ingest([cleared], { prefer: "respond-async" }), { status: 202 });
  proxy.cut();
  proxy.thaw();
  await waitFor(() => ingest.output().includes("nats reconnected"), { message: "ingest did not reconnect" });

  const reverted = { ...event, reverted_at: "2026-03-03T10:00:00Z" };
  // The outcome may take longer than an answer waits: ingest has just connected again.
  const { body } = await client.ingest([reverted], { prefer: "respond-async" });
  t.match(await client.batchOf(body.batch_id), { rejected: [{ reason: "invalid_transition" }] });
  const [row] = await pipeline.store<{ state: string }[]>`
    select state from transactions where external_id = ${event.external_id}`;
  t.equal(row?.state, "cleared");
});

/**
 * Happened before there was a position: the client had reset its connection, but the server did not know of
 * it and still sent messages to the requests of the old inbox. They came again 30 s later, behind newer ones.
 */
t.test(
  "a half-open connection to NATS takes no message, which would come again behind later ones",
  async (t) => {
    const { pipeline, client, member, ingest, proxy } = await startProxiedIngest(t);
    const event = makeEvent(member);
    t.match(await client.ingest([event]), { status: 200, body: { created: 1 } });

    // The server still sees its old client ask for messages, and sends it these.
    proxy.freeze();
    const first = { ...event, cleared_at: "2026-03-02T10:00:00Z", amount: 111, currency: "EUR" };
    t.match(await client.ingest([first], { prefer: "respond-async" }), { status: 202 });
    proxy.cutClient();
    proxy.thaw();
    await waitFor(() => ingest.output().includes("nats reconnected"), {
      message: "ingest did not reconnect",
    });
    const second = { ...first, cleared_at: "2026-03-03T10:00:00Z", amount: 222 };
    const { body } = await client.ingest([second], { prefer: "respond-async" });
    t.match(await client.batchOf(body.batch_id), {
      accepted: 1,
      ignored: [{ index: 0, fields: ["amount", "cleared_at"] }],
    });
    const [row] = await pipeline.store<{ amount: number }[]>`
    select amount from transactions where external_id = ${event.external_id}`;
    t.equal(row?.amount, 111);
  },
);
