import t from "tap";
import { LIMITS } from "#contract";
import { ArrivingBody } from "./arriving-body.ts";
import { BodyBudget } from "./body-budget.ts";

const shared = { bodies: new BodyBudget(LIMITS.bufferedBodyBytes), limits: LIMITS };

t.test(
  "arriving body - takes little memory before much has come, whatever length was declared",
  async (t) => {
    const before = process.memoryUsage().arrayBuffers;
    const bodies = Array.from({ length: 50 }, () => new ArrivingBody(shared, LIMITS.bodyBytes));
    for (const body of bodies) body.append(Buffer.from("{"));
    const taken = process.memoryUsage().arrayBuffers - before;
    t.ok(taken < 3 * LIMITS.bodyBytes, `${taken} bytes for 50 bodies of which one byte has come`);
    for (const body of bodies) body.drop();
  },
);

t.test("arriving body - is whole, whatever its pieces, and fills its memory", async (t) => {
  for (const declared of [undefined, 700_000]) {
    const body = new ArrivingBody(shared, declared);
    const sent = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
    for (let at = 0; at < sent.length; at += 7_001) body.append(sent.subarray(at, at + 7_001));
    const taken = body.take();
    t.ok(sent.equals(taken));
    t.equal(taken.buffer.byteLength, sent.length, "it may be transferred");
  }
  t.equal(shared.bodies.taken, 0);
});
