import { randomUUID } from "node:crypto";
import t from "tap";
import { FLOW } from "#contract";
import { publishOrThrow, subjectName } from "#nats";
import { PlatformLink } from "./platform-link.ts";
import { startPipeline } from "./start-pipeline.ts";

t.test(
  "platform link - regression: a node that was cut off answered for a stream, and messages that it did not know counted as done",
  async (t) => {
    const pipeline = await startPipeline();
    t.teardown(() => pipeline.stop());
    const link = await PlatformLink.open(pipeline);
    t.teardown(() => link.close());
    const hop = FLOW.platformTransactions;
    t.ok(await link.isEmpty(hop));
    const { stream } = link;
    await publishOrThrow(stream, { subject: subjectName(stream, hop, 0), payload: "{}", id: randomUUID() });
    t.notOk(await link.isEmpty(hop), "no platform reads it");
    const { streams } = stream.manager;
    const info = streams.info.bind(streams);
    streams.info = async (name) => {
      const answer = await info(name);
      const replicas = ["n0", "n1", "n2"].map((name) => ({
        name,
        current: false,
        offline: false,
        active: 0,
        lag: 0,
      }));
      return { ...answer, state: { ...answer.state, messages: 0, last_seq: 0 }, cluster: { replicas } };
    };
    await t.rejects(link.isEmpty(hop), { message: /another node than its leader answered/ });
  },
);
