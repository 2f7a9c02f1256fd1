import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { packEvents, packMessage } from "#contract/codec";
import { encodeId } from "#domain";
import type { StreamMessage } from "#nats";
import { createHashPool } from "./hash-pool.ts";
import { prepareBatch } from "./prepare-batch.ts";

const KEY = "test";

function messageOf(count: number): StreamMessage {
  const events = Array.from({ length: count }, (_, index) => ({
    member_id: encodeId("m", uuidv7()),
    external_id: `order-${index}`,
    auth_code: "A1",
    network: "visa" as const,
    bin: "411111",
    merchant_id: "M1",
    authed_at: "2026-05-01T10:00:00Z",
  }));
  const { bytes } = packEvents(events, [...events.keys()]);
  const part = { batch: uuidv7(), organisation: uuidv7(), awaited: true };
  const data = packMessage({ reply: "", parts: [{ ...part, events: count }] }, [bytes]);
  const facts = { rows: count, traceIds: "", traceparent: "" };
  return { subject: "test", partition: 0, sequence: 1, data, storedAtMs: 0, ...facts };
}

function poolOf(t: Test) {
  const waits: number[] = [];
  const pool = createHashPool(1, KEY, (waitMs) => void waits.push(waitMs));
  t.teardown(() => pool.close());
  return { pool, waits };
}

t.test("hash pool - a small batch does not wait for threads that are busy", async (t) => {
  const { pool, waits } = poolOf(t);
  const order: string[] = [];
  const large = pool.prepare([messageOf(LIMITS.rowsPerBatch)]).then(() => void order.push("large"));
  const small = pool.prepare([messageOf(LIMITS.rowsAtOnce)]).then(() => void order.push("small"));
  await Promise.all([large, small]);
  t.strictSame(order, ["small", "large"]);
  t.equal(waits[0], 0);
});

t.test(
  "hash pool - a batch is the same wherever it is prepared, and its messages stay readable",
  async (t) => {
    const { pool } = poolOf(t);
    for (const count of [1, LIMITS.rowsAtOnce, LIMITS.rowsAtOnce + 1]) {
      const message = messageOf(count);
      const expected = prepareBatch({ messages: [message.data], key: KEY });
      for (let attempt = 0; attempt < 2; attempt++) {
        const prepared = await pool.prepare([message]);
        t.same(prepared.heads, expected.heads);
        t.same(prepared.records, expected.records);
        t.same(
          Buffer.from(prepared.events.rows.bytes),
          Buffer.from(expected.events.rows.bytes),
          `${count} events`,
        );
      }
    }
  },
);

t.test("regression - with many writers and few threads, batches failed because others waited", async (t) => {
  const { pool } = poolOf(t);
  const message = messageOf(LIMITS.rowsAtOnce + 1);
  // The most writers (STAMPEDE_INGEST_WRITERS), each with a batch and the next one.
  const all = await Promise.all(Array.from({ length: 2 * 64 }, () => pool.prepare([message])));
  t.ok(all.every(({ events }) => events.count === LIMITS.rowsAtOnce + 1));
});
