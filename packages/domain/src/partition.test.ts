import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { partitionOf } from "./partition.ts";

/**
 * FNV-1a values from its authors' test suite. These may never change: streams that hold messages would see
 * one transaction's events in two partitions.
 */
const FNV1A: Record<string, number> = {
  "": 0x811c9dc5,
  a: 0xe40c292c,
  b: 0xe70c2de5,
  foobar: 0xbf9cf968,
  "chongo was here!\n": 0xd49930d5,
};

t.test("partition - the hash is FNV-1a and stays it", async (t) => {
  for (const [text, hash] of Object.entries(FNV1A)) {
    for (const partitions of [1, 2, 3, 4, 7, 16, 256]) {
      t.equal(partitionOf(text, partitions), hash % partitions, `${JSON.stringify(text)} of ${partitions}`);
    }
  }
});

t.test("partition - fixed places of fixed ids", async (t) => {
  const ids = ["tx-1", "tx-2", "0196f2a4-5b6c-7d8e-9fa0-b1c2d3e4f506", "köp-4711", "\u{1f6d2}"];
  t.strictSame(
    ids.map((id) => partitionOf(id, 4)),
    [3, 2, 1, 0, 2],
  );
});

t.test("partition - always an existing one, and always the same", async () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 256 }), (id, partitions) => {
      const partition = partitionOf(id, partitions);
      assert.ok(Number.isInteger(partition) && partition >= 0 && partition < partitions);
      assert.equal(partitionOf(id, partitions), partition);
    }),
    { numRuns: 200 },
  );
});

t.test("partition - time-sortable ids spread evenly", async (t) => {
  const partitions = 4;
  const counts = new Array<number>(partitions).fill(0);
  for (let i = 0; i < 20_000; i++) {
    const partition = partitionOf(uuidv7(), partitions);
    counts[partition] = (counts[partition] as number) + 1;
  }
  for (const count of counts) t.ok(Math.abs(count - 5000) < 500, `${count} of 20000, ±10 % of a quarter`);
});
