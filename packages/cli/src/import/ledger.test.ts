import fc from "fast-check";
import t from "tap";
import { type Entry, Ledger } from "./ledger.ts";
import type { RowAt } from "./row-result.ts";

const at = (ordinal: number): RowAt => ({ input: 0, ordinal, line: ordinal, row: ordinal });

t.test("ledger - rows are done in order and once, in whatever order their results come", async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer(), (count, seed) => {
      const done: number[] = [];
      const ledger = new Ledger(10_000, ({ ordinal }) => done.push(ordinal));
      const entries = Array.from({ length: count }, (_, i) => ledger.open(at(i + 1)));
      const known = new Set<number>();
      const shuffled = entries.toSorted((a, b) => hash(a.at.ordinal, seed) - hash(b.at.ordinal, seed));
      for (const entry of shuffled) {
        ledger.settle(entry, { outcome: "created" });
        ledger.settle(entry, { outcome: "unchanged" });
        known.add(entry.at.ordinal);
        // Never beyond the first row whose result is unknown.
        if (done.length < count && known.has(done.length + 1)) return false;
      }
      return ledger.size === 0 && done.every((ordinal, i) => ordinal === i + 1) && done.length === count;
    }),
    { numRuns: 50 },
  );
});

function hash(value: number, seed: number): number {
  return Math.imul(value ^ seed, 2_654_435_761) >>> 0;
}

t.test(
  "ledger - the caller that opens a row waits for room, and is released when no more rows will be done",
  async (t) => {
    const ledger = new Ledger(2, () => {});
    const [first, second] = [ledger.open(at(1)), ledger.open(at(2))] as [Entry, Entry];
    const room = ledger.room();
    t.type(room, Promise);
    ledger.settle(second, { outcome: "created" });
    t.equal(ledger.size, 2, "the row before it is not done");
    ledger.settle(first, { outcome: "created" });
    await room;
    t.equal(ledger.room(), undefined);
    ledger.open(at(3));
    ledger.open(at(4));
    const waiting = ledger.room();
    ledger.release();
    await waiting;
  },
);
