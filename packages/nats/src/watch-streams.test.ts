import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { FLOW, type Hop } from "#contract";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "./connect.ts";
import { publishOrThrow } from "./publish.ts";
import { streamName, subjectName } from "./stream-names.ts";
import { ensureSharedConsumer, ensureTopology } from "./topology.ts";
import { watchStreams } from "./watch-streams.ts";

const TOPOLOGY = { partitions: 2, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 3 * 1024 * 1024 };
const log = createLog({ service: "test", level: "fatal" });

t.test("streams - what waits, since when, how full, and how many copies there are", async (t) => {
  const stream = await setUp(t);
  const hop: Hop = FLOW.outcomes;
  const consumer = await ensureSharedConsumer(stream, hop, TOPOLOGY);
  const empty = await look(stream, { hops: [hop] });
  t.equal(empty.stampede_stream_messages, 0);
  t.equal(empty.stampede_stream_oldest_message_age_seconds, 0);
  t.equal(empty.stampede_stream_limit_bytes, TOPOLOGY.linkMaxBytes);
  t.equal(empty.stampede_stream_replicas, 1);
  t.equal(empty.stampede_stream_replicas_current, 1);

  for (let n = 0; n < 3; n++) await publish(stream, hop);
  const filled = await look(stream, { hops: [hop] });
  t.equal(filled.stampede_stream_messages, 3);
  t.equal(filled.stampede_consumer_pending_messages, 3);
  t.ok(filled.stampede_stream_bytes);

  const messages = await consumer.fetch({ max_messages: 3, expires: 30_000 });
  const taken = [];
  for await (const message of messages) taken.push(message);
  const [first, second, third] = taken;
  await second?.ackAck();
  const gap = await look(stream, { hops: [hop] });
  t.equal(gap.stampede_stream_messages, 2);
  t.equal(gap.stampede_consumer_pending_messages, 0);
  t.equal(gap.stampede_consumer_ack_pending_messages, 2);
  await isAgeOf(
    t,
    stream,
    hop,
    first?.seq,
    "one in the middle that is done does not make the oldest younger",
  );
  await first?.ackAck();
  await isAgeOf(t, stream, hop, third?.seq, "the gap behind the first is skipped");
  await third?.ackAck();
  t.equal((await look(stream, { hops: [hop] })).stampede_stream_oldest_message_age_seconds, 0);
});

t.test(
  "streams - of one that keeps its messages, the oldest is the first that is not acknowledged",
  async (t) => {
    const stream = await setUp(t);
    const hop: Hop = FLOW.config;
    const consumer = await ensureSharedConsumer(stream, hop, TOPOLOGY);
    const names = ["program.a", "program.b", "program.c"];
    for (const name of names) {
      await publishOrThrow(stream, {
        subject: `${subjectName(stream, hop)}.${name}`,
        payload: "{}",
        id: randomUUID(),
      });
    }
    await isAgeOf(t, stream, hop, 1, "all wait");
    const messages = await consumer.fetch({ max_messages: 3, expires: 30_000 });
    const taken = [];
    for await (const message of messages) taken.push(message);
    await taken[0]?.ackAck();
    await isAgeOf(t, stream, hop, 2, "the first is done, and still there");
    for (const message of taken.slice(1)) await message.ackAck();
    const done = await look(stream, { hops: [hop] });
    t.equal(done.stampede_stream_messages, 3);
    t.equal(done.stampede_stream_oldest_message_age_seconds, 0);
  },
);

t.test("streams - dead letters, which nobody consumes, have no consumer metrics", async (t) => {
  const stream = await setUp(t);
  await publish(stream, FLOW.dead);
  const dead = await look(stream, { hops: [], kept: [FLOW.dead] });
  t.equal(dead.stampede_stream_messages, 1);
  t.equal(dead.stampede_consumer_pending_messages, undefined);
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
  await waitFor(async () => (await shown()).length === 1, { message: "one is shown", deadlineMs: 30_000 });
  t.strictSame(await shown(), ["INGEST_1"]);
});

t.test("streams - one that does not answer has no copy in sync, and hides no other", async (t) => {
  const stream = await setUp(t);
  await ensureSharedConsumer(stream, FLOW.outcomes, TOPOLOGY);
  const registry = createRegistry("test", "0");
  const stop = await watchStreams({
    stream,
    hops: [FLOW.settlement, FLOW.outcomes],
    metrics: new MetricFactory(registry),
    log,
  });
  t.teardown(stop);
  const text = await registry.metrics();
  t.match(text, 'stampede_stream_replicas_current{stream="SETTLEMENT",service="test"} 0');
  t.match(text, 'stampede_stream_replicas_current{stream="OUTCOMES",service="test"} 1');
});

/** Measures the age between two readings of the clock, from the time that the stream gave the message. */
async function isAgeOf(
  t: Test,
  stream: Stream,
  hop: Hop,
  seq: number | undefined,
  why: string,
): Promise<void> {
  const stored = await stream.manager.streams.getMessage(streamName(stream, hop), { seq: seq as number });
  const since = stored?.time.getTime() as number;
  const atLeast = (Date.now() - since - 1) / 1000;
  const { stampede_stream_oldest_message_age_seconds: age } = await look(stream, { hops: [hop] });
  const atMost = (Date.now() - since + 1) / 1000;
  t.ok((age as number) >= atLeast && (age as number) <= atMost, `${why}: ${atLeast} <= ${age} <= ${atMost}`);
}

/** Samples streams without partitions once, and returns the values of the last one by metric. */
async function look(
  stream: Stream,
  what: { hops: readonly Hop[]; kept?: readonly Hop[] },
): Promise<Record<string, number | undefined>> {
  const registry = createRegistry("test", "0");
  const stop = await watchStreams({ stream, ...what, metrics: new MetricFactory(registry), log });
  stop();
  const samples = (await registry.metrics()).matchAll(
    /^(stampede_\w+)\{stream="\w+",service="test"\} (\S+)$/gm,
  );
  return Object.fromEntries([...samples].map(([, name, value]) => [name, Number(value)]));
}

function publish(stream: Stream, hop: Hop): Promise<void> {
  return publishOrThrow(stream, { subject: subjectName(stream, hop), payload: "{}", id: randomUUID() });
}

async function setUp(t: Test): Promise<Stream> {
  const { natsUrl } = await testServers();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  return stream;
}
