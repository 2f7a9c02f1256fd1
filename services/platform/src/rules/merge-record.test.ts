import fc from "fast-check";
import t from "tap";
import { mergeRecord, type PurchaseRecord } from "./merge-record.ts";

const RECORD: PurchaseRecord = {
  transactionId: "t",
  route: { retailerId: "r1", shared: false },
  state: "authorized",
  merchantId: "M",
  statementDescriptor: null,
  isFirstDescriptor: true,
  authedAt: 1,
  identifiers: ["a"],
  clips: new Map(),
  enrolments: new Map(),
};

t.test("mergeRecord - a record without new content returns the stored record itself", (t) => {
  const stored = { ...RECORD, identifiers: ["a", "b"], clips: new Map([["c", "d"]]) };
  t.equal(mergeRecord(stored, RECORD, false), stored);
  t.equal(mergeRecord(stored, { ...stored }, false), stored);
  t.end();
});

const CAFE = { retailerId: "cafe", shared: true };
const BAR = { retailerId: "bar", shared: true };
const AUTHORIZED = { ...RECORD, statementDescriptor: "CAFE", route: CAFE };
const SETTLED = { ...RECORD, isFirstDescriptor: false, statementDescriptor: "BAR", route: BAR };

t.test(
  "mergeRecord - a clearing or reversal is newer, and the first descriptor stands, whichever comes first",
  (t) => {
    for (const state of ["cleared", "reverted"] as const) {
      const settled = { ...SETTLED, state };
      const expected = { state, statementDescriptor: "CAFE", route: CAFE };
      t.match(mergeRecord(AUTHORIZED, settled, false), expected);
      t.match(mergeRecord(settled, AUTHORIZED, false), expected);
      t.match(
        mergeRecord(settled, mergeRecord(AUTHORIZED, settled, false), false),
        expected,
        "batches overlap",
      );
      const stored = { ...AUTHORIZED, state, isFirstDescriptor: false };
      t.equal(mergeRecord(stored, settled, false), stored, "as read from its row");
      t.match(
        mergeRecord(RECORD, settled, false),
        { state, statementDescriptor: "BAR", route: BAR },
        "no other",
      );
    }
    t.end();
  },
);

t.test("mergeRecord - a descriptor that was filled in stands before none", (t) => {
  t.match(mergeRecord(RECORD, AUTHORIZED, false), { statementDescriptor: "CAFE", route: CAFE });
  t.equal(mergeRecord(AUTHORIZED, RECORD, false), AUTHORIZED);
  t.end();
});

t.test("mergeRecord - a record that has its payment keeps its retailer", (t) => {
  t.match(mergeRecord(RECORD, AUTHORIZED, true), { statementDescriptor: "CAFE", route: RECORD.route });
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
/**
 * The route of a record follows from its content; its content before settling never varies, nor does that
 * after settling.
 */
const records: fc.Arbitrary<PurchaseRecord> = fc
  .record({
    state: fc.constantFrom("authorized", "cleared", "reverted"),
    isDescribed: fc.boolean(),
    identifiers: fc.constantFrom(["a"], ["b"], ["a", "b"]),
    clips: links,
    enrolments: links,
  })
  .map(({ isDescribed, ...said }) => {
    const isFirstDescriptor = said.state === "authorized";
    const statementDescriptor = isDescribed ? (isFirstDescriptor ? "A" : "B") : null;
    const route = { retailerId: statementDescriptor ?? "none", shared: true };
    return { ...RECORD, ...said, isFirstDescriptor, statementDescriptor, route };
  });

const inOrder = (map: ReadonlyMap<string, string>) => [...map].sort();
const plain = ({ isFirstDescriptor: _how, ...record }: PurchaseRecord) => ({
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
