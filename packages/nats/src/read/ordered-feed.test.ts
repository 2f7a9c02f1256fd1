import t, { type Test } from "tap";
import { FLOW, LIMITS } from "#contract";
import { createLog } from "#runtime";
import { isolation, TcpProxy, testServers, waitFor } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { streamName } from "../streams/stream-names.ts";
import { type KnownStream, purgeThrough, readStreamState, stateOfSame } from "../streams/stream-state.ts";
import { ensureTopology } from "../streams/topology.ts";
import type { QueuedMessage } from "./batch.ts";
import { OrderedFeed } from "./ordered-feed.ts";

const HOP = FLOW.ingest;
const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 };

/** An ingest stream, and the messages that its feeds receive. `read` reads through a proxy. */
async function setUp(t: Test) {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const prefix = isolation();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
  t.teardown(() => stream.close());
  const proxy = await TcpProxy.start(natsUrl);
  t.teardown(() => proxy.close());
  const reader = await connectStream({ url: proxy.through(natsUrl), name: "test", prefix, log });
  t.teardown(() => reader.close());
  await ensureTopology(stream, TOPOLOGY);
  const received: string[] = [];
  const { created: streamCreated } = await readStreamState(stream, HOP, 0);
  let others = 0;
  const onOtherStream = () => void others++;
  const gone = new Set<number>();
  const onGone = (through: number) => void gone.add(through);
  const held: QueuedMessage[] = [];
  const read = (after: number) => {
    const receive = (entry: QueuedMessage) => {
      held.push(entry);
      received.push(Buffer.from(entry.message.data).toString());
    };
    const from = { after, streamCreated };
    const feed = new OrderedFeed({
      stream: reader,
      hop: HOP,
      partition: 0,
      from,
      onOtherStream,
      onGone,
      receive,
      log,
    });
    t.teardown(() => feed.end());
    return feed;
  };
  const publish = (text: string) => stream.jetstream.publish(`${prefix}ingest.0`, text);
  const name = streamName(stream, HOP, 0);
  const hasCome = (count: number) =>
    waitFor(() => received.length >= count, { message: `${count} messages do not come: ${received}` });
  return { stream, reader, proxy, name, received, read, publish, hasCome, others: () => others, gone, held };
}

t.test("ordered feed - messages come in their order, from after a position, until it is ended", async (t) => {
  const { received, read, publish, hasCome } = await setUp(t);
  for (const text of ["a", "b", "c"]) await publish(text);
  const feed = read(1);
  await hasCome(2);
  await publish("d");
  await hasCome(3);
  t.equal(feed.last, 4);
  t.equal(feed.fault, undefined);
  await feed.end();
  await publish("e");
  t.strictSame(received, ["b", "c", "d"]);
});

t.test("ordered feed - no more is read ahead than there is room for", async (t) => {
  const { received, read, publish, hasCome } = await setUp(t);
  for (let n = 0; n < LIMITS.messagesAhead + 5; n++) await publish(String(n));
  const feed = read(0);
  await hasCome(LIMITS.messagesAhead);
  await publish("last");
  t.equal(received.length, LIMITS.messagesAhead);
  feed.release(2);
  await hasCome(LIMITS.messagesAhead + 2);
  feed.release(10);
  await hasCome(LIMITS.messagesAhead + 6);
  t.equal(received.at(-1), "last");
});

t.test("ordered feed - messages held for long do not block the other room", async (t) => {
  const { received, read, publish, hasCome } = await setUp(t);
  const feed = read(0);
  const some = LIMITS.messagesAhead - 10;
  for (let n = 0; n < some; n++) await publish(String(n));
  await hasCome(some);
  feed.release(3);
  for (let n = 0; n < 20; n++) await publish(String(n));
  await hasCome(LIMITS.messagesAhead + 3);
  t.equal(received.length, LIMITS.messagesAhead + 3);
});

t.test("ordered feed - requests overlap, and one that is over is followed by the next", async (t) => {
  const { stream, name, read, publish, hasCome, received, held } = await setUp(t);
  const requests: { inbox: string; batch: number; came: number }[] = [];
  stream.nats.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${name}.*`, {
    callback: (_error, message) => {
      const { batch } = message.json<{ batch: number }>();
      requests.push({ inbox: message.reply as string, batch, came: received.length });
    },
  });
  await stream.nats.flush();
  const feed = read(0);
  for (let n = 1; n <= 2 * LIMITS.messagesAhead; n++) {
    await publish(String(n));
    await hasCome(n);
    held.at(-1)?.release();
  }
  const overlapping = requests.slice();
  t.ok(overlapping.length > 2);
  let asked = 0;
  for (const { batch, came } of overlapping) {
    t.ok(came < asked || asked === 0, "the one before is not used up");
    asked += batch;
  }
  t.ok(asked - received.length <= LIMITS.messagesAhead);
  const isAsked = () => requests.at(-1)?.batch === LIMITS.messagesAhead;
  await waitFor(isAsked, { message: "finished messages are not requested again" });
  t.equal(new Set(requests.map(({ inbox }) => inbox)).size, 1, "without a doubt");
  t.equal(feed.fault, undefined);
});

t.test(
  "ordered feed - a server that sends no heartbeats is doubted, a pause of the reader's own is not",
  async (t) => {
    const { stream, name, proxy, received, read, publish, hasCome } = await setUp(t);
    await publish("a");
    const feed = read(0);
    await hasCome(1);
    const consumers = async () => {
      const names: string[] = [];
      for await (const consumer of stream.manager.consumers.list(name)) names.push(consumer.name);
      return names;
    };
    const before = await consumers();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    await publish("b");
    await hasCome(2);
    t.strictSame(await consumers(), before, "nothing was started over");
    proxy.freezeServer();
    await waitFor(() => /heartbeat/.test(feed.fault ?? ""), {
      message: "the missing heartbeat is not noticed",
    });
    proxy.thaw();
    await publish("c");
    await hasCome(3);
    t.strictSame(received, ["a", "b", "c"]);
  },
);

t.test("ordered feed - messages swallowed by a half-open connection come before newer ones", async (t) => {
  const { reader, proxy, received, read, publish, hasCome } = await setUp(t);
  await publish("a");
  read(0);
  await hasCome(1);
  // The server sends into the connection and has not noticed that the client is gone.
  proxy.freezeServer();
  await publish("b");
  await publish("c");
  proxy.cut();
  proxy.thaw();
  await publish("d");
  await hasCome(4);
  const isBack = new Promise<void>((resolve) => reader.onConnection((connected) => connected && resolve()));
  // The client resets its connection, but for the server it still waits for messages, and gets this one.
  proxy.freeze();
  await publish("e");
  proxy.cutClient();
  proxy.thaw();
  await isBack;
  await publish("f");
  await hasCome(6);
  t.strictSame(received, ["a", "b", "c", "d", "e", "f"]);
});

t.test("ordered feed - a consumer that is deleted is made again, and nothing comes twice", async (t) => {
  const { stream, name, received, read, publish, hasCome } = await setUp(t);
  await publish("a");
  const feed = read(0);
  await hasCome(1);
  for await (const consumer of stream.manager.consumers.list(name)) {
    await stream.manager.consumers.delete(name, consumer.name);
  }
  await publish("b");
  await hasCome(2);
  t.strictSame(received, ["a", "b"]);
  t.equal(feed.fault, undefined);
});

t.test(
  "ordered feed - says that nothing comes while its stream is gone, and tells its owner when there is another",
  async (t) => {
    const { stream, name, received, read, publish, hasCome, others } = await setUp(t);
    const feed = read(0);
    await publish("a");
    await hasCome(1);
    await stream.manager.streams.delete(name);
    await waitFor(() => feed.fault !== undefined, { message: "the feed does not say that nothing comes" });
    await ensureTopology(stream, TOPOLOGY);
    await waitFor(() => others() > 0, { message: "it does not find out" });
    const saysSo = () => /not the one that was read/.test(feed.fault ?? "");
    await waitFor(saysSo, { message: "it does not say so" });
    t.strictSame(received, ["a"]);
  },
);

t.test("ordered feed - leaves no consumer behind", async (t) => {
  const { stream, name, read, publish, hasCome } = await setUp(t);
  await publish("a");
  const feed = read(0);
  await hasCome(1);
  await feed.end();
  t.equal((await stream.manager.streams.info(name)).state.consumer_count, 0);
});

t.test("stream state - where it begins and ends, empty, filled and purged", async (t) => {
  const { stream, publish } = await setUp(t);
  const state = () => readStreamState(stream, HOP, 0);
  t.match(await state(), { first: 1, last: 0 });
  t.match(await readStreamState(stream, HOP, 0, true), { first: 1, last: 0 });
  for (const text of ["a", "b", "c"]) await publish(text);
  t.match(await state(), { first: 1, last: 3 });
  t.match(await readStreamState(stream, HOP, 0, true), { first: 1, last: 3 });
  t.match(await state(), { first: 1, last: 3 }, "to be sure costs no message");
  await purgeThrough(stream, HOP, 0, 2);
  t.match(await state(), { first: 3, last: 3 });
  await purgeThrough(stream, HOP, 0, 3);
  t.match(await state(), { first: 4, last: 3 });
});

t.test(
  "ordered feed - a recreated stream is not read from the old place, and its owner learns of it",
  async (t) => {
    const { stream, name, received, read, publish, hasCome, others } = await setUp(t);
    for (const text of ["a", "b"]) await publish(text);
    read(0);
    await hasCome(2);
    await stream.manager.streams.delete(name);
    await ensureTopology(stream, TOPOLOGY);
    for (const text of ["new a", "new b", "new c"]) await publish(text);
    await waitFor(() => others() > 0, { message: "it does not find out" });
    t.strictSame(received, ["a", "b"], "nothing of the new stream came from the middle of it");
  },
);

t.test(
  "ordered feed - a stream is the known one by its age, its end, and the message at the place",
  async (t) => {
    const { stream, publish } = await setUp(t);
    for (const text of ["a", "b", "c"]) await publish(text);
    const { created } = await readStreamState(stream, HOP, 0);
    const message = await stream.manager.streams.getMessage(streamName(stream, HOP, 0), { seq: 2 });
    const storedAtMs = message?.time.getTime() as number;
    const isThat = (known: KnownStream) => stateOfSame(stream, HOP, 0, known);
    t.ok(await isThat({ created, last: 3 }));
    t.ok(await isThat({ created, last: 2, lastStoredAtMs: storedAtMs + 0.7 }));
    t.notOk(await isThat({ created, last: 4 }), "restored from a copy that ends before");
    t.notOk(await isThat({ created, last: 2, lastStoredAtMs: storedAtMs - 60_000 }), "and has grown again");
    t.notOk(await isThat({ created: "2026-01-01T00:00:00Z", last: 3 }), "recreated");
    await purgeThrough(stream, HOP, 0, 2);
    t.ok(
      await isThat({ created, last: 2, lastStoredAtMs: storedAtMs - 60_000 }),
      "the purged messages were read",
    );
  },
);

t.test("regression - messages that were purged by hand before they were read were passed over", async (t) => {
  const { stream, received, read, publish, gone, held, hasCome } = await setUp(t);
  for (let n = 1; n <= LIMITS.messagesAhead + 5; n++) await publish(String(n));
  const feed = read(0);
  await hasCome(LIMITS.messagesAhead);
  await purgeThrough(stream, HOP, 0, LIMITS.messagesAhead + 4);
  for (const { release } of held) release();
  for (const { done } of held.slice(1)) done({ kind: "done" });
  await waitFor(() => feed.fault !== undefined, { message: "it does not find out" });
  t.equal(gone.size, 0, "one that was read is still under way, and must not be lost with them");
  held[0]?.done({ kind: "done" });
  await waitFor(() => gone.size > 0, { message: "the owner is not told" });
  t.strictSame([...gone], [LIMITS.messagesAhead + 4]);
  t.equal(received.length, LIMITS.messagesAhead, "later messages wait until the gap is noted");
});

t.test("regression - a message that was deleted by hand was passed over", async (t) => {
  const { stream, name, read, publish, gone } = await setUp(t);
  for (const text of ["a", "b", "c"]) await publish(text);
  await stream.manager.streams.deleteMessage(name, 2);
  read(1);
  await waitFor(() => gone.size > 0, { message: "the owner is not told" });
  t.strictSame([...gone], [2]);
});

t.test("regression - a consumer that sent heartbeats and no messages was read for ever", async (t) => {
  const { stream, name, received, read, publish, hasCome } = await setUp(t);
  const feed = read(0);
  await publish("a");
  await hasCome(1);
  for await (const { name: consumer } of stream.manager.consumers.list(name)) {
    await stream.manager.consumers.pause(name, consumer, new Date(Date.now() + 3_600_000));
  }
  await publish("b");
  await waitFor(() => received.length === 2, { message: "it stands still", deadlineMs: 60_000 });
  t.strictSame(received, ["a", "b"]);
  t.ok(feed.last === 2);
});
