import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { PriorityQueue } from "./priority-queue.ts";

t.test("priority queue - always the first of what is in it, between any pushes and pops", async () => {
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 9 }) },
    fc.constant("pop" as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new PriorityQueue<number>((a, b) => a - b);
      let model: number[] = [];
      for (const one of [...steps, ...steps.map(() => "pop" as const)]) {
        if (one === "pop") {
          const [first, ...rest] = model;
          assert.equal(queue.pop(), first);
          model = rest;
        } else {
          queue.push(one);
          model = [...model, one].sort((a, b) => a - b);
        }
      }
    }),
    { numRuns: 500, seed: Number(process.env.FC_SEED ?? 5) },
  );
});
