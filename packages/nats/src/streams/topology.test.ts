import { RetentionPolicy, StorageType, type StreamConfig } from "@nats-io/jetstream";
import t, { type Test } from "tap";
import { FLOW, type Hop, LIMITS } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { streamName, subjectName } from "./stream-names.ts";
import { ensureTopology } from "./topology.ts";

const OPTIONS = { partitions: 2, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 3 * 1024 * 1024 };

t.test("topology - every stream of the flow table, as it says, however many processes make it", async (t) => {
  const stream = await setUp(t);
  await Promise.all(Array.from({ length: 4 }, () => ensureTopology(stream, OPTIONS)));
  for (const hop of Object.values<Hop>(FLOW)) {
    for (const partition of hop.partitioned ? [0, 1] : [0]) {
      const { config } = await stream.manager.streams.info(streamName(stream, hop, partition));
      const { retention, max_bytes, max_age, storage, discard } = config;
      t.match(
        { retention, max_bytes, max_age, storage, discard },
        {
          retention: RetentionPolicy.Limits,
          // All partitions of a link share its room.
          max_bytes: hop.link ? OPTIONS.linkMaxBytes / 2 : OPTIONS.maxBytes,
          max_age: hop.maxAgeMs * 1e6,
          storage: StorageType.File,
          discard: hop === FLOW.dead ? "old" : "new",
        },
        hop.stream,
      );
    }
  }
});

t.test("topology - a stream that is as it should be is left alone, any other is brought to it", async (t) => {
  const stream = await setUp(t);
  await ensureTopology(stream, OPTIONS);
  const updated: string[] = [];
  const { streams } = stream.manager;
  const original = streams.update.bind(streams);
  streams.update = (name: string, config: Partial<StreamConfig> = {}) => {
    updated.push(name);
    return original(name, config);
  };
  await ensureTopology(stream, OPTIONS);
  t.strictSame(updated, []);
  await ensureTopology(stream, { ...OPTIONS, linkMaxBytes: 4 * 1024 * 1024 });
  const links = Object.values<Hop>(FLOW).filter(({ link }) => link);
  t.strictSame(
    updated,
    links.flatMap((hop) => [0, 1].map((partition) => streamName(stream, hop, partition))),
  );
  const { config } = await streams.info(streamName(stream, FLOW.settlement, 1));
  t.equal(config.max_bytes, 2 * 1024 * 1024);
  await ensureTopology(stream, { ...OPTIONS, linkMaxBytes: 1024 });
  const { config: least } = await streams.info(streamName(stream, FLOW.settlement, 1));
  t.equal(least.max_bytes, LIMITS.messageBytesMax, "a message fits in any case");
});

t.test("topology - a stream that was a work queue is not recreated unasked", async (t) => {
  const stream = await setUp(t);
  const hop: Hop = FLOW.platformTransactions;
  const name = streamName(stream, hop, 0);
  const subjects = [subjectName(stream, hop, 0)];
  await stream.manager.streams.add({ name, subjects, retention: RetentionPolicy.Workqueue });
  await stream.jetstream.publish(subjects[0] as string, "kept");
  await t.rejects(ensureTopology(stream, OPTIONS), {
    name: "StartError",
    code: "stream_retention",
    message: new RegExp(`${name} was made by an older release.*: 1$`),
  });
  const { state } = await stream.manager.streams.info(name);
  t.equal(state.messages, 1);
});

t.test("topology - the number of partitions is fixed", async (t) => {
  const stream = await setUp(t);
  await ensureTopology(stream, OPTIONS);
  await t.rejects(ensureTopology(stream, { ...OPTIONS, partitions: 3 }), { code: "partitions_changed" });
});

t.test("topology - no room for a stream names the setting that asks for it", async (t) => {
  const stream = await setUp(t);
  const huge = 2 ** 50;
  await t.rejects(ensureTopology(stream, { ...OPTIONS, linkMaxBytes: huge }), {
    code: "stream_storage",
    message: /PLATFORM_TX_0 of \d+ MiB: .* STAMPEDE_LINK_MAX_BYTES/,
  });
  await t.rejects(ensureTopology(stream, { ...OPTIONS, maxBytes: huge }), {
    code: "stream_storage",
    message: /INGEST_0 of \d+ MiB: .* STAMPEDE_STREAM_MAX_BYTES/,
  });
});

async function setUp(t: Test) {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  return stream;
}
