import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { IngestStream } from "./ingest-stream.ts";
import { FakeIngest, type Fault, quickPace, testEvent } from "./test-ingest.ts";

// tap's own 30 s are for a file that has the machine for itself.
t.setTimeout(400_000);

const CLEARED = { cleared_at: "2026-01-02T00:00:00Z" };
const REVERTED = { reverted_at: "2026-01-03T00:00:00Z" };
const WHATS = [{}, {}, CLEARED, REVERTED] as const;
const FAULTS: readonly Fault[] = ["busy", "limited", "lost", "untold", "failed", "queued", "too large"];

const plan = fc.record({
  events: fc.array(fc.record({ key: fc.constantFrom(..."abcdefgh"), what: fc.nat(WHATS.length - 1) }), {
    minLength: 1,
    maxLength: 120,
  }),
  // What goes wrong with the first attempts; behind them nothing does.
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 2 }), { maxLength: 30 }),
  // How long each attempt takes, in turns of the event loop, over and over.
  turns: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 7 }),
  maxEvents: fc.integer({ min: 1, max: 12 }),
  maxInFlight: fc.integer({ min: 1, max: 5 }),
  maxBuffered: fc.integer({ min: 1, max: 60 }),
});

/**
 * fast-check prints the seed and the path of what fails; `fc.assert(…, {seed, path})` repeats it: time is counted in
 * turns of the event loop.
 */
t.test(
  "order - through all failures: no key in two open requests, nothing lost, each key's events in their order",
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ events, faults, maxEvents, maxInFlight, maxBuffered }) => {
        // One event that is too large would rightly fail the stream.
        const ingest = new FakeIngest((attempt, { length }) => {
          const fault = faults[attempt - 1];
          return fault === "too large" && length === 1 ? "busy" : fault;
        });
        const options = { maxEvents, maxInFlight, maxBuffered, maxWaitMs: 0 };
        const stream = new IngestStream(ingest.post, options, { pace: quickPace(maxInFlight) });
        const outcomes: Promise<unknown>[] = [];
        for (const [number, { key, what }] of events.entries()) {
          const event = testEvent(key, { amount: number, ...WHATS[what] });
          if (number % 3 === 0) await stream.write(event);
          else outcomes.push(stream.send(event));
          assert.ok(stream.buffered <= maxBuffered);
        }
        // Without a listener close tells a rejection; here it is one of the outcomes.
        await stream.close().catch((error: Error) => assert.equal(error.name, "UnheardRejectionsError"));
        await Promise.all(outcomes);

        assert.deepEqual(ingest.overlaps, []);
        assert.ok(ingest.mostOpen <= maxInFlight);
        const { accepted, created, updated, unchanged, rejected } = stream.counts;
        assert.equal(accepted + created + updated + unchanged + rejected, events.length);
        // Each event's first arrival, by key: what is repeated repeats a whole request.
        const arrived = new Map<string, number[]>();
        for (const { external_id, amount } of ingest.attempts.flat()) {
          const numbers = arrived.get(external_id) ?? [];
          if (!numbers.includes(amount as number)) numbers.push(amount as number);
          arrived.set(external_id, numbers);
        }
        for (const [key, numbers] of arrived) {
          const given = events.flatMap((event, number) => (event.key === key ? [number] : []));
          assert.deepEqual(numbers, given, `the events of ${key}`);
        }
        assert.deepEqual(ingest.states, statesAfter(events));
      }),
      { numRuns: 150 },
    );
  },
);

/** The state in which the events, in the order given, leave each transaction: the first settling stands. */
function statesAfter(events: readonly { key: string; what: number }[]): Map<string, string> {
  const states = new Map<string, string>();
  for (const { key, what } of events) {
    const asked = WHATS[what] === CLEARED ? "cleared" : WHATS[what] === REVERTED ? "reverted" : "authorized";
    const stored = states.get(key);
    if (stored === undefined || (stored === "authorized" && asked !== "authorized")) states.set(key, asked);
  }
  return states;
}
