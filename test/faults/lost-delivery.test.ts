import t from "tap";
import { makeEvent, PublisherClient, startPipeline, startTcpProxy, waitFor } from "#test-support";

/**
 * What the server has sent and a broken connection has lost counts as handed out: it would come again after the ack
 * wait, 30 s, while newer messages come at once, and a reversal would overtake its clearing.
 */
t.test("messages lost with a connection to NATS are handled before newer ones", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("overtaken")) as [string];
  await pipeline.ingest.stop();
  const nats = new URL(pipeline.natsUrl);
  const proxy = await startTcpProxy({ host: nats.hostname, port: Number(nats.port) });
  t.teardown(() => proxy.close());
  const proxied = new URL(pipeline.natsUrl);
  proxied.port = String(proxy.port);
  const ingest = await pipeline.start("ingest", { NATS_URL: proxied.href });
  const event = makeEvent(member);
  t.match(await client.ingest([event]), { status: 200, body: { created: 1 } });

  proxy.freezeServer();
  const cleared = { ...event, cleared_at: "2026-03-02T10:00:00Z" };
  t.match(await client.ingest([cleared], { prefer: "respond-async" }), { status: 202 });
  proxy.cut();
  proxy.thaw();
  await waitFor(() => ingest.output().includes("nats reconnected"), { message: "ingest did not reconnect" });

  const reverted = { ...event, reverted_at: "2026-03-03T10:00:00Z" };
  const answer = await client.ingest([reverted]);
  t.match(answer, { status: 409, body: { error: { data: { reason: "invalid_transition" } } } });
  const [row] = await pipeline.store<{ state: string }[]>`
    select state from transactions where external_id = ${event.external_id}`;
  t.equal(row?.state, "cleared");
});
