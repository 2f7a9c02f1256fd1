import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { FLOW } from "#contract";
import { connectStream, readStreamState } from "#nats";
import { createLog } from "#runtime";
import { makeEvent, PublisherClient, privatePostgres, startPipeline, waitFor } from "#test-support";

t.setTimeout(300_000);

const MAX_BYTES = 4 * 2 ** 20;

t.test(
  "while PostgreSQL is away, what streams keep makes room: they refuse nothing before they are full of what is not done",
  async (t) => {
    const postgres = await privatePostgres();
    t.teardown(() => postgres.remove());
    const pipeline = await startPipeline({
      databaseUrl: await postgres.databaseUrl(),
      env: {
        STAMPEDE_PARTITIONS: "1",
        STAMPEDE_REPLAY_MINUTES: "60",
        STAMPEDE_STREAM_MAX_BYTES: String(MAX_BYTES),
        STAMPEDE_LINK_MAX_BYTES: String(2 * MAX_BYTES),
      },
    });
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [member] = (await client.enrol("patient")) as [string];
    const { natsUrl: url, streamPrefix: prefix } = pipeline;
    const stream = await connectStream({
      url,
      name: "test",
      prefix,
      log: createLog({ service: "test", level: "fatal" }),
    });
    t.teardown(() => stream.close());
    const state = () => readStreamState(stream, FLOW.ingest, 0);
    const accepted: string[] = [];
    const send = async () => {
      const events = Array.from({ length: 200 }, () => makeEvent(member));
      const { status } = await client.ingest(events, { prefer: "respond-async" });
      if (status === 202) accepted.push(...events.map(({ external_id }) => external_id));
      return status;
    };
    while ((await state()).bytes < 0.45 * MAX_BYTES) t.equal(await send(), 202);
    const appliedAll = async () => {
      const [{ count }] = await pipeline.store<
        [{ count: number }]
      >`select count(*)::int as count from transactions`;
      return count === accepted.length;
    };
    await waitFor(appliedAll, { message: "they are not applied" });
    const { last: done, first } = await state();
    t.equal(first, 1, "all of them are kept");

    await postgres.stop();
    await waitFor(() => /partition ownership is unknown/.test(pipeline.ingest.output()), {
      message: "it does not notice",
    });
    // Slowly: room is made once a second or so, and a quarter of this small stream is soon full.
    while ((await send()) === 202) await delay(300);
    const { messages, last, bytes } = await state();
    // Ingest looks once a second: of what it did in its last one it may not have said so.
    const share = (last - done) / messages;
    t.ok(
      share > 0.65,
      `${share} of ${bytes} bytes are not done, and without room for them no more than 0.55 would be`,
    );

    await postgres.start();
    await waitFor(appliedAll, { message: "what was accepted is not applied", deadlineMs: 60_000 });
  },
);
