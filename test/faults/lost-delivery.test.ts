import t from "tap";
import { makeEvent, waitFor } from "#test-support";
import { startProxiedIngest } from "./proxied-ingest.ts";

/**
 * What the server has sent and a broken connection has lost counts as handed out: it would come again after the ack
 * wait, 30 s, while newer messages come at once, and a reversal would overtake its clearing.
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
  const answer = await client.ingest([reverted]);
  t.match(answer, { status: 409, body: { error: { data: { reason: "invalid_transition" } } } });
  const [row] = await pipeline.store<{ state: string }[]>`
    select state from transactions where external_id = ${event.external_id}`;
  t.equal(row?.state, "cleared");
});
