import { setTimeout as delay } from "node:timers/promises";
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

/** A loop over several partitions, whose commits fail if the test says so. */
async function setUpFailing(t: Test, { partitions = 3, lanes = 1 } = {}) {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const prefix = isolation();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { ...TOPOLOGY, partitions });
  const bad = new Set<number>();
  const lost: number[] = [];
  /** Partition and sequence of each message, by attempt and by commit. */
  const tried: string[][] = [];
  const committed: string[][] = [];
  const seen = { underWay: 0, most: 0 };
  /** How long a failing attempt takes. */
  const slow = { ms: 0 };
  let held: Promise<void> | undefined;
  /** Commits of these partitions wait. */
  const stuck = new Map<number, Promise<void>>();
  const loop = new OrderedLoop<undefined, { results: { kind: "done" }[] }>({
    stream,
    hop: HOP,
    lanes,
    steps: {
      prepare: async () => undefined,
      commit: async ({ messages }) => {
        const names = messages.map(({ partition, sequence }) => `${partition}:${sequence}`);
        tried.push(names);
        seen.most = Math.max(seen.most, ++seen.underWay);
        await (held ?? new Promise(setImmediate));
        await Promise.all(messages.map(({ partition }) => stuck.get(partition)));
        if (slow.ms > 0 && messages.some(({ partition }) => bad.has(partition))) await delay(slow.ms);
        seen.underWay--;
        if (messages.some(({ partition }) => bad.has(partition))) throw new Error("it fails");
        committed.push(names);
        return { results: messages.map(() => ({ kind: "done" as const })) };
      },
      answer: () => {},
      publish: async () => {},
      move: () => {},
    },
    observer: { outcome: () => {}, retried: () => {} } as never,
    onLost: (partitions) => void lost.push(...partitions),
    onGone: async () => {},
    log,
  });
  t.teardown(() => loop.stop());
  const add = async (partition: number) => {
    const { created: streamCreated } = await readStreamState(stream, HOP, partition);
    loop.add(partition, { after: 0, streamCreated });
  };
  for (let partition = 0; partition < partitions; partition++) await add(partition);
  const last = new Map<number, number>();
  const publish = async (partition: number) => {
    const { seq } = await stream.jetstream.publish(`${prefix}ingest.${partition}`, "{}");
    last.set(partition, seq);
  };
  /** Publishes a message to each of these while a batch is handled: they make one batch. */
  const publishTogether = async (first: number, ...others: number[]) => {
    let letGo: () => void = () => {};
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    await publish(first);
    await waitFor(() => seen.underWay > 0, { message: "the first is handled" });
    for (const partition of others) await publish(partition);
    const isRead = (partition: number) => loop.feedOf(partition)?.last === last.get(partition);
    await waitFor(() => others.every(isRead), { message: "the others are read" });
    held = undefined;
    letGo();
  };
  const untilCommitted = (...names: string[]) =>
    waitFor(() => names.every((name) => committed.flat().includes(name)), {
      message: `${names} are committed`,
    });
  return {
    loop,
    add,
    bad,
    slow,
    stuck,
    lost,
    tried,
    committed,
    seen,
    publish,
    publishTogether,
    untilCommitted,
  };
}

t.test(
  "regression - a few messages waited for the batch of another partition that kept failing",
  async (t) => {
    const { bad, tried, committed, publish, untilCommitted } = await setUpFailing(t, { lanes: 2 });
    bad.add(0);
    await publish(0);
    await waitFor(() => tried.length > 1, { message: "the batch is tried again" });
    await publish(1);
    await untilCommitted("1:1");
    t.strictSame(committed, [["1:1"]]);
  },
);

t.test(
  "regression - a batch of several partitions kept failing because of one partition's message",
  async (t) => {
    const { bad, tried, committed, publish, publishTogether, untilCommitted } = await setUpFailing(t);
    bad.add(0);
    await publishTogether(2, 1, 0, 1);
    await untilCommitted("2:1", "1:1", "1:2");
    t.match(tried.slice(1, 3), [
      ["1:1", "0:1", "1:2"],
      ["1:1", "0:1", "1:2"],
    ]);
    t.strictSame(committed, [["2:1"], ["1:1", "1:2"]]);
    await publish(0);
    await publish(1);
    await publish(2);
    await untilCommitted("1:3", "2:2");
    bad.clear();
    await untilCommitted("0:2");
    const ofFailed = committed.flat().filter((name) => name.startsWith("0:"));
    t.strictSame(ofFailed, ["0:1", "0:2"], "in order, once");
    await publishTogether(2, 0, 1);
    await untilCommitted("1:4");
    t.strictSame(committed.at(-1), ["0:3", "1:4"], "and then as usual");
  },
);

t.test("regression - as many failing partitions as lanes stopped all others", async (t) => {
  const { bad, tried, publish, untilCommitted } = await setUpFailing(t, { partitions: 4, lanes: 2 });
  for (const partition of [0, 1, 2]) {
    bad.add(partition);
    await publish(partition);
  }
  const isTried = (partition: number) => tried.flat().filter((name) => name === `${partition}:1`).length > 1;
  await waitFor(() => [0, 1, 2].every(isTried), { message: "each is tried again" });
  await publish(3);
  await untilCommitted("3:1");
});

t.test("regression - failing partitions whose attempts take long left no lane to the others", async (t) => {
  const failing = [0, 1, 2, 3, 4, 5];
  const { bad, slow, tried, publish, untilCommitted } = await setUpFailing(t, { partitions: 7, lanes: 1 });
  slow.ms = 300;
  for (const partition of failing) {
    bad.add(partition);
    await publish(partition);
  }
  const isTried = (partition: number) => tried.flat().filter((name) => name === `${partition}:1`).length > 1;
  await waitFor(() => failing.every(isTried), { message: "each is tried again" });
  const tries = tried.length;
  await publish(6);
  await untilCommitted("6:1");
  const before = tried.findIndex((names) => names.includes("6:1")) - tries;
  t.ok(before <= 2, `it waits for ${before} attempts of the others`);
});

t.test("ordered loop - while everything fails, no more batches are tried at a time than lanes", async (t) => {
  const { bad, tried, committed, seen, publishTogether, untilCommitted } = await setUpFailing(t, {
    partitions: 6,
    lanes: 2,
  });
  const all = [0, 1, 2, 3, 4, 5];
  for (const partition of all) bad.add(partition);
  await publishTogether(0, ...all.slice(1), ...all.slice(1));
  const isAlone = (partition: number) =>
    tried.some((names) => names.every((name) => name[0] === `${partition}`));
  await waitFor(() => all.every(isAlone), { message: "each partition is tried alone" });
  bad.clear();
  await untilCommitted("0:1", ...all.slice(1).map((partition) => `${partition}:2`));
  t.equal(seen.most, 2);
  t.strictSame(
    committed.flat().sort(),
    ["0:1", ...all.slice(1).flatMap((partition) => [`${partition}:1`, `${partition}:2`])],
    "each once",
  );
});

t.test(
  "regression - no partition was handed over while a batch kept failing, not even to a process that could handle it",
  async (t) => {
    const { loop, bad, lost, tried, publish, publishTogether, untilCommitted } = await setUpFailing(t);
    bad.add(0);
    await publishTogether(2, 0, 1);
    await untilCommitted("1:1");
    await waitFor(() => tried.filter(([name]) => name === "0:1").length > 3, {
      message: "it is tried again",
    });
    await loop.remove(2, true);
    await loop.remove(0, true);
    t.equal(loop.held, 0, "its messages are the next owner's");
    const tries = tried.length;
    await publish(1);
    await untilCommitted("1:2");
    t.equal(tried.length, tries + 1, "and are tried no more");
    t.strictSame(lost, []);
  },
);

t.test("regression - a partition whose batch waited for a lane was kept until it had one", async (t) => {
  const { loop, bad, stuck, tried, seen, publish, untilCommitted } = await setUpFailing(t);
  let letGo: () => void = () => {};
  stuck.set(1, new Promise((resolve) => (letGo = resolve)));
  t.teardown(() => letGo());
  bad.add(0);
  await publish(0);
  await waitFor(() => tried.length > 0, { message: "it fails" });
  await publish(1);
  await waitFor(() => tried.flat().includes("1:1"), { message: "another one has the lane" });
  let isRemoved = false;
  const removed = loop.remove(0, true).then(() => (isRemoved = true));
  await waitFor(() => isRemoved, { message: "it is handed over meanwhile" });
  t.equal(loop.held, 1, "only the message of the other one");
  letGo();
  await removed;
  await publish(1);
  await publish(2);
  await untilCommitted("1:1", "1:2", "2:1");
  t.equal(seen.most, 1);
});

t.test(
  "ordered loop - a failing batch of a partition that is taken over again is left to the new reading",
  async (t) => {
    const { loop, add, bad, lost, tried, committed, publishTogether, untilCommitted } = await setUpFailing(t);
    bad.add(0);
    await publishTogether(2, 0, 1);
    await waitFor(() => tried.length > 1, { message: "it is tried" });
    await loop.remove(0, false);
    await add(0);
    bad.clear();
    await untilCommitted("0:1", "1:1");
    t.strictSame(committed.flat().sort(), ["0:1", "1:1", "2:1"], "each once");
    t.strictSame(lost, []);
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
