import t from "tap";
import { FLOW } from "#contract";
import { connectStream, countConfigMessages, ensureTopology, streamName } from "#nats";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { isolation, programFields, testServers, testStore, waitFor } from "#test-support";
import { createLinkMetrics } from "../metrics.ts";
import { programTable } from "./programs.ts";
import { ConfigurationPublisher } from "./publish-configuration.ts";

const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 24, linkMaxBytes: 2 ** 24 };

t.test(
  "regression - programs and deals were not published while another stream had no room, or no leader",
  async (t) => {
    const store = await testStore();
    const log = createLog({ service: "test", level: "silent" });
    const { natsUrl } = await testServers();
    const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
    t.teardown(() => stream.close());
    await ensureTopology(stream, TOPOLOGY);
    await stream.manager.streams.delete(streamName(stream, FLOW.outcomes, 0));
    const publisher = new ConfigurationPublisher({
      store,
      stream,
      // More than the server's disk has.
      topology: { ...TOPOLOGY, linkMaxBytes: 2 ** 60 },
      assertAlone: async () => {},
      metrics: createLinkMetrics(new MetricFactory(createRegistry("test", "0"))),
      log,
    });
    t.teardown(() => publisher.stop());
    await programTable.create(store, programFields());
    publisher.kick();
    await waitFor(async () => (await countConfigMessages(stream)) === 1, { message: "it is not published" });
  },
);
