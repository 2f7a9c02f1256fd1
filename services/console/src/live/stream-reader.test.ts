import t, { type Test } from "tap";
import { FLOW } from "#contract";
import { connectStream, ensureTopology, streamName } from "#nats";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { StreamReader } from "./stream-reader.ts";

async function connect(t: Test) {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  return stream;
}

const TOPOLOGY = { partitions: 2, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 2 * 1024 * 1024 };

t.test("stream reader - reads all streams, and reports a missing one", async (t) => {
  const stream = await connect(t);
  const reader = new StreamReader(stream);
  t.match((await reader.read()).problem, /there is no stream/, "before the first start");
  await ensureTopology(stream, TOPOLOGY);
  const { streams, problem } = await reader.read();
  t.equal(problem, null);
  t.equal(streams.size, 10);
  t.match(streams.get("INGEST_0"), { messages: 0, limitBytes: 2 * 1024 * 1024 });
  await stream.manager.streams.delete(streamName(stream, FLOW.settlement, 1));
  const without = await reader.read();
  t.equal(without.problem, null);
  t.equal(without.streams.get("SETTLEMENT_1"), null);
  t.ok(without.streams.get("SETTLEMENT_0"));
});

t.test("stream reader - if there are many, each is asked for in turn", async (t) => {
  const stream = await connect(t);
  await ensureTopology(stream, TOPOLOGY);
  const reader = new StreamReader(stream, 4);
  const known: number[] = [];
  for (let n = 0; n < 3; n++) known.push((await reader.read()).streams.size);
  t.strictSame(known, [4, 8, 10]);
});

t.test("stream reader - without NATS nothing is known, and no caller waits for it", async (t) => {
  const stream = await connect(t);
  await ensureTopology(stream, TOPOLOGY);
  const reader = new StreamReader(stream);
  await reader.read();
  await stream.close();
  const { streams, problem } = await reader.read();
  t.match(problem, "no connection to NATS");
  t.equal(streams.size, 0);
});
