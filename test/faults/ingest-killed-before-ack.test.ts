import t from "tap";
import { makeEvent, PublisherClient, startPipeline, startTcpProxy, waitFor } from "#test-support";

/**
 * The moment that at-least-once delivery is about: the rows are committed, and the process dies before the stream
 * hears of it. A proxy in front of NATS holds back what ingest says, so the moment lasts as long as the test wants.
 */
t.test(
  "ingest killed -9 between commit and acknowledgement: the event counts once, the caller gets its answer",
  async (t) => {
    const pipeline = await startPipeline();
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [member] = (await client.enrol("fault")) as [string];
    await pipeline.ingest.stop();

    const nats = new URL(pipeline.natsUrl);
    const proxy = await startTcpProxy({ host: nats.hostname, port: Number(nats.port) });
    t.teardown(() => proxy.close());
    const proxied = new URL(pipeline.natsUrl);
    proxied.port = String(proxy.port);
    const victim = await pipeline.start("ingest", { NATS_URL: proxied.href });
    const warmUp = makeEvent(member);
    t.match(await client.ingest([warmUp]), { status: 200, body: { created: 1 } });

    proxy.freezeClient();
    const event = makeEvent(member, { amount: 700, currency: "EUR" });
    const answer = client.ingest([event]);
    const stored = () => pipeline.store`select 1 from transactions where external_id = ${event.external_id}`;
    await waitFor(async () => (await stored()).length === 1, { message: "the event is not committed" });
    await victim.kill();
    await pipeline.start("ingest");

    t.match(await answer, { status: 200, body: { accepted: 1, created: 1, unchanged: 0 } });
    t.equal((await stored()).length, 1);
    t.match(await client.ingest([event]), { status: 200, body: { created: 0, unchanged: 1 } });
  },
);
