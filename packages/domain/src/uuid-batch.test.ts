import { randomBytes } from "node:crypto";
import t from "tap";
import { RANDOM_BYTES_PER_UUID, uuidBatch } from "./uuid-batch.ts";

t.test("uuidBatch - ids are UUIDv7, distinct, and in the order of their making", async (t) => {
  const count = 10_000;
  const now = Date.parse("2026-05-01T10:00:00.123Z");
  const ids = uuidBatch(count, now, randomBytes(count * RANDOM_BYTES_PER_UUID));
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  t.equal(ids.filter((id) => !shape.test(id)).length, 0);
  t.equal(new Set(ids).size, count);
  t.strictSame([...ids].sort(), ids);
  t.equal(Number.parseInt((ids[0] as string).replace("-", "").slice(0, 12), 16), now);
});

t.test("uuidBatch - too little randomness is refused, not stretched", async (t) => {
  t.throws(() => uuidBatch(2, 0, new Uint8Array(RANDOM_BYTES_PER_UUID)), RangeError);
});
