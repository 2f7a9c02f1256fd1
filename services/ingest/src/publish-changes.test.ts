import t from "tap";
import { uuidv7 } from "uuidv7";
import { FLOW } from "#contract";
import { packEvent, packMessage } from "#contract/ingest";
import type { PlatformRecord } from "#contract/platform";
import { encodeId } from "#domain";
import { connectStream, ensureTopology, streamName } from "#nats";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { type PreparedBatch, prepareBatch } from "./prepare-batch.ts";
import { publishChanges } from "./publish-changes.ts";
import type { AppliedBatch } from "./transactions/apply-events.ts";

const ORGANISATION = "01980000-0000-7000-8000-000000000001";

/** A message of new events, as ingest holds it. */
function prepared(names: readonly string[]): PreparedBatch {
  const events = names.map((name, index) =>
    packEvent(index, {
      member_id: encodeId("m", uuidv7()),
      external_id: name,
      auth_code: "A1",
      network: "visa",
      bin: "411111",
      merchant_id: "M1",
      authed_at: "2026-05-01T10:00:00Z",
    }),
  );
  const part = { batch: uuidv7(), organisation: ORGANISATION, awaited: false, batchEvents: names.length };
  const bytes = Buffer.from(packMessage("", [{ ...part, events: names.length }], events));
  return prepareBatch({ messages: [bytes], key: "test" });
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
    // The first owner crashes when the first of its batches is published; the next one takes the messages otherwise.
    const publish = (some: readonly string[], ...sequences: number[]) => {
      const batch = prepared(some);
      const messages = sequences.map((sequence) => ({ partition: 0, sequence }));
      return publishChanges(stream, [{ messages, prepared: batch, applied: allCreated(batch) }]);
    };
    await publish(names.slice(0, 700), 1, 2);
    await publish(names.slice(0, 300), 1);
    await publish(names.slice(300), 2, 3);
    const name = streamName(stream, FLOW.platformTransactions);
    const { state } = await stream.manager.streams.info(name);
    const seen = new Set<string>();
    for (let seq = 1; seq <= state.last_seq; seq++) {
      const message = await stream.manager.streams.getMessage(name, { seq });
      for (const record of message?.json<{ records: PlatformRecord[] }>().records ?? []) {
        seen.add(record.transaction_id);
      }
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
    publishChanges(stream, [
      { messages: [{ partition: 0, sequence }], prepared: batch, applied: allCreated(batch) },
    ]);
  const count = async () =>
    (await stream.manager.streams.info(streamName(stream, FLOW.platformTransactions))).state.messages;
  for (let n = 0; n < 2; n++) await publish(1);
  t.equal(await count(), 1);
  // A database was restored and the events are sent again: they have the same ids, and must reach the platform.
  await publish(2);
  t.equal(await count(), 2);
});
