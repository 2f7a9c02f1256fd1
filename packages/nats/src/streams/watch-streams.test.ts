import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { FLOW, type Hop } from "#contract";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "../connection/connect.ts";
import { publishOrThrow } from "../publish/publish.ts";
import type { PartitionPosition } from "../read/unordered-loop.ts";
import { streamName, subjectName } from "./stream-names.ts";
import { purgeThrough } from "./stream-state.ts";
import { ensureTopology } from "./topology.ts";
import { watchStreams } from "./watch-streams.ts";

const TOPOLOGY = { partitions: 2, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 3 * 1024 * 1024 };
const log = createLog({ service: "test", level: "fatal" });

t.test("streams - waiting messages, their age, the fill, and the number of copies", async (t) => {
  const stream = await setUp(t);
  const hop: Hop = FLOW.outcomes;
  const at = (read: number, done: number) => look(stream, { hops: [hop], position: { read, done } });
  const empty = await at(0, 0);
  t.equal(empty.stampede_stream_messages, 0);
  t.equal(empty.stampede_stream_oldest_message_age_seconds, 0);
  t.equal(empty.stampede_stream_limit_bytes, TOPOLOGY.linkMaxBytes / 2);
  t.equal(empty.stampede_stream_replicas, 1);
  t.equal(empty.stampede_stream_replicas_current, 1);

  for (let n = 0; n < 3; n++) await publish(stream, hop);
  const filled = await at(0, 0);
  t.equal(filled.stampede_stream_messages, 3);
  t.equal(filled.stampede_consumer_pending_messages, 3);
  t.ok(filled.stampede_stream_bytes);

  const read = await at(3, 1);
  t.equal(read.stampede_consumer_pending_messages, 0);
  t.equal(read.stampede_consumer_ack_pending_messages, 2);
  t.equal(read.stampede_consumer_done_sequence, 1);
  await isAgeOf(t, stream, hop, 1, undefined, "the progress is not known");
  await isAgeOf(t, stream, hop, 2, { read: 3, done: 1 }, "the first is done, and not purged yet");
  await purgeThrough(stream, hop, 0, 2);
  await isAgeOf(t, stream, hop, 3, { read: 3, done: 1 }, "an operator has purged one that was not done");
  t.equal((await at(0, 0)).stampede_consumer_pending_messages, 1, "lost messages do not wait");
  await isAgeOf(t, stream, hop, 3, { read: 0, done: 0 }, "reading has started over");
  t.equal((await at(3, 3)).stampede_stream_oldest_message_age_seconds, 0);
});

t.test("streams - how far back they can be read again, and the rest of a replay", async (t) => {
  const stream = await setUp(t);
  const hop: Hop = FLOW.outcomes;
  for (let n = 0; n < 4; n++) await publish(stream, hop);
  const at = (position: PartitionPosition) => look(stream, { hops: [hop], position, replayMinutes: 60 });
  const replay = { through: 4, sinceMs: 1_777_636_800_000 };
  const under = await at({ read: 3, done: 1, replay });
  t.equal(under.stampede_stream_replay_seconds, 3600);
  t.equal(under.stampede_stream_kept_bytes, Math.round((under.stampede_stream_bytes as number) / 4));
  t.equal(under.stampede_stream_replay_messages, 3);
  t.equal(under.stampede_stream_replay_since_timestamp_seconds, 1_777_636_800);
  const over = await at({ read: 4, done: 4, replay });
  t.equal(over.stampede_stream_kept_bytes, over.stampede_stream_bytes, "all is kept");
  t.equal(over.stampede_stream_replay_messages, 0);
  t.equal(over.stampede_stream_replay_since_timestamp_seconds, 0);
  const none = await look(stream, { hops: [hop], position: { read: 4, done: 4 } });
  t.equal(none.stampede_stream_replay_seconds, 0, "without a window");
});

t.test("streams - one without partitions is shown by the owner of the first", async (t) => {
  const stream = await setUp(t);
  const hop: Hop = FLOW.config;
  for (const name of ["program.a", "program.b"]) {
    await publishOrThrow(stream, {
      subject: `${subjectName(stream, hop)}.${name}`,
      payload: "{}",
      id: randomUUID(),
    });
  }
  const done = await look(stream, { hops: [hop], position: { read: 2, done: 2 } });
  t.equal(done.stampede_stream_messages, 2);
  t.equal(done.stampede_stream_oldest_message_age_seconds, 0, "kept messages do not wait");
  t.strictSame(await look(stream, { hops: [hop], partitions: [1] }), {});
});

t.test("streams - dead letters have no consumer, and no consumer metrics", async (t) => {
  const stream = await setUp(t);
  await publish(stream, FLOW.dead);
  const dead = await look(stream, { hops: [], kept: [FLOW.dead], position: { read: 1, done: 1 } });
  t.equal(dead.stampede_stream_messages, 1);
  t.equal(dead.stampede_consumer_pending_messages, undefined);
});

t.test("streams - if a stream cannot be sampled, its last values are shown, with their age", async (t) => {
  const stream = await setUp(t);
  await publish(stream, FLOW.ingest);
  const registry = createRegistry("test", "0");
  const { info } = stream.manager.streams;
  let isSilent = false;
  stream.manager.streams.info = (name) =>
    isSilent ? Promise.reject(new Error("no answer")) : info.call(stream.manager.streams, name);
  const stop = await watchStreams({
    stream,
    hops: [FLOW.ingest],
    partitions: () => [0],
    intervalMs: 20,
    metrics: new MetricFactory(registry),
    log,
  });
  t.teardown(stop);
  const sampleOf = async (name: string) => {
    const line = new RegExp(`^${name}\\{stream="INGEST_0".*\\} (\\S+)$`, "m");
    return Number(line.exec(await registry.metrics())?.[1]);
  };
  isSilent = true;
  await waitFor(async () => (await sampleOf("stampede_stream_sample_age_seconds")) > 0.2, {
    message: "the sample is old",
  });
  t.equal(await sampleOf("stampede_stream_messages"), 1, "and shown all the same");
  isSilent = false;
  await waitFor(async () => (await sampleOf("stampede_stream_sample_age_seconds")) < 0.2, {
    message: "the sample is fresh",
  });
});

t.test("streams - a partition that went to another process is shown no more", async (t) => {
  const stream = await setUp(t);
  const registry = createRegistry("test", "0");
  let owned = [0, 1];
  const stop = await watchStreams({
    stream,
    hops: [FLOW.ingest],
    partitions: () => owned,
    intervalMs: 20,
    metrics: new MetricFactory(registry),
    log,
  });
  t.teardown(stop);
  const shown = async () =>
    [...(await registry.metrics()).matchAll(/stream_messages\{stream="(\w+)"/g)].map(([, name]) => name);
  t.strictSame(await shown(), ["INGEST_0", "INGEST_1"]);
  owned = [1];
  await waitFor(async () => (await shown()).length === 1, { message: "one is shown" });
  t.strictSame(await shown(), ["INGEST_1"]);
});

t.test(
  "streams - how far a partition is done is of the scrape itself, and gone with the partition",
  async (t) => {
    const stream = await setUp(t);
    const registry = createRegistry("test", "0");
    let owned = [0, 1];
    let done = 7;
    const stop = await watchStreams({
      stream,
      hops: [FLOW.outcomes, FLOW.config],
      partitions: () => owned,
      positionOf: (_hop, partition) => (partition === 0 ? { read: 9, done } : undefined),
      metrics: new MetricFactory(registry),
      log,
    });
    t.teardown(stop);
    const shown = async () =>
      [...(await registry.metrics()).matchAll(/done_sequence\{stream="(\w+)",service="test"\} (\d+)/g)].map(
        ([, name, value]) => `${name} ${value}`,
      );
    t.strictSame(
      await shown(),
      ["OUTCOMES_0 7", "CONFIG 7"],
      "of partition 1 it does not know at the moment",
    );
    done = 8;
    t.strictSame(await shown(), ["OUTCOMES_0 8", "CONFIG 8"]);
    owned = [1];
    t.strictSame(await shown(), []);
  },
);

t.test("streams - one that does not answer has no copy in sync, and hides no other", async (t) => {
  const stream = await setUp(t);
  await stream.manager.streams.delete(streamName(stream, FLOW.settlement, 0));
  const registry = createRegistry("test", "0");
  const stop = await watchStreams({
    stream,
    hops: [FLOW.settlement, FLOW.outcomes],
    partitions: () => [0],
    metrics: new MetricFactory(registry),
    log,
  });
  t.teardown(stop);
  const text = await registry.metrics();
  t.match(text, 'stampede_stream_replicas_current{stream="SETTLEMENT_0",service="test"} 0');
  t.match(text, 'stampede_stream_replicas_current{stream="OUTCOMES_0",service="test"} 1');
});

/** Measures the age between two readings of the clock, from the time that the stream gave the message. */
async function isAgeOf(
  t: Test,
  stream: Stream,
  hop: Hop,
  seq: number,
  position: PartitionPosition | undefined,
  why: string,
): Promise<void> {
  const stored = await stream.manager.streams.getMessage(streamName(stream, hop, 0), { seq });
  const since = stored?.time.getTime() as number;
  const atLeast = (Date.now() - since - 1) / 1000;
  const { stampede_stream_oldest_message_age_seconds: age } = await look(stream, { hops: [hop], position });
  const atMost = (Date.now() - since + 1) / 1000;
  t.ok((age as number) >= atLeast && (age as number) <= atMost, `${why}: ${atLeast} <= ${age} <= ${atMost}`);
}

/** Samples the streams of one partition once, and returns the values of the last one by metric. */
async function look(
  stream: Stream,
  what: {
    hops: readonly Hop[];
    kept?: readonly Hop[];
    partitions?: readonly number[];
    position?: PartitionPosition | undefined;
    replayMinutes?: number;
  },
): Promise<Record<string, number | undefined>> {
  const { hops, kept = [], partitions = [0], position, replayMinutes = 0 } = what;
  const registry = createRegistry("test", "0");
  const stop = await watchStreams({
    stream,
    hops,
    kept,
    partitions: () => partitions,
    positionOf: () => position,
    replayMinutes,
    metrics: new MetricFactory(registry),
    log,
  });
  stop();
  const samples = (await registry.metrics()).matchAll(
    /^(stampede_\w+)\{stream="\w+",service="test"\} (\S+)$/gm,
  );
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
}

function publish(stream: Stream, hop: Hop): Promise<void> {
  return publishOrThrow(stream, { subject: subjectName(stream, hop, 0), payload: "{}", id: randomUUID() });
}

async function setUp(t: Test): Promise<Stream> {
  const { natsUrl } = await testServers();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  return stream;
}
