import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { EventQueue, type QueuedEvent } from "./event-queue.ts";
import { testEvent } from "./test-ingest.ts";

let numbers = 0;

function queued(key: string, bytes = 10): QueuedEvent {
  return { event: testEvent(key), key, json: "", bytes, number: ++numbers, sender: undefined };
}

const keysOf = (events: readonly QueuedEvent[]) => events.map(({ key }) => key);

/** A queue with these, in this order. */
function queueOf(...events: readonly QueuedEvent[]): EventQueue {
  const queue = new EventQueue();
  for (const event of events) queue.push(event);
  return queue;
}

t.test("event queue - a request has a limit of events and of bytes", async (t) => {
  const queue = queueOf(...["a", "b", "c", "d", "e"].map((key) => queued(key)));
  t.strictSame(keysOf(queue.take(2, 1_000)), ["a", "b"]);
  // 13 bytes around the events, and a comma for each.
  t.strictSame(keysOf(queue.take(9, 13 + 2 * 11)), ["c", "d"]);
  t.strictSame(keysOf(queue.take(9, 1_000)), ["e"]);
});

t.test("event queue - an event that is too large alone leaves alone", async (t) => {
  const queue = queueOf(queued("a"), queued("big", 5_000), queued("b"));
  t.strictSame(keysOf(queue.take(9, 1_000)), ["a"]);
  t.strictSame(keysOf(queue.take(9, 1_000)), ["big"]);
  t.strictSame(keysOf(queue.take(9, 1_000)), ["b"]);
});

t.test("event queue - events of one key may share a request, and never two open ones", async (t) => {
  const queue = queueOf(queued("a"), queued("a"), queued("a"), queued("b"));
  const first = queue.take(2, 1_000);
  t.strictSame(keysOf(first), ["a", "a"]);
  t.strictSame(keysOf(queue.take(9, 1_000)), ["b"], "the others pass");
  t.strictSame(queue.take(9, 1_000), []);
  queue.release(first);
  t.strictSame(keysOf(queue.take(9, 1_000)), ["a"]);
});

t.test("event queue - what came later does not overtake what waits behind a request", async (t) => {
  const [one, two, three] = [queued("a"), queued("a"), queued("a")];
  const queue = queueOf(one, queued("b"));
  const first = queue.take(1, 1_000);
  queue.push(two);
  queue.take(9, 1_000);
  queue.release(first);
  queue.push(three);
  t.strictSame(queue.take(9, 1_000), [two, three]);
});

/**
 * A step on the queue: push an event of this key, take a request, or answer the oldest or the newest open
 * one.
 */
type Step =
  | { readonly kind: "push"; readonly key: string; readonly bytes: number }
  | { readonly kind: "take"; readonly events: number; readonly bytes: number }
  | { readonly kind: "release"; readonly newest: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("push" as const),
      key: fc.constantFrom(..."abcdef"),
      bytes: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("take" as const),
      events: fc.integer({ min: 1, max: 6 }),
      bytes: fc.integer({ min: 20, max: 200 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("release" as const), newest: fc.boolean() }) },
);

t.test("event queue - nothing is lost, doubled, overtaken, in two open requests, or held back", async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = new EventQueue();
      const waiting: QueuedEvent[] = [];
      const open: QueuedEvent[][] = [];
      const take = (events: number, bytes: number): void => {
        const taken = queue.take(events, bytes);
        const openKeys = new Set(open.flat().map(({ key }) => key));
        for (const event of taken) {
          assert.ok(!openKeys.has(event.key), `${event.key} is in two open requests`);
          const next = waiting.findIndex(({ key }) => key === event.key);
          assert.equal(waiting[next], event, `${event.key} is overtaken`);
          waiting.splice(next, 1);
        }
        const size = taken.reduce((sum, event) => sum + event.bytes + 1, 13);
        assert.ok(taken.length <= events && (taken.length === 1 || size <= Math.max(bytes, 13)));
        const isStuck = taken.length === 0 && waiting.some(({ key }) => !openKeys.has(key));
        assert.ok(!isStuck, "an event of no open request is held back");
        if (taken.length > 0) open.push(taken);
      };
      const release = (newest: boolean): void => {
        const answered = newest ? open.pop() : open.shift();
        if (answered !== undefined) queue.release(answered);
      };
      for (const one of steps) {
        if (one.kind === "take") take(one.events, one.bytes);
        else if (one.kind === "release") release(one.newest);
        else {
          const event = queued(one.key, one.bytes);
          waiting.push(event);
          queue.push(event);
        }
      }
      while (waiting.length > 0) {
        take(3, 200);
        release(true);
      }
      assert.ok(queue.isEmpty);
    }),
    { numRuns: 400 },
  );
});
