import type { StoredMsg } from "@nats-io/jetstream";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, type Hop, LIMITS } from "#contract";
import { decodeRecords, packEvents, packMessage } from "#contract/codec";
import type { Settlement } from "#contract/ingest";
import type { PlatformRecord } from "#contract/platform";
import { encodeId, partitionOf } from "#domain";
import { connectStream, ensureTopology, type Stream, streamName } from "#nats";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import type { AppliedBatch } from "../batch/apply-events.ts";
import { eventAt } from "../batch/event-batch.ts";
import { type PreparedBatch, prepareBatch } from "../batch/prepare-batch.ts";
import {
  ChangePublisher,
  type CommittedChanges,
  publishChanges,
  ROWS_THAT_LEAVE,
} from "./publish-changes.ts";

const ORGANISATION = "01980000-0000-7000-8000-000000000001";

/** A message of new events, as ingest holds it. */
function prepared(names: readonly string[]): PreparedBatch {
  const events = names.map((name) => ({
    member_id: encodeId("m", uuidv7()),
    external_id: name,
    auth_code: "A1",
    network: "visa" as const,
    bin: "411111",
    merchant_id: "M1",
    statement_descriptor: name,
    authed_at: "2026-05-01T10:00:00Z",
  }));
  const { bytes } = packEvents(events, [...events.keys()]);
  const part = { batch: uuidv7(), organisation: ORGANISATION, awaited: false };
  const message = packMessage({ reply: "", parts: [{ ...part, events: names.length }] }, [bytes]);
  return prepareBatch({ messages: [message], key: "test" });
}

function allCreated(batch: PreparedBatch): AppliedBatch {
  const created = Array.from(batch.events.firstOf);
  return { outcomes: [], created, changed: [], links: new Map() };
}

t.test(
  "platform records lost: the same rows cut into other chunks after a crash are all published",
  async (t) => {
    const { natsUrl } = await testServers();
    const log = createLog({ service: "test", level: "fatal" });
    const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
    t.teardown(() => stream.close());
    await ensureTopology(stream, { partitions: 1, maxBytes: 2 ** 23, linkMaxBytes: 2 ** 23 });
    const names = Array.from({ length: 900 }, (_, n) => `order-${n}`);
    // The first owner crashes after it has published the first of its batches. The next owner cuts its
    // batches differently.
    const publish = (some: readonly string[], ...sequences: number[]) => {
      const batch = prepared(some);
      const messages = sequences.map((sequence) => ({ partition: 0, sequence }));
      return publishChanges(stream, 1, [{ messages, prepared: batch, applied: allCreated(batch) }]);
    };
    await publish(names.slice(0, 700), 1, 2);
    await publish(names.slice(0, 300), 1);
    await publish(names.slice(300), 2, 3);
    const name = streamName(stream, FLOW.platformTransactions, 0);
    const { state } = await stream.manager.streams.info(name);
    const seen = new Set<string>();
    for (let seq = 1; seq <= state.last_seq; seq++) {
      const message = await stream.manager.streams.getMessage(name, { seq });
      if (message === null) continue;
      for (const record of decodeRecords(message.data)) seen.add(record.transaction_id);
    }
    t.equal(seen.size, 900);
  },
);

t.test("platform records - a batch that is published twice is stored once", async (t) => {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { partitions: 1, maxBytes: 2 ** 23, linkMaxBytes: 2 ** 23 });
  const batch = prepared(["a", "b"]);
  const publish = (sequence: number) =>
    publishChanges(stream, 1, [
      { messages: [{ partition: 0, sequence }], prepared: batch, applied: allCreated(batch) },
    ]);
  const count = async () =>
    (await stream.manager.streams.info(streamName(stream, FLOW.platformTransactions, 0))).state.messages;
  for (let n = 0; n < 2; n++) await publish(1);
  t.equal(await count(), 1);
  // After a restore of the database the events are sent again. They have the same ids, and must reach the
  // platform.
  await publish(2);
  t.equal(await count(), 2);
});

t.test(
  "platform records - those of a large batch are few messages, full ones and in their order",
  async (t) => {
    const { stream, records } = await setUp(t);
    const names = Array.from({ length: LIMITS.rowsPerBatch }, (_, n) => `order-${n}`);
    const batch = prepared(names);
    const messages = [{ partition: 0, sequence: 1 }];
    await publishChanges(stream, 1, [{ messages, prepared: batch, applied: allCreated(batch) }]);
    const stored = await records();
    t.strictSame(
      stored.map((message) => refsOf(message).length),
      [LIMITS.rowsPerBatch / 2, LIMITS.rowsPerBatch / 2],
    );
    t.strictSame(stored.flatMap(refsOf), names);
  },
);

const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 23, linkMaxBytes: 2 ** 23 };

async function setUp(t: Test, partitions = 1) {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { ...TOPOLOGY, partitions });
  const records = (partition = 0) =>
    readAll(stream, FLOW.platformTransactions, partition, ({ data }) => ({ records: decodeRecords(data) }));
  const settlements = (partition = 0) =>
    readAll(stream, FLOW.settlement, partition, (message) => message.json<{ settlements: Settlement[] }>());
  return { stream, publisher: new ChangePublisher(stream, partitions), records, settlements };
}

/** The messages of a stream, in the order in which they were stored. */
async function readAll<T>(
  stream: Stream,
  hop: Hop,
  partition: number,
  read: (message: StoredMsg) => T,
): Promise<{ body: T; traceparent: string }[]> {
  const name = streamName(stream, hop, partition);
  const { state } = await stream.manager.streams.info(name);
  const messages: { body: T; traceparent: string }[] = [];
  for (let seq = 1; seq <= state.last_seq; seq++) {
    const message = await stream.manager.streams.getMessage(name, { seq });
    if (message === null) continue;
    messages.push({ body: read(message), traceparent: message.header.get(HEADERS.traceparent) });
  }
  return messages;
}

let sequences = 0;

/** A batch of one message: its first event created a row, all others changed an existing one. */
function changes(names: readonly string[], traceparent?: string, partitions = [0]): CommittedChanges {
  const batch = prepared(names);
  const changed = names.slice(1).map((_name, i) => {
    const { ord, ...transaction } = eventAt(batch.events, i + 1);
    return { ord, transaction, mayHaveEarned: true };
  });
  const messages = partitions.map((partition) => ({ partition, sequence: ++sequences }));
  return {
    messages,
    prepared: batch,
    applied: { outcomes: [], created: [0], changed, links: new Map() },
    traceparent,
  };
}

const refsOf = ({ body }: { body: { records: PlatformRecord[] } }) =>
  body.records.map(({ statement_descriptor }) => statement_descriptor);

t.test("changes - small batches that come together are published as one message of each kind", async (t) => {
  const { publisher, records, settlements } = await setUp(t);
  const began = performance.now();
  await publisher.publish(changes(["first"]));
  t.equal((await records()).length, 1, "a lone one is published alone");
  t.strictSame(await settlements(), [], "and it settles nothing");
  const several = [changes(["a", "b"]), changes(["c"]), changes(["d", "e"])];
  await Promise.all(several.map((one) => publisher.publish(one)));
  // A timer may fire a millisecond early.
  t.ok(performance.now() - began >= 48, "they had waited for the spacing");
  const stored = await records();
  t.strictSame(stored.map(refsOf), [["first"], ["a", "b", "c", "d", "e"]]);
  const settled = await settlements();
  t.equal(settled.length, 1);
  t.strictSame(
    settled.flatMap(({ body }) => body.settlements.map(({ transaction }) => transaction)).sort(),
    several.flatMap(({ applied }) => applied.changed.map(({ transaction }) => transaction.id)).sort(),
  );
});

t.test("changes - a failure is one of all that left together, and publishing again stores all", async (t) => {
  const { stream, publisher, records, settlements } = await setUp(t);
  await stream.manager.streams.delete(streamName(stream, FLOW.settlement, 0));
  const several = [changes(["a", "b"]), changes(["c"]), changes(["d", "e"])];
  const results = await Promise.allSettled(several.map((one) => publisher.publish(one)));
  t.strictSame(
    results.map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
    "the one without settlements too",
  );
  await ensureTopology(stream, TOPOLOGY);
  // Grouped differently, as in the retry of the loop.
  await publisher.publish(several[0] as CommittedChanges);
  await Promise.all(several.slice(1).map((one) => publisher.publish(one)));
  const refs = new Set((await records()).flatMap(refsOf));
  t.strictSame([...refs].sort(), ["a", "b", "c", "d", "e"]);
  const settled = (await settlements()).flatMap(({ body }) => body.settlements);
  t.equal(settled.length, 2);
});

t.test("changes - one failure does not affect later batches", async (t) => {
  const { stream, publisher, records } = await setUp(t);
  const name = streamName(stream, FLOW.platformTransactions, 0);
  await stream.manager.streams.delete(name);
  await t.rejects(publisher.publish(changes(["a"])));
  await ensureTopology(stream, TOPOLOGY);
  await publisher.publish(changes(["b"]));
  t.strictSame((await records()).map(refsOf), [["b"]]);
});

t.test(
  "changes - traced ones are published alone, and a large one takes the waiting ones along",
  async (t) => {
    const { publisher, records } = await setUp(t);
    await publisher.publish(changes(["first"]));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const many = Array.from({ length: ROWS_THAT_LEAVE }, (_, n) => `many ${n}`);
    const small = [publisher.publish(changes(["a"])), publisher.publish(changes(["b"]))];
    const traced = publisher.publish(changes(["traced"], traceparent));
    await Promise.all([...small, traced, publisher.publish(changes(many))]);
    const stored = await records();
    t.strictSame(
      stored.map((message) => [refsOf(message).length, message.traceparent]),
      [
        [1, ""],
        [1, traceparent],
        [many.length + 2, ""],
      ],
    );
    t.strictSame(stored.map(refsOf).at(-1)?.slice(0, 2), ["a", "b"]);
  },
);

t.test(
  "regression - changes of several partitions all failed because one of their streams was full",
  async (t) => {
    const { stream, publisher, records, settlements } = await setUp(t, 3);
    const names = Array.from({ length: 30 }, (_, n) => `order-${n}`);
    const inPartition = (partition: number) => names.filter((name) => partitionOf(name, 3) === partition);
    const mixed = changes([0, 1, 2].flatMap(inPartition), undefined, [0, 1, 2]);
    const full = streamName(stream, FLOW.settlement, 1);
    await stream.manager.streams.update(full, { max_bytes: 1 });
    const plain = publisher.publish(changes(["order"], undefined, [2]));
    await t.rejects(publisher.publish(mixed), {
      name: "UnpublishedPartitions",
      message: "partitions 1 are not published",
      failures: new Map([[1, { name: "PublishError", isFull: true }]]),
    });
    await plain;
    const stored = await Promise.all(
      [0, 1, 2].map(async (partition) => (await settlements(partition)).length),
    );
    t.strictSame(stored, [1, 0, 1]);
    const before = (await records(0)).length;
    await stream.manager.streams.update(full, { max_bytes: TOPOLOGY.maxBytes });
    await publisher.publish(mixed, new Set([1]));
    t.equal((await records(0)).length, before, "only the failed partition is published again");
    const own = (await records(1)).flatMap(({ body }) => body.records.map((one) => one.transaction_id));
    const settled = (await settlements(1)).flatMap(({ body }) => body.settlements);
    t.strictSame(new Set(settled.map(({ transaction }) => encodeId("tx", transaction))), new Set(own));
  },
);

t.test("changes - each transaction's changes go to its own partition", async (t) => {
  const { publisher, records, settlements } = await setUp(t, 3);
  const names = Array.from({ length: 30 }, (_, n) => `order-${n}`);
  const inPartition = (partition: number) => names.filter((name) => partitionOf(name, 3) === partition);
  const several = [0, 1, 2].flatMap((partition) => inPartition(partition).slice(0, 3));
  const mixed = changes(several, undefined, [0, 1, 2]);
  const plain = changes(inPartition(1).slice(3), undefined, [1]);
  await Promise.all([mixed, plain].map((one) => publisher.publish(one)));
  // If a message is published again in another group, and has the same content of the same messages, its id
  // is the same.
  await publisher.publish(mixed);
  const sent = [...several, ...inPartition(1).slice(3)];
  const refs: string[] = [];
  for (let partition = 0; partition < 3; partition++) {
    const own = new Set((await records(partition)).flatMap(refsOf));
    t.ok(
      [...own].every((ref) => partitionOf(ref as string, 3) === partition),
      `partition ${partition} has its own: ${[...own]}`,
    );
    refs.push(...([...own] as string[]));
    const ids = new Set(
      (await records(partition)).flatMap(({ body }) => body.records.map((one) => one.transaction_id)),
    );
    for (const { body } of await settlements(partition)) {
      for (const { transaction } of body.settlements) t.ok(ids.has(encodeId("tx", transaction)));
    }
  }
  t.strictSame(refs.sort(), sent.sort());
});

t.test("changes - an event that lies in another partition than its own is not lost", async (t) => {
  const { publisher, records } = await setUp(t, 2);
  const [here, there] = ["order-0", "order-1", "order-2"].reduce<string[][]>(
    (found, name) => {
      found[partitionOf(name, 2)]?.push(name);
      return found;
    },
    [[], []],
  ) as [string[], string[]];
  await publisher.publish(changes([...here, ...there], undefined, [0]));
  t.equal((await records(0)).flatMap(refsOf).length, 3);
});
