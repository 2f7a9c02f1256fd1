import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { FLOW, type Hop, LIMITS, type ReadPlace } from "#contract";
import { createLog } from "#runtime";
import { isolation, TcpProxy, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "../connection/connect.ts";
import { streamName, subjectName } from "../streams/stream-names.ts";
import { purgeThrough, readStreamState } from "../streams/stream-state.ts";
import { ensureTopology } from "../streams/topology.ts";
import type { QueuedMessage } from "./batch.ts";
import { ReplayWindow } from "./replay-window.ts";
import { UnorderedFeed } from "./unordered-feed.ts";

const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 21, linkMaxBytes: 2 ** 21 };
const log = createLog({ service: "test", level: "fatal" });
const DONE = { kind: "done" } as const;

interface Kept {
  /** The database's place at the beginning. */
  readonly from?: ReadPlace | undefined;
  readonly minutes?: number;
}

/** The messages that a process has received of a partition, and its log. */
class Reader {
  readonly feed: UnorderedFeed;
  readonly received: QueuedMessage[] = [];
  readonly gaps: [gap: string, messages: number][] = [];

  constructor(stream: Stream, hop: Hop, { from, minutes = 0 }: Kept = {}) {
    const receive = (entry: QueuedMessage) => void this.received.push(entry);
    const window = new ReplayWindow(stream, minutes);
    const options = {
      stream,
      hop,
      partition: 0,
      topology: TOPOLOGY,
      window,
      from,
      receive,
      onDone: () => {},
      onGap: (...gap: [string, number]) => void this.gaps.push(gap),
      log,
    };
    this.feed = new UnorderedFeed(options);
  }

  /**
   * Like a loop without a keeper of places: no database keeps the progress, and finished messages are
   * dropped.
   */
  async purge(): Promise<void> {
    const { place } = this.feed;
    if (place !== undefined) this.feed.kept(place);
    await this.feed.purge();
  }

  get texts(): string[] {
    return this.received.map(({ message }) => Buffer.from(message.data).toString());
  }

  /** The message is done, each time that it came. */
  done(...texts: readonly string[]): void {
    for (const [i, text] of this.texts.entries()) if (texts.includes(text)) this.received[i]?.done(DONE);
  }

  async has(...texts: readonly string[]): Promise<void> {
    await waitFor(() => texts.every((text) => this.texts.includes(text)), {
      message: `${texts} do not come`,
    });
  }
}

async function setUp(t: Test, hop: Hop = FLOW.outcomes) {
  const { natsUrl } = await testServers();
  const prefix = isolation();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  const name = streamName(stream, hop, 0);
  const publish = async (...texts: readonly string[]) => {
    for (const text of texts) {
      const subject = subjectName(stream, hop, 0) + (hop.lastPerKey ? `.${text}` : "");
      await stream.jetstream.publish(subject, text, { msgID: randomUUID() });
    }
  };
  const left = async () => (await stream.manager.streams.info(name)).state.messages;
  const read = (by = stream, kept: Kept = {}) => {
    const reader = new Reader(by, hop, kept);
    t.teardown(() => reader.feed.end());
    return reader;
  };
  const proxied = async () => {
    const proxy = await TcpProxy.start(natsUrl);
    t.teardown(() => proxy.close());
    const reader = await connectStream({ url: proxy.through(natsUrl), name: "test", prefix, log });
    t.teardown(() => reader.close());
    return { proxy, reader };
  };
  /** Makes reading begin again. */
  const removeConsumers = async () => {
    for await (const consumer of stream.manager.consumers.list(name)) {
      await stream.manager.consumers.delete(name, consumer.name);
    }
  };
  return { stream, name, publish, left, read, proxied, removeConsumers };
}

t.test("unordered feed - a purge goes up to the first unfinished message, and no further", async (t) => {
  const { publish, left, read } = await setUp(t);
  const reader = read();
  await publish("a", "b", "c", "d");
  await reader.has("d");
  reader.done("a", "c", "d");
  await reader.purge();
  t.equal(await left(), 3, "messages after the unfinished one stay");
  t.equal(reader.feed.done, 1);
  reader.done("b");
  await reader.purge();
  t.equal(await left(), 0);
  t.match(reader.feed, { last: 4, done: 4 });
});

t.test(
  "unordered feed - regression: a process that took over an empty stream seemed to wait for all that ever was in it",
  async (t) => {
    const { publish, left, read } = await setUp(t);
    const before = read();
    await publish("a", "b", "c");
    await before.has("c");
    before.done("a", "b", "c");
    await before.purge();
    t.equal(await left(), 0);
    await before.feed.end();
    const heir = read();
    await waitFor(() => heir.feed.fault === undefined, { message: "it reads", deadlineMs: 30_000 });
    t.match(heir.feed, { last: 3, done: 3 });
    await publish("d");
    await heir.has("d");
    t.match(heir.feed, { last: 4, done: 3 });
  },
);

t.test(
  "unordered feed - a new owner begins at the first message that is left, and the stream ends empty",
  async (t) => {
    const { publish, left, read } = await setUp(t);
    const dead = read();
    await publish("a", "b", "c");
    await dead.has("c");
    dead.done("a");
    await dead.purge();
    dead.done("b");
    // The first reader stays silent from here on.
    const heir = read();
    await publish("d");
    await heir.has("b", "c", "d");
    t.strictSame(heir.texts, ["b", "c", "d"], "finished messages that were not purged come once more");
    heir.done("b", "c", "d");
    await heir.purge();
    t.equal(await left(), 0);
  },
);

t.test("unordered feed - each of two owners purges only its own finished messages", async (t) => {
  const { publish, left, read } = await setUp(t);
  const [one, two] = [read(), read()];
  await publish("a", "b", "c");
  await Promise.all([one.has("c"), two.has("c")]);
  one.done("a", "b", "c");
  two.done("b", "c");
  await two.purge();
  t.equal(await left(), 3, "the first is not done here");
  await one.purge();
  t.equal(await left(), 0);
  await publish("d");
  await two.has("d");
  two.done("a");
  await two.purge();
  t.equal(await left(), 1, "a late purge takes nothing that came since");
});

t.test("unordered feed - a failed message comes again alone, and holds up only the purge", async (t) => {
  const { publish, left, read } = await setUp(t);
  const reader = read();
  await publish("bad", "b");
  await reader.has("b");
  reader.received[0]?.retryLater(1);
  await publish("c");
  await reader.has("c");
  await waitFor(() => reader.received.length === 4, { message: "it does not come again" });
  const again = reader.received.find(({ deliveries }) => deliveries === 2);
  t.equal(Buffer.from(again?.message.data ?? []).toString(), "bad");
  reader.done("b", "c");
  await reader.purge();
  t.equal(await left(), 3, "an heir would find it");
  again?.done(DONE);
  await reader.purge();
  t.equal(await left(), 0);
});

t.test("unordered feed - those that fail take room, and only theirs", async (t) => {
  const { publish, read } = await setUp(t);
  const reader = read();
  const many = Array.from({ length: LIMITS.messagesHeld + 2 }, (_, n) => `m${n}`);
  await publish(...many);
  await waitFor(() => reader.received.length === LIMITS.messagesHeld, { message: "they do not come" });
  t.ok(reader.feed.isFull);
  reader.received[0]?.retryLater(3_600_000);
  reader.received[0]?.release();
  t.ok(reader.feed.isFull, "it is held until it is done");
  t.equal(reader.feed.waiting, 1);
  reader.done("m1");
  await reader.has(`m${LIMITS.messagesHeld}`);
  t.notOk(reader.texts.includes(`m${LIMITS.messagesHeld + 1}`));
});

t.test("unordered feed - after a doubt, messages under way or finished do not come again", async (t) => {
  const { publish, left, read, removeConsumers } = await setUp(t);
  const reader = read();
  await publish("a", "b");
  await reader.has("b");
  reader.done("a");
  await removeConsumers();
  await publish("c");
  await reader.has("c");
  t.strictSame(reader.texts, ["a", "b", "c"]);
  reader.done("b", "c");
  await reader.purge();
  t.equal(await left(), 0);
  t.notOk(reader.feed.isFull);
});

t.test("unordered feed - messages swallowed by a half-open connection come", async (t) => {
  const { publish, read, proxied } = await setUp(t);
  const { proxy, reader: stream } = await proxied();
  const reader = read(stream);
  await publish("a");
  await reader.has("a");
  // The server sends into the connection and has not noticed that the client is gone.
  proxy.freezeServer();
  await publish("b", "c");
  proxy.cut();
  proxy.thaw();
  await publish("d");
  await reader.has("b", "c", "d");
  t.strictSame(reader.texts, ["a", "b", "c", "d"]);
});

t.test(
  "unordered feed - a recreated stream is read from its first message, and not purged of it",
  async (t) => {
    const { stream, name, publish, left, read } = await setUp(t);
    const reader = read();
    await publish("a", "b", "c");
    await reader.has("c");
    reader.done("a", "b");
    await stream.manager.streams.delete(name);
    // The feed itself recreates it.
    await waitFor(
      () =>
        publish("x")
          .then(() => true)
          .catch(() => false),
      {
        message: "the stream is not recreated",
      },
    );
    await reader.has("x");
    // From the old stream, with a sequence that the new one has not reached.
    reader.done("c");
    await reader.purge();
    t.equal(await left(), 1, "progress in the old one means nothing for the new one");
    await publish("y", "z");
    await reader.has("z");
    reader.done("x", "y", "z");
    await reader.purge();
    t.equal(await left(), 0);
  },
);

t.test("unordered feed - another stream in the old one's place is noticed before a purge", async (t) => {
  const { stream, name, publish, left, read } = await setUp(t);
  const reader = read();
  const many = Array.from({ length: LIMITS.messagesHeld }, (_, n) => `m${n}`);
  await publish(...many);
  await waitFor(() => reader.feed.isFull, { message: "they do not come" });
  // Without room no request is open, so the feed gets no notice.
  await stream.manager.streams.delete(name);
  await ensureTopology(stream, TOPOLOGY);
  await publish("x");
  for (const held of reader.received.slice(0, 5)) held.done(DONE);
  await reader.purge();
  t.equal(await left(), 1);
  await reader.has("x");
});

t.test(
  "unordered feed - others' messages under known sequences are read: a server was put back",
  async (t) => {
    const { stream, name, publish, left, read, removeConsumers } = await setUp(t);
    const reader = read();
    await publish("a", "b", "c");
    await reader.has("c");
    reader.done("a", "b", "c");
    const { config } = await stream.manager.streams.info(name);
    await stream.manager.streams.delete(name);
    await stream.manager.streams.add({ ...config });
    await publish("x", "y", "z");
    await removeConsumers();
    await reader.has("x", "y", "z");
    reader.done("x", "y", "z");
    await reader.purge();
    t.equal(await left(), 0);
  },
);

t.test("unordered feed - an operator's purge takes unread messages, and reading goes on", async (t) => {
  const { stream, publish, left, read } = await setUp(t);
  const reader = read();
  await publish("a", "b");
  await reader.has("b");
  await purgeThrough(stream, FLOW.outcomes, 0, 2);
  await publish("c");
  await reader.has("c");
  reader.done("a", "b", "c");
  await reader.purge();
  t.equal(await left(), 0);
});

t.test("unordered feed - the last message of a key is kept, and all comes again after a doubt", async (t) => {
  const { publish, left, read, removeConsumers } = await setUp(t, FLOW.config);
  const reader = read();
  await publish("deal.a", "deal.b", "deal.wrong");
  await reader.has("deal.wrong");
  reader.done("deal.a");
  reader.received[2]?.done({ kind: "dead", reason: "wrong" });
  await reader.purge();
  t.equal(await left(), 3);
  await removeConsumers();
  await publish("deal.c");
  await reader.has("deal.c");
  t.strictSame(
    reader.texts,
    ["deal.a", "deal.b", "deal.wrong", "deal.a", "deal.c"],
    "except messages under way, and those with a dead letter",
  );
});

t.test(
  "unordered feed - kept messages are read again only after the place of a restored database",
  async (t) => {
    const { publish, left, read, removeConsumers, stream } = await setUp(t);
    const first = read(stream, { minutes: 60 });
    await publish("a", "b");
    await first.has("b");
    first.done("a");
    const early = first.feed.place;
    t.match(early, { done: 1 });
    await first.purge();
    first.done("b");
    await publish("c");
    await first.has("c");
    first.done("c");
    const late = first.feed.place;
    await first.purge();
    t.equal(await left(), 3, "all are kept");
    t.match(first.feed, { last: 3, done: 3 });

    await removeConsumers();
    await publish("d");
    await first.has("d");
    t.strictSame(first.texts, ["a", "b", "c", "d"], "after a doubt reading continues after the place");
    await first.feed.end();

    const heir = read(stream, { minutes: 60, from: late });
    await heir.has("d");
    t.strictSame(heir.texts, ["d"]);
    t.match(heir.feed, { last: 4, done: 3 });
    await heir.feed.end();

    const restored = read(stream, { minutes: 60, from: early });
    await restored.has("d");
    t.strictSame(restored.texts, ["b", "c", "d"]);
  },
);

t.test(
  "unordered feed - a place of another stream, or of one that was restored, means nothing",
  async (t) => {
    const { publish, read, stream } = await setUp(t);
    const first = read(stream, { minutes: 60 });
    await publish("a", "b");
    await first.has("b");
    first.done("a", "b");
    const place = first.feed.place as ReadPlace;
    await first.feed.end();
    for (const from of [
      { ...place, streamCreated: "another" },
      { ...place, done: 99 },
      { ...place, storedAtMs: 1 },
    ]) {
      const heir = read(stream, { minutes: 60, from });
      await heir.has("a", "b");
      await heir.feed.end();
    }
  },
);

t.test("unordered feed - lost messages after the place are counted, once", async (t) => {
  const { stream, publish, read, removeConsumers } = await setUp(t);
  await publish("a", "b", "c", "d", "e", "f");
  const { created } = await readStreamState(stream, FLOW.outcomes, 0);
  await purgeThrough(stream, FLOW.outcomes, 0, 4);
  const from = { streamCreated: created, done: 1, storedAtMs: null };
  const first = read(stream, { from, minutes: 60 });
  await first.has("e", "f");
  await removeConsumers();
  await publish("g");
  await first.has("g");
  t.strictSame(first.gaps, [["stream_shorter", 3]], "also when reading starts over");
  const { place } = first.feed;
  t.match(place, { done: 4, streamCreated: created }, "the place passes them");
  first.feed.kept(place as ReadPlace);
  await first.feed.end();
  const next = read(stream, { from: place, minutes: 60 });
  await next.has("e", "f", "g");
  t.strictSame(next.gaps, [], "and the next reader says nothing of them");

  // The same if nothing follows the gap.
  await next.feed.end();
  await purgeThrough(stream, FLOW.outcomes, 0, 7);
  const last = read(stream, { from: place, minutes: 60 });
  await waitFor(() => last.gaps.length > 0, { message: "the gap is not counted" });
  t.strictSame(last.gaps, [["stream_shorter", 3]]);
  t.match(last.feed.place, { done: 7 });
  last.feed.kept(last.feed.place as ReadPlace);
  await publish("h", "i");
  await last.has("i");

  // Messages that came before a purge are under way, and not lost.
  await purgeThrough(stream, FLOW.outcomes, 0, 9);
  await removeConsumers();
  await publish("j");
  await last.has("j");
  t.equal(last.gaps.length, 1);
});

t.test("unordered feed - unread messages lost with a recreated stream are counted immediately", async (t) => {
  const { stream, name, publish, read } = await setUp(t);
  const many = Array.from({ length: LIMITS.messagesHeld + 3 }, (_, n) => `m${n}`);
  await publish(...many);
  const reader = read(stream, { minutes: 60 });
  await waitFor(() => reader.feed.isFull, { message: "they do not come" });
  await stream.manager.streams.delete(name);
  await ensureTopology(stream, TOPOLOGY);
  await publish("x", "y");
  reader.done(...many);
  await reader.has("x", "y");
  t.strictSame(reader.gaps, [["stream_remade", 3]], "the messages that were read are done, and not lost");
  reader.done("x", "y");
  t.match(reader.feed.place, { done: 2 }, "nothing of the new one is passed over");
});

t.test("unordered feed - an idle reader of a recreated stream has lost nothing", async (t) => {
  const { stream, name, publish, read } = await setUp(t);
  const reader = read(stream, { minutes: 60 });
  await publish("a", "b");
  await reader.has("b");
  reader.done("a", "b");
  await stream.manager.streams.delete(name);
  await ensureTopology(stream, TOPOLOGY);
  await publish("x");
  await reader.has("x");
  t.strictSame(reader.gaps, []);
});

t.test("unordered feed - it reports the messages that it reads again, and how many are left", async (t) => {
  const { stream, publish, read } = await setUp(t);
  await publish("a", "b", "c");
  const { created } = await readStreamState(stream, FLOW.outcomes, 0);
  const at = (await stream.manager.streams.getMessage(streamName(stream, FLOW.outcomes, 0), { seq: 1 }))
    ?.time;
  const place = { streamCreated: created, done: 1, storedAtMs: at?.getTime() as number };
  const now = read(stream, { minutes: 60, from: place });
  await now.has("b", "c");
  t.equal(now.feed.replay, undefined, "a place of a moment ago is nothing to tell");
});
