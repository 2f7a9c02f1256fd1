import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { microsecondsOf, toUtcMicroseconds } from "./timestamp.ts";

t.test("microseconds - known instants", async (t) => {
  t.equal(microsecondsOf("2000-01-01T00:00:00.000000Z"), 946_684_800_000_000);
  t.equal(microsecondsOf("2026-05-01T10:00:00.123456Z"), 1_777_629_600_123_456);
  t.equal(microsecondsOf("2100-12-31T23:59:59.999999Z"), 4_133_980_799_999_999);
  t.ok(Number.isSafeInteger(microsecondsOf("2100-12-31T23:59:59.999999Z")));
});

t.test("microseconds - every microsecond counts, for any instant that is taken", async () => {
  const instant = fc.date({
    min: new Date("2000-01-01T00:00:00Z"),
    max: new Date("2100-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(instant, fc.nat({ max: 999 }), (date, micros) => {
      const text = toUtcMicroseconds(date.toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`));
      assert.equal(microsecondsOf(text), date.getTime() * 1000 + micros);
    }),
    { numRuns: 300, seed: Number(process.env.FC_SEED ?? 5) },
  );
});
