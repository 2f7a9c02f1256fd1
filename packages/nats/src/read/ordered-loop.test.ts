import t from "tap";
import { FLOW, LIMITS } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { readStreamState } from "../streams/stream-state.ts";
import { ensureTopology } from "../streams/topology.ts";
import { OrderedLoop } from "./ordered-loop.ts";

const HOP = FLOW.ingest;
const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 };

t.test(
  "regression - small messages whose consequences were not published kept the next from being read",
  async (t) => {
    const { natsUrl } = await testServers();
    const log = createLog({ service: "test", level: "fatal" });
    const prefix = isolation();
    const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
    t.teardown(() => stream.close());
    await ensureTopology(stream, TOPOLOGY);
    const { created: streamCreated } = await readStreamState(stream, HOP, 0);
    let letPublish: () => void = () => {};
    const mayPublish = new Promise<void>((resolve) => {
      letPublish = resolve;
    });
    const committed: number[] = [];
    const moved: number[] = [];
    const loop = new OrderedLoop<undefined, { results: { kind: "done" }[]; sequences: number[] }>({
      stream,
      hop: HOP,
      lanes: 1,
      steps: {
        prepare: async () => undefined,
        commit: async ({ messages }) => {
          const sequences = messages.map(({ sequence }) => sequence);
          committed.push(...sequences);
          return { results: messages.map(() => ({ kind: "done" as const })), sequences };
        },
        answer: () => {},
        publish: () => mayPublish,
        move: ({ sequences }) => void moved.push(...sequences),
      },
      observer: { outcome: () => {}, retried: () => {} } as never,
      onLost: () => {},
      onGone: async () => {},
      log,
    });
    t.teardown(() => loop.stop());
    loop.add(0, { after: 0, streamCreated });
    const count = 2 * LIMITS.messagesAhead + 1;
    for (let n = 0; n < count; n++) await stream.jetstream.publish(`${prefix}ingest.0`, "{}");
    await waitFor(() => committed.length === count, { message: "all are committed" });
    t.strictSame(moved, [], "and none of them is done");
    letPublish();
    await waitFor(() => moved.length === count, { message: "all are done" });
    t.strictSame(
      moved.sort((a, b) => a - b),
      committed.map((_, i) => i + 1),
    );
  },
);
