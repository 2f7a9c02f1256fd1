import { headers } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { readStreamState } from "../streams/stream-state.ts";
import { ensureTopology } from "../streams/topology.ts";
import { OrderedLoop } from "./ordered-loop.ts";

const HOP = FLOW.ingest;
const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 };

/** A loop over one partition, whose batches are published after `letPublish` was called. */
async function setUp(t: Test, answer: () => void = () => {}) {
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
  const batches: number[][] = [];
  const moved: number[] = [];
  const loop = new OrderedLoop<undefined, { results: { kind: "done" }[]; sequences: number[] }>({
    stream,
    hop: HOP,
    lanes: 1,
    steps: {
      prepare: async () => undefined,
      commit: async ({ messages }) => {
        const sequences = messages.map(({ sequence }) => sequence);
        batches.push(sequences);
        return { results: messages.map(() => ({ kind: "done" as const })), sequences };
      },
      answer,
      publish: () => mayPublish,
      move: ({ sequences }) => void moved.push(...sequences),
    },
    observer: { outcome: () => {}, retried: () => {} } as never,
    onLost: () => {},
    onGone: async () => {},
    log,
  });
  t.teardown(() => {
    letPublish();
    return loop.stop();
  });
  const begin = () => loop.add(0, { after: 0, streamCreated });
  const publish = async (count: number, rows = 1) => {
    for (let n = 0; n < count; n++) {
      const fields = headers();
      fields.set(HEADERS.rows, String(rows));
      await stream.jetstream.publish(`${prefix}ingest.0`, "{}", { headers: fields });
    }
  };
  return { stream, loop, begin, publish, letPublish, batches, moved };
}

t.test(
  "regression - small messages with unpublished consequences kept the next ones from being read",
  async (t) => {
    const { begin, publish, letPublish, batches, moved } = await setUp(t);
    begin();
    const count = 2 * LIMITS.messagesAhead + 1;
    await publish(count);
    await waitFor(() => batches.flat().length === count, { message: "all are committed" });
    t.strictSame(moved, [], "and none of them is done");
    letPublish();
    await waitFor(() => moved.length === count, { message: "all are done" });
    t.strictSame(
      moved.sort((a, b) => a - b),
      batches.flat().map((_, i) => i + 1),
    );
  },
);

t.test("ordered loop - a feed's request is sent together with the answers of a single batch", async (t) => {
  const steps: string[] = [];
  const { stream, begin, publish, letPublish, moved } = await setUp(t, () => {
    steps.push("answer");
    // Like a client that was given an answer.
    queueMicrotask(() => steps.push("write"));
  });
  letPublish();
  const { nats } = stream;
  const send = nats.publish;
  nats.publish = (...args) => {
    if (args[0].includes("MSG.NEXT")) steps.push("ask");
    send.apply(nats, args);
  };
  begin();
  for (let n = 1; n <= LIMITS.messagesAhead; n++) {
    await publish(1);
    await waitFor(() => moved.length === n, { message: "it is done" });
  }
  const asks = steps.flatMap((step, i) => (step === "ask" && i > 0 ? [[steps[i - 1], steps[i + 1]]] : []));
  t.ok(asks.length > 0);
  for (const beside of asks) t.strictSame(beside, ["answer", "write"]);
});

t.test(
  "regression - a few messages waited for the batch of another partition that kept failing",
  async (t) => {
    const { natsUrl } = await testServers();
    const log = createLog({ service: "test", level: "fatal" });
    const prefix = isolation();
    const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
    t.teardown(() => stream.close());
    await ensureTopology(stream, { ...TOPOLOGY, partitions: 2 });
    const committed: number[] = [];
    let failures = 0;
    const loop = new OrderedLoop<undefined, { results: { kind: "done" }[] }>({
      stream,
      hop: HOP,
      lanes: 2,
      steps: {
        prepare: async () => undefined,
        commit: async ({ messages }) => {
          if (messages.some(({ partition }) => partition === 0)) throw new Error(`failure ${++failures}`);
          committed.push(...messages.map(({ partition }) => partition));
          return { results: messages.map(() => ({ kind: "done" as const })) };
        },
        answer: () => {},
        publish: async () => {},
        move: () => {},
      },
      observer: { outcome: () => {}, retried: () => {} } as never,
      onLost: () => {},
      onGone: async () => {},
      log,
    });
    t.teardown(() => loop.stop());
    for (const partition of [0, 1]) {
      const { created: streamCreated } = await readStreamState(stream, HOP, partition);
      loop.add(partition, { after: 0, streamCreated });
    }
    await stream.jetstream.publish(`${prefix}ingest.0`, "{}");
    await waitFor(() => failures > 1, { message: "the batch is tried again" });
    await stream.jetstream.publish(`${prefix}ingest.1`, "{}");
    await waitFor(() => committed.length === 1, { message: "the other partition goes on" });
    t.strictSame(committed, [1]);
  },
);

t.test("ordered loop - messages waiting to be published keep their room", async (t) => {
  const { loop, begin, publish, batches } = await setUp(t);
  await publish(LIMITS.messagesAhead + 10, LIMITS.rowsPerBatch / 2);
  begin();
  const read = () => loop.feedOf(0)?.last ?? 0;
  await waitFor(() => batches.length > 1, { message: "the second is committed" });
  const first = batches[0]?.length as number;
  await waitFor(() => read() >= first + LIMITS.messagesAhead, { message: "there is room for more" });
  await publish(1);
  t.equal(read(), first + LIMITS.messagesAhead, "for as many as the first one had");
});
