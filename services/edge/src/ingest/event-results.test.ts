import fc from "fast-check";
import t from "tap";
import { LIMITS } from "#contract";
import { EventResults } from "./event-results.ts";
import { sliceEvents } from "./slice-events.ts";
import { EVENT } from "./test-gateway.ts";

const report = (first: number, outcomes: string) => ({
  batch: "b",
  first,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: [],
  ignored: [],
  ignoredCount: 0,
  outcomes,
});

const letters = fc.string({ unit: fc.constantFrom("c", "u", "n", "r"), minLength: 1, maxLength: 60 });

t.test("event outcomes - each letter comes to its event, however the request was cut", async (t) => {
  const scene = fc.tuple(letters, fc.integer({ min: 1, max: 8 }), fc.infiniteStream(fc.nat()));
  fc.assert(
    fc.property(scene, ([wanted, partitions, order]) => {
      const events = [...wanted].map((_, n) => ({ ...EVENT, external_id: `e${n}` }));
      const slices = sliceEvents(events, partitions);
      const outcomes = new EventResults(wanted.length, slices);
      const shuffled = slices.map((slice) => [order.next().value, slice] as const);
      for (const [, { indexes }] of shuffled.sort(([a], [b]) => a - b)) {
        const own = indexes.map((index) => wanted[index]).join("");
        outcomes.take(report(indexes[0] as number, own));
      }
      t.equal(outcomes.letters, wanted);
    }),
  );
});

t.test("event outcomes - if a partition needs two messages, its parts are distinguished", async (t) => {
  const total = LIMITS.eventsPerMessage + 3;
  const slices = sliceEvents(new Array(total).fill(EVENT), 1);
  t.equal(slices.length, 2);
  const outcomes = new EventResults(total, slices);
  outcomes.take(report(LIMITS.eventsPerMessage, "unr"));
  outcomes.take(report(0, "c".repeat(LIMITS.eventsPerMessage)));
  t.equal(outcomes.letters, `${"c".repeat(LIMITS.eventsPerMessage)}unr`);
});
