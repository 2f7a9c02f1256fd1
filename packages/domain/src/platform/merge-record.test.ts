import fc from "fast-check";
import t from "tap";
import { mergeRecord, type PurchaseRecord } from "./merge-record.ts";

const RECORD: PurchaseRecord = {
  transactionId: "t",
  route: { retailerId: "r1", shared: false },
  state: "authorized",
  merchantId: "M",
  statementDescriptor: null,
  authedAt: 1,
  identifiers: ["a"],
  clips: new Map(),
  enrolments: new Map(),
};

t.test("mergeRecord - what says nothing new gives the stored record itself", (t) => {
  const stored = { ...RECORD, identifiers: ["a", "b"], clips: new Map([["c", "d"]]) };
  t.equal(mergeRecord(stored, RECORD, false), stored);
  t.equal(mergeRecord(stored, { ...stored }, false), stored);
  t.end();
});

t.test("mergeRecord - a clearing or reversal is newer, whichever comes first", (t) => {
  for (const state of ["cleared", "reverted"] as const) {
    const settled = { ...RECORD, state, statementDescriptor: "TIPPED" };
    const authorized = { ...RECORD, statementDescriptor: "SHOP" };
    t.match(mergeRecord(authorized, settled, false), { state, statementDescriptor: "TIPPED" });
    t.equal(mergeRecord(settled, authorized, false), settled);
  }
  t.end();
});

t.test("mergeRecord - a descriptor that was filled in is newer than none", (t) => {
  const filled = { ...RECORD, statementDescriptor: "SHOP", route: { retailerId: "r2", shared: true } };
  t.match(mergeRecord(RECORD, filled, false), { statementDescriptor: "SHOP", route: filled.route });
  t.equal(mergeRecord(filled, RECORD, false), filled);
  t.end();
});

t.test("mergeRecord - a newer record moves it to another retailer, unless it has its payment", (t) => {
  const cleared = { ...RECORD, state: "cleared", route: { retailerId: "r2", shared: true } } as const;
  t.match(mergeRecord(RECORD, cleared, false), { state: "cleared", route: { retailerId: "r2" } });
  t.match(mergeRecord(RECORD, cleared, true), { state: "cleared", route: { retailerId: "r1" } });
  t.end();
});

t.test("mergeRecord - identifiers and links only add up", (t) => {
  const before = { ...RECORD, clips: new Map([["c1", "d1"]]), enrolments: new Map([["s1", "p1"]]) };
  const after = { ...RECORD, identifiers: ["0", "a"], clips: new Map([["c2", "d2"]]) };
  const merged = mergeRecord(before, after, false);
  t.strictSame(merged.identifiers, ["0", "a"]);
  t.strictSame([...merged.clips.keys()].sort(), ["c1", "c2"]);
  t.strictSame([...merged.enrolments], [["s1", "p1"]]);
  t.end();
});

const links = fc
  .uniqueArray(fc.constantFrom("1", "2", "3"))
  .map((ids) => new Map(ids.map((id) => [id, `of ${id}`])));
/** Where a record goes follows from what it says. */
const records: fc.Arbitrary<PurchaseRecord> = fc
  .record({
    state: fc.constantFrom("authorized", "cleared", "reverted"),
    statementDescriptor: fc.constantFrom(null, "A", "B"),
    identifiers: fc.constantFrom(["a"], ["b"], ["a", "b"]),
    clips: links,
    enrolments: links,
  })
  .map((said) => ({
    ...RECORD,
    ...said,
    route: { retailerId: said.statementDescriptor ?? "none", shared: true },
  }));

const inOrder = (map: ReadonlyMap<string, string>) => [...map].sort();
const plain = (record: PurchaseRecord) => ({
  ...record,
  clips: inOrder(record.clips),
  enrolments: inOrder(record.enrolments),
});

t.test("mergeRecord - in any order, any number of times, records come to the same", (t) => {
  fc.assert(
    fc.property(
      fc.array(records, { minLength: 2, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (all, picks) => {
        const fold = (list: PurchaseRecord[]) => list.reduce((a, b) => mergeRecord(a, b, false));
        const shuffled = all.map((record) => [picks.next().value, record] as const);
        const other = shuffled.sort(([a], [b]) => a - b).map(([, record]) => record);
        t.strictSame(plain(fold([...other, ...all])), plain(fold(all)));
      },
    ),
    { seed: 8, numRuns: 500 },
  );
  t.end();
});
