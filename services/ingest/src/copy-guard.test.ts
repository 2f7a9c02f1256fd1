import t from "tap";
import { makeEvent, PublisherClient, startPipeline, testServers, waitFor } from "#test-support";

t.setTimeout(120_000);

t.test(
  "copy guard - ingest of another database is kept out while one is at work, and let in when that has stopped",
  async (t) => {
    const original = await startPipeline();
    t.teardown(() => original.stop());
    const client = new PublisherClient(original.edge.url, original.publisher.token);
    const [memberId] = (await client.enrol("ada")) as [string];
    t.equal((await client.ingest([makeEvent(memberId)])).status, 200);

    const databaseUrl = await (await testServers()).databaseUrl();
    const copy = await startPipeline({ databaseUrl, streamPrefix: original.streamPrefix, begin: [] });
    t.teardown(() => copy.stop());
    const drill = await copy.start("ingest");
    await waitFor(() => /of another database own partitions/.test(drill.output()), {
      message: "it is let in",
    });
    t.match(
      (await drill.ops("/readyz?verbose")).body,
      /another database own partitions/,
      "and says why it does nothing",
    );
    for (let n = 0; n < 20; n++) t.equal((await client.ingest([makeEvent(memberId)])).status, 200);
    const [{ count }] = await copy.store<
      [{ count: number }]
    >`select count(*)::int as count from ingest_positions`;
    t.equal(count, 0, "nothing of it came into the copy");

    const second = await original.start("ingest");
    await waitFor(() => /partition gained/.test(second.output()), {
      message: "another of the same is kept out",
    });
    await Promise.all([original.ingest.stop(), second.stop()]);
    await waitFor(() => /partition gained/.test(drill.output()), { message: "it is kept out for ever" });
  },
);
