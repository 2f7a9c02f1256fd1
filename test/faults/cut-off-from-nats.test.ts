import t from "tap";
import { PublisherClient, readMetric, startPipeline, TcpProxy, testServers, waitFor } from "#test-support";
import { makeEvents } from "./publisher-scene.ts";

/**
 * The locks of partitions are in PostgreSQL, which the process still reaches: it would keep its partitions for
 * as long as it is cut off from NATS, and nobody would read them.
 */
t.test("an ingest process that is cut off from NATS leaves its partitions to the other one", async (t) => {
  const { natsUrl } = await testServers();
  const proxy = await TcpProxy.start(natsUrl);
  t.teardown(() => proxy.close());
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "2" }, begin: ["edge"] });
  t.teardown(() => pipeline.stop());
  const first = await pipeline.start("ingest", { NATS_URL: proxy.through(natsUrl) });
  const second = await pipeline.start("ingest");
  const owned = async () => [
    await readMetric(first, "stampede_partitions_owned"),
    await readMetric(second, "stampede_partitions_owned"),
  ];
  const share = (counts: string, message: string) =>
    waitFor(async () => String(await owned()) === counts, { message, deadlineMs: 60_000 });
  await share("1,1", "they do not share");
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("cut off")) as [string];
  const events = () => [0, 1].flatMap((partition) => makeEvents(member, partition, 1));
  t.match(await client.ingest(events()), { status: 200 });

  proxy.refuse();
  await share("0,2", "nobody reads the partition of the process that is cut off");
  t.match(await client.ingest(events()), { status: 200 });

  proxy.thaw();
  await share("1,1", "it gets no share when it is back");
  t.match(await client.ingest(events()), { status: 200 });
});
