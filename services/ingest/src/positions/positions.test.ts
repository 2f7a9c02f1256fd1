import t, { type Test } from "tap";
import { FLOW } from "#contract";
import { ensureTopology, purgeThrough, type StreamMessage, streamName } from "#nats";
import { openIngest, topologyOf } from "../test-ingest.ts";
import { movePositions } from "./ingest-position.ts";
import type { Mark } from "./ownership.ts";
import type { Positions } from "./positions.ts";
import { adjust } from "./stream-gap.ts";

const TOPOLOGY = topologyOf(1);

async function setUp(t: Test) {
  const { store, stream, lines, gaps, lost, newPositions: owner } = await openIngest(t, 1);
  const publish = async (count: number) => {
    for (let n = 0; n < count; n++) await stream.jetstream.publish(`${stream.prefix}ingest.0`, "{}");
  };
  /** A message, as it is read from the stream. */
  const stored = async (sequence: number): Promise<StreamMessage> => {
    const found = await stream.manager.streams.getMessage(streamName(stream, FLOW.ingest, 0), {
      seq: sequence,
    });
    return { ...message(sequence), storedAtMs: found?.time.getTime() ?? 0 };
  };
  /** Applies messages, as a batch does. */
  const apply = async (positions: Positions, ...sequences: number[]) => {
    const messages = await Promise.all(sequences.map(stored));
    const move = await positions.move(messages, positions.mark(messages));
    try {
      await store.begin((sql) => movePositions(sql, move.rows));
      move.committed();
    } catch (error) {
      move.givenUp();
      throw error;
    }
  };
  const markOf = (positions: Positions, sequence: number) => positions.mark([message(sequence)])[0] as Mark;
  const stateOf = (positions: Positions, sequence: number) =>
    markOf(positions, sequence).isApplied ? "applied" : "fresh";
  const messagesLeft = async () =>
    (await stream.manager.streams.info(streamName(stream, FLOW.ingest, 0))).state.messages;
  return { stream, store, gaps, lines, lost, owner, publish, apply, stored, markOf, stateOf, messagesLeft };
}

function message(sequence: number): StreamMessage {
  const facts = { rows: 1, traceIds: "", traceparent: "" };
  return { subject: "test", partition: 0, sequence, data: new Uint8Array(), storedAtMs: 0, ...facts };
}

t.test("positions - a new installation begins at the first message and misses nothing", async (t) => {
  const { owner, publish, gaps, stateOf } = await setUp(t);
  await publish(2);
  const positions = owner();
  t.equal((await positions.takeOver(0)).after, 0);
  t.equal(stateOf(positions, 1), "fresh");
  t.strictSame(gaps, []);
});

t.test(
  "positions - the next owner begins after the published messages, and knows which of the rest are applied",
  async (t) => {
    const { owner, publish, apply, markOf, stateOf, messagesLeft } = await setUp(t);
    await publish(4);
    const first = owner();
    await first.takeOver(0);
    await apply(first, 1, 2, 3);
    markOf(first, 1).finish();
    markOf(first, 3).finish();
    t.equal(first.publishedOf(0), 1, "2 is not published yet");
    await first.write();
    t.equal(await messagesLeft(), 3, "the finished messages are purged");

    const second = owner();
    t.equal((await second.takeOver(0)).after, 1);
    t.equal(stateOf(second, 2), "applied");
    t.equal(stateOf(second, 3), "applied");
    t.equal(stateOf(second, 4), "fresh");
    for (const sequence of [2, 3]) markOf(second, sequence).finish();
    await apply(second, 4);
    markOf(second, 4).finish();
    await second.write();
    t.equal(await messagesLeft(), 0);
  },
);

t.test("positions - if an owner was lost before it purged, the next one purges", async (t) => {
  const { owner, publish, apply, markOf, messagesLeft } = await setUp(t);
  await publish(2);
  const first = owner();
  await first.takeOver(0);
  await apply(first, 1);
  markOf(first, 1).finish();
  // Its batch writes that message 1 is published. Nothing is purged before the next second.
  await apply(first, 2);
  t.equal(await messagesLeft(), 2);
  const second = owner();
  t.equal((await second.takeOver(0)).after, 1);
  await second.write();
  t.equal(await messagesLeft(), 1, "without another message having come");
});

t.test("positions - an owner that was taken over moves nothing, and writes nothing", async (t) => {
  const { owner, publish, apply, markOf, lost } = await setUp(t);
  await publish(2);
  const first = owner();
  await first.takeOver(0);
  await apply(first, 1);
  const second = owner();
  await second.takeOver(0);
  await t.rejects(apply(first, 2), { code: "fenced", partitions: [0] });
  markOf(first, 1).finish();
  await first.write();
  t.strictSame(lost, [0]);
  await apply(second, 2);
});

t.test("positions - a batch whose commit is in doubt is not applied again", async (t) => {
  const { owner, publish, apply, store, stored, markOf, stateOf } = await setUp(t);
  await publish(2);
  const positions = owner();
  await positions.takeOver(0);
  // It was committed, and the answer was lost.
  const move = await positions.move([await stored(1)], [markOf(positions, 1)]);
  await store.begin((sql) => movePositions(sql, move.rows));
  move.givenUp();
  await t.rejects(apply(positions, 1), { code: "fenced" });
  t.equal((await positions.takeOver(0)).after, 0);
  t.equal(stateOf(positions, 1), "applied");
});

t.test(
  "positions - a recreated stream is read from its first message, and the log reports the loss",
  async (t) => {
    const { stream, owner, publish, apply, gaps, stateOf } = await setUp(t);
    await publish(3);
    const first = owner();
    await first.takeOver(0);
    await apply(first, 1, 2);
    await stream.manager.streams.delete(streamName(stream, FLOW.ingest, 0));
    await ensureTopology(stream, TOPOLOGY);
    await publish(1);
    const second = owner();
    t.equal((await second.takeOver(0)).after, 0);
    t.equal(stateOf(second, 1), "fresh");
    t.strictSame(gaps, [["stream_remade", 2]]);
  },
);

t.test(
  "positions - a batch is of one ownership: one that was lost and gained meanwhile is not moved",
  async (t) => {
    const { owner, publish, apply, markOf, messagesLeft } = await setUp(t);
    await publish(2);
    const positions = owner();
    await positions.takeOver(0);
    const before = markOf(positions, 1);
    // The session of the locks ends during the batch, and the same process gets the partition again.
    positions.drop(0);
    await positions.takeOver(0);
    await t.rejects(positions.move([message(1)], [before]), { code: "fenced", partitions: [0] });
    await apply(positions, 1, 2);
    for (const sequence of [1, 2]) markOf(positions, sequence).finish();
    await positions.write();
    t.equal(await messagesLeft(), 0, "nothing stands in the way of the purge");
  },
);

t.test(
  "positions - a recreated stream under its owner is not purged, and the partition is lost",
  async (t) => {
    const { stream, owner, publish, apply, markOf, lost, messagesLeft } = await setUp(t);
    await publish(2);
    const positions = owner();
    await positions.takeOver(0);
    await apply(positions, 1, 2);
    for (const sequence of [1, 2]) markOf(positions, sequence).finish();
    await stream.manager.streams.delete(streamName(stream, FLOW.ingest, 0));
    await ensureTopology(stream, TOPOLOGY);
    await publish(3);
    await positions.write();
    t.equal(await messagesLeft(), 3, "they were not read");
    t.strictSame(lost, [0]);
    t.equal((await positions.takeOver(0)).after, 0);
  },
);

t.test(
  "positions - messages missing from the stream raise an alarm, and applied ones stay applied",
  async (t) => {
    const { stream, owner, publish, apply, gaps, stateOf } = await setUp(t);
    await publish(6);
    const first = owner();
    await first.takeOver(0);
    await apply(first, 1, 2, 3);
    await purgeThrough(stream, FLOW.ingest, 0, 2);
    const second = owner();
    t.equal((await second.takeOver(0)).after, 2);
    t.strictSame(gaps, [["stream_shorter", 2]], "the outcomes of two were not told");
    t.equal(stateOf(second, 3), "applied");
    await purgeThrough(stream, FLOW.ingest, 0, 5);
    const third = owner();
    t.equal((await third.takeOver(0)).after, 5);
    t.strictSame(gaps.at(-1), ["stream_shorter", 3], "one was not told, two were never applied");
    t.equal(stateOf(third, 6), "fresh");
  },
);

t.test("regression - messages that are gone were named without the time in which they came", async (t) => {
  const { stream, owner, publish, apply, lines, stored } = await setUp(t);
  await publish(6);
  const first = owner();
  await first.takeOver(0);
  await apply(first, 1, 2);
  const times = await Promise.all([stored(2), stored(6)]);
  // As after a restore to a time before the replay window.
  await purgeThrough(stream, FLOW.ingest, 0, 5);
  await owner().takeOver(0);
  const [since, until] = times.map(({ storedAtMs }) => new Date(storedAtMs).toISOString());
  const said = lines.map((line) => JSON.parse(line)).filter(({ gap }) => gap === "stream_shorter");
  t.match(said, [{ messages: 5, since, until }]);
});

t.test(
  "regression - messages that were deleted from a stream by hand are noted, and finished ones are not counted",
  async (t) => {
    const { store, stream, owner, publish, apply, gaps, markOf } = await setUp(t);
    await publish(6);
    const positions = owner();
    await positions.takeOver(0);
    await apply(positions, 1, 2);
    for (const sequence of [1, 2]) markOf(positions, sequence).finish();
    // Not from its beginning: the remaining messages do not show the loss.
    for (const sequence of [3, 4])
      await stream.manager.streams.deleteMessage(streamName(stream, FLOW.ingest, 0), sequence);
    await positions.gone(0, 4);
    positions.drop(0);
    t.equal((await positions.takeOver(0)).after, 4);
    t.strictSame(gaps, [["stream_shorter", 2]]);
    const [gap] = await store`select applied, lost_through from ingest_gaps`;
    t.strictSame({ ...gap }, { applied: 2, lost_through: 4 });
    await apply(positions, 5);
  },
);

t.test(
  "positions - a stream that says less than was applied is asked again before it is believed",
  async (t) => {
    const { store, owner, publish, apply } = await setUp(t);
    await publish(1);
    const first = owner();
    await first.takeOver(0);
    await apply(first, 1);
    await store`update ingest_positions set applied = 9, published = 9`;
    await t.rejects(owner().takeOver(0), /asking again/);
  },
);

t.test(
  "regression - messages that were read before the stream was recreated were applied as messages of the new one",
  async (t) => {
    const { stream, owner, publish, stored } = await setUp(t);
    await publish(2);
    const positions = owner();
    const reading = await positions.takeOver(0);
    const waiting = { ...(await stored(2)), reading };
    t.match(positions.mark([waiting]), [{ isApplied: false }]);
    await stream.manager.streams.delete(streamName(stream, FLOW.ingest, 0));
    await ensureTopology(stream, TOPOLOGY);
    await publish(2);
    positions.drop(0);
    const anew = await positions.takeOver(0);
    t.throws(() => positions.mark([waiting]), { name: "LostPartitions", partitions: [0] });
    t.match(positions.mark([{ ...(await stored(1)), reading: anew }]), [{ isApplied: false }]);
  },
);

t.test(
  "regression - a stream that was restored was taken to hold nothing that was not applied",
  async (t) => {
    const row = { applied: 1000, published: 1000, streamCreated: "then", storedAtMs: 1 };
    // The stream ended at 900, and has received five more since.
    const { position, lost } = adjust(row, { created: "then", first: 880, last: 905 }, "stream_rewound");
    t.match(position, { applied: 879, published: 879 });
    t.equal(lost, 0, "all old messages are done; the new ones are applied");
  },
);

t.test(
  "positions - the stream's last message at a server's start is noted once: a later owner continues the replay",
  async (t) => {
    const { owner, publish, apply, stored, store } = await setUp(t);
    const replay = async () => {
      const [row] = await store<{ through: number | null; since: number | null }[]>`
        select replay_through as through, replay_since as since from ingest_positions`;
      return row;
    };
    await publish(1);
    const first = owner();
    await first.takeOver(0);
    t.strictSame(await replay(), { through: null, since: null }, "a new installation has no earlier time");
    await apply(first, 1);
    const { storedAtMs: since } = await stored(1);
    await publish(3);
    await store`update ingest_positions set server_started = 'epoch'`;
    const second = owner();
    await second.takeOver(0);
    t.strictSame(await replay(), { through: 4, since });
    await apply(second, 2);
    await publish(1);
    const third = owner();
    await third.takeOver(0);
    t.strictSame(await replay(), { through: 4, since }, "half of it is done");
    t.strictSame(third.mark([await stored(3)])[0]?.ownership.replay, {
      through: 4,
      sinceMs: since,
      order: 0,
    });
  },
);

t.test(
  "regression - the replay after a restore ended where a NATS node that was cut off ended, and the rest was taken for new",
  async (t) => {
    const { stream, store, owner, publish, apply } = await setUp(t);
    await publish(7);
    const first = owner();
    await first.takeOver(0);
    await apply(first, 1, 2, 3);
    // The restored database is another server.
    await store`update ingest_positions set server_started = server_started - interval '1 minute'`;
    const { streams } = stream.manager;
    const info = streams.info.bind(streams);
    const cutOff = (name: string) => ({ name, current: false, offline: false, active: 0, lag: 0 });
    streams.info = async (name) => {
      streams.info = info;
      const answer = await info(name);
      const cluster = { replicas: ["n0", "n1", "n2"].map(cutOff) };
      return { ...answer, state: { ...answer.state, last_seq: 4 }, cluster };
    };
    const second = owner();
    await t.rejects(second.takeOver(0), { message: /another node than its leader answered/ });
    await second.takeOver(0);
    t.equal(second.replayOf(0)?.through, 7);
  },
);
