import t, { type Test } from "tap";
import { FLOW } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream } from "./connect.ts";
import { Delivery } from "./delivery.ts";
import { ensureTopology, resetConsumer, rewindConsumer, streamName } from "./topology.ts";

const HOP = FLOW.ingest;

/** An ingest stream, a delivery from it, and what came of that. */
async function setUp(t: Test) {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { partitions: 1, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 });
  await resetConsumer(stream, HOP, 0);
  const name = streamName(stream, HOP, 0);
  const received: string[] = [];
  const broken: string[] = [];
  const delivery = new Delivery(
    (message) => received.push(message.string()),
    (reason) => broken.push(reason),
  );
  t.teardown(() => delivery.end());
  const consumer = await stream.jetstream.consumers.get(name, HOP.consumer);
  const publish = (text: string) => stream.jetstream.publish(`${stream.prefix}ingest.0`, text);
  return { stream, name, consumer, delivery, received, broken, publish };
}

t.test("delivery - messages come in their order until it is ended", async (t) => {
  const { consumer, delivery, received, broken, publish } = await setUp(t);
  await publish("a");
  await delivery.begin(consumer);
  await publish("b");
  await waitFor(() => received.length === 2, { message: "the messages do not come" });
  await delivery.end();
  await publish("c");
  t.strictSame({ received, broken }, { received: ["a", "b"], broken: [] });
});

t.test("delivery - one that was lost on its way breaks it, before a newer one passes", async (t) => {
  const { stream, name, consumer, delivery, received, broken, publish } = await setUp(t);
  await publish("a");
  await publish("b");
  // As a leader's that dies with it: handed out by its count, and gone.
  const lost = await stream.jetstream.consumers.get(name, HOP.consumer);
  for await (const message of await lost.fetch({ max_messages: 1 })) t.equal(message.string(), "a");
  await delivery.begin(consumer);
  await waitFor(() => broken.length > 0, { message: "the gap is not noticed" });
  t.strictSame({ received, broken }, { received: [], broken: ["out of order"] });
});

t.test("delivery - a message that comes again breaks it", async (t) => {
  const { stream, name, consumer, delivery, received, broken, publish } = await setUp(t);
  await stream.manager.consumers.update(name, HOP.consumer, { ack_wait: 300e6 });
  await publish("a");
  await delivery.begin(consumer);
  await waitFor(() => broken.length > 0, { message: "the repetition is not noticed" });
  t.strictSame({ received, broken }, { received: ["a"], broken: ["out of order"] });
});

t.test("delivery - a consumer that another owner has made anew breaks it", async (t) => {
  const { stream, consumer, delivery, broken } = await setUp(t);
  await delivery.begin(consumer);
  await resetConsumer(stream, HOP, 0);
  await waitFor(() => broken.length > 0, { message: "nothing tells of it" });
  t.strictSame(broken.length, 1);
  t.match(broken[0], /consumer_deleted|heartbeats_missed/);
});

t.test(
  "delivery - a consumer that is set back begins at the oldest message that is not acknowledged",
  async (t) => {
    const { stream, name, publish, received, broken, delivery } = await setUp(t);
    for (const text of ["a", "b", "c"]) await publish(text);
    const before = await stream.jetstream.consumers.get(name, HOP.consumer);
    for await (const message of await before.fetch({ max_messages: 2 })) {
      if (message.string() === "a") await message.ackAck();
    }
    await rewindConsumer(stream, HOP, 0);
    await delivery.begin(await stream.jetstream.consumers.get(name, HOP.consumer));
    await waitFor(() => received.length === 2, { message: "the messages do not come" });
    t.strictSame({ received, broken }, { received: ["b", "c"], broken: [] });
  },
);
