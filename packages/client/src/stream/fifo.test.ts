import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { Fifo } from "./fifo.ts";

t.test("fifo - it is a queue, for any order of pushes and takes", async () => {
  // More pushes than takes, so that it grows past where it begins to give room back.
  const takes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 2_000 });
  fc.assert(
    fc.property(takes, (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const [number, step] of steps.entries()) {
        if (step === 0) {
          assert.equal(fifo.peek(), model[0]);
          assert.equal(fifo.shift(), model.shift());
        } else {
          fifo.push(number);
          model.push(number);
        }
        assert.equal(fifo.size, model.length);
      }
      while (model.length > 0) assert.equal(fifo.shift(), model.shift());
      assert.equal(fifo.shift(), undefined);
      assert.equal(fifo.size, 0);
    }),
    { numRuns: 50 },
  );
});
