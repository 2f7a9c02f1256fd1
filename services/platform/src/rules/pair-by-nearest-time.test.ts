import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import {
  type Half,
  PAIRING_WINDOW_MICROSECONDS,
  type Pair,
  PriorityQueue,
  pairByNearestTime,
} from "./pair-by-nearest-time.ts";

const RUNS = { numRuns: Number(process.env.FC_RUNS ?? 2000), seed: Number(process.env.FC_SEED ?? 5) };
const NOON = 1_780_000_000_000_000;
const DAY = 86_400_000_000;
const WINDOW = 30 * DAY;

/** `p1@2:x,y` is a half p1, two microseconds after noon, with the identifiers x and y; `x,y/68` says over how many digits. */
function half(text: string, retailerId = "shop"): Half {
  const [id = "", at = "", identifiers = "", binDigits] = text.split(/[@:/]/);
  return { id, retailerId, identifiers: identifiers.split(","), binDigits, at: NOON + Number(at) };
}
const halves = (text: string): Half[] =>
  text
    .split(" ")
    .filter(Boolean)
    .map((one) => half(one));
const pairsOf = (pairs: readonly Pair[]): string[] =>
  pairs.map(({ paymentId, recordId }) => `${paymentId}-${recordId}`);

const ROWS: ReadonlyArray<readonly [claim: string, payments: string, records: string, pairs: string[]]> = [
  ["an equal identifier", "p1@0:x", "r1@5:x", ["p1-r1"]],
  ["the payment may be the earlier or the later one", "p1@5:x", "r1@0:x", ["p1-r1"]],
  ["one of several that is all the other side has is enough", "p1@0:a,b,c", "r1@0:b", ["p1-r1"]],
  ["likewise the other way", "p1@0:b", "r1@0:z,b", ["p1-r1"]],
  [
    "where each side has two, both must be equal: six digits in common are two cards",
    "p1@0:six,a",
    "r1@0:six,b",
    [],
  ],
  ["both of them", "p1@0:six,a", "r1@0:six,a", ["p1-r1"]],
  [
    "the nearer card with the same six digits is left alone",
    "p1@0:six,a",
    "r1@0:six,b r2@9:six,a",
    ["p1-r2"],
  ],
  ["one that knows six digits takes the nearest of them", "p1@0:six", "r1@5:six,b r2@9:six,a", ["p1-r1"]],
  ["no identifier in common", "p1@0:x", "r1@0:y", []],
  ["two sixes of two networks: one of them is enough", "p1@0:v6,m6/66", "r1@0:m6,m8", ["p1-r1"]],
  ["and of a record that knows six digits alone", "p1@0:v6,m6/66", "r1@0:m6", ["p1-r1"]],
  ["two that do not say so may be the six and the eight of one card", "p1@0:v6,m6", "r1@0:m6,m8", []],
  [
    "two networks with both lengths: the six and the eight of one",
    "p1@0:v6,v8,m6,m8/6868",
    "r1@0:m6,m8",
    ["p1-r1"],
  ],
  ["in any order of them", "p1@0:m8,v6,v8,m6/8686", "r1@0:m6,m8", ["p1-r1"]],
  ["the six of one card and the eight of another", "p1@0:v6,v8,m6,m8/6868", "r1@0:m6,other", []],
  ["a record that knows six digits alone", "p1@0:v6,v8,m6,m8/6868", "r1@0:m6", ["p1-r1"]],
  ["two sixes are not the six and the eight of a card", "p1@0:v6,m6,v8/668", "r1@0:v6,m6", []],
  ["eights alone", "p1@0:v8,m8/88", "r1@0:m6,m8", ["p1-r1"]],
  ["one that says so", "p1@0:m6/6", "r1@0:m6,m8", ["p1-r1"]],
  ["a half without identifiers", "p1@0:x", "r1@0", []],
  ["nothing to pair", "", "r1@0:x", []],
  ["exactly 30 days", "p1@0:x", `r1@${WINDOW}:x`, ["p1-r1"]],
  ["30 days and a microsecond", "p1@0:x", `r1@${WINDOW + 1}:x`, []],
  ["exactly 30 days the other way", `p1@${WINDOW}:x`, "r1@0:x", ["p1-r1"]],
  ["30 days and a microsecond the other way", `p1@${WINDOW + 1}:x`, "r1@0:x", []],
  ["two with one identifier pair by nearest time", "p1@0:x p2@10:x", "r1@9:x r2@1:x", ["p1-r2", "p2-r1"]],
  ["one payment takes the nearer of two records", "p1@0:x", "r1@-3:x r2@2:x", ["p1-r2"]],
  ["one record takes the nearer of two payments", "p1@4:x p2@-3:x", "r1@0:x", ["p2-r1"]],
  ["a half that lost the nearest takes the next", "p1@0:x p2@1:x", "r1@2:x r2@9:x", ["p2-r1", "p1-r2"]],
  [
    "a half left between two pairs reaches over them",
    "p1@0:x p2@10:x",
    "r1@11:x r2@30:x",
    ["p2-r1", "p1-r2"],
  ],
  ["two identifiers in common make one pair", "p1@0:x,y p2@9:x,y", "r1@1:x,y", ["p1-r1"]],
  ["an identifier that is given twice counts once", "p1@0:x,x", "r1@1:x,x", ["p1-r1"]],
  ["a half paired by one identifier is gone from the other", "p1@0:x,y", "r1@1:x r2@2:y", ["p1-r1"]],
  ["equally near: the earlier record", "p1@0:x", "r1@5:x r2@-5:x", ["p1-r2"]],
  ["equally near: the earlier payment", "p1@5:x p2@-5:x", "r1@0:x", ["p2-r1"]],
  ["a half that is given twice counts once", "p1@0:x p1@0:x", "r1@0:x r2@1:x", ["p1-r1"]],
  ["a payment and a record may have one id", "h1@0:x", "h1@0:x", ["h1-h1"]],
];

for (const [claim, payments, records, pairs] of ROWS) {
  t.test(`pairing - ${claim}`, async (t) => {
    t.strictSame(pairsOf(pairByNearestTime(halves(payments), halves(records))), pairs);
    t.strictSame(
      pairsOf(pairByNearestTime(halves(payments).reverse(), halves(records).reverse())),
      pairs,
      "in the other order",
    );
  });
}

t.test("pairing - the window is 30 days", async (t) => {
  t.equal(PAIRING_WINDOW_MICROSECONDS, WINDOW);
});

t.test("pairing - a payment matches only records of its retailer", async (t) => {
  const pairs = pairByNearestTime([half("p1@0:x", "a")], [half("r1@0:x", "b"), half("r2@9:x", "a")]);
  t.strictSame(pairsOf(pairs), ["p1-r2"]);
});

t.test(
  "pairing - ten thousand payments and records of one identifier take no hundred million steps",
  async (t) => {
    // All payments before all records is the worst case for rounds: each round leaves one new pair.
    const payments = Array.from({ length: 10_000 }, (_, i) => half(`p${i}@${i}:x`));
    const records = Array.from({ length: 10_000 }, (_, i) => half(`r${i}@${10_000 + i}:x`));
    let reads = 0;
    const counted = (one: Half): Half => ({
      ...one,
      get at() {
        reads += 1;
        return one.at;
      },
    });
    const pairs = pairByNearestTime(payments.map(counted), records.map(counted));
    t.equal(pairs.length, 10_000);
    t.strictSame(pairs[9_999], { paymentId: "p0", recordId: "r9999" });
    t.ok(reads < 5_000_000, `${reads} looks at a time`);
  },
);

/** Few times and identifiers, so that ties, shared identifiers and the edge of the window are common. */
const side = (letter: "p" | "r"): fc.Arbitrary<Half[]> =>
  fc
    .array(
      fc.record({
        retailerId: fc.constantFrom("a", "a", "b"),
        identifiers: fc.uniqueArray(fc.constantFrom("x", "y", "z"), { maxLength: 3 }),
        digits: fc.option(fc.array(fc.constantFrom("6", "8"), { minLength: 3, maxLength: 3 })),
        at: fc
          .tuple(fc.constantFrom(0, 0, DAY, WINDOW, -WINDOW), fc.integer({ min: -4, max: 4 }))
          .map(([far, near]) => NOON + far + near),
      }),
      { maxLength: 8 },
    )
    .map((list) =>
      list.map(({ digits, ...one }, number) => ({
        id: `${letter}${number}`,
        ...one,
        binDigits:
          letter === "p" && digits !== null ? digits.slice(0, one.identifiers.length).join("") : null,
      })),
    );

const distance = (payment: Half, record: Half) => Math.abs(payment.at - record.at);

const inCommon = (payment: Half, record: Half) =>
  payment.identifiers.filter((identifier) => record.identifiers.includes(identifier)).length;

/** Written from the contract, section 7. */
function match(payment: Half, record: Half): boolean {
  const common = inCommon(payment, record);
  const { binDigits, identifiers } = payment;
  if (binDigits == null)
    return common > 0 && common >= Math.min(identifiers.length, record.identifiers.length, 2);
  const are = (digits: string) => identifiers.filter((_, i) => binDigits[i] === digits);
  const [sixes, eights] = [are("6"), are("8")];
  if (sixes.length === 0 || eights.length === 0 || record.identifiers.length === 1) return common > 0;
  const has = (one: string) => record.identifiers.includes(one);
  return sixes.some(has) && eights.some(has);
}

const canPair = (payment: Half, record: Half) =>
  payment.retailerId === record.retailerId && match(payment, record) && distance(payment, record) <= WINDOW;

t.test("pairing - at most one to one, and only halves that can be a pair", async () => {
  fc.assert(
    fc.property(side("p"), side("r"), (payments, records) => {
      const pairs = pairByNearestTime(payments, records);
      assert.equal(new Set(pairs.map(({ paymentId }) => paymentId)).size, pairs.length);
      assert.equal(new Set(pairs.map(({ recordId }) => recordId)).size, pairs.length);
      for (const { paymentId, recordId } of pairs) {
        const payment = payments.find(({ id }) => id === paymentId) as Half;
        const record = records.find(({ id }) => id === recordId) as Half;
        assert.ok(canPair(payment, record), `${paymentId}-${recordId}`);
      }
    }),
    RUNS,
  );
});

t.test(
  "pairing - no two possible partners are both nearer to each other than to their partners",
  async () => {
    fc.assert(
      fc.property(side("p"), side("r"), (payments, records) => {
        const reached = new Map<string, number>();
        for (const { paymentId, recordId } of pairByNearestTime(payments, records)) {
          const payment = payments.find(({ id }) => id === paymentId) as Half;
          const record = records.find(({ id }) => id === recordId) as Half;
          reached.set(paymentId, distance(payment, record));
          reached.set(recordId, distance(payment, record));
        }
        const got = ({ id }: Half) => reached.get(id) ?? Number.POSITIVE_INFINITY;
        for (const payment of payments) {
          for (const record of records.filter((one) => canPair(payment, one))) {
            const nearer = distance(payment, record) < Math.min(got(payment), got(record));
            const bothFree = got(payment) === got(record) && !reached.has(payment.id);
            assert.ok(!nearer && !bothFree, `${payment.id}-${record.id}`);
          }
        }
      }),
      RUNS,
    );
  },
);

t.test("pairing - the order in which halves, identifiers and pairs are given does not matter", async () => {
  const shuffled = <T>(list: readonly T[]) =>
    fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
  const cases = fc.tuple(side("p"), side("r")).chain(([payments, records]) =>
    fc.record({
      payments: fc.constant(payments),
      records: fc.constant(records),
      otherPayments: shuffled(payments),
      otherRecords: shuffled(records),
    }),
  );
  const turned = (one: Half): Half => ({
    ...one,
    identifiers: one.identifiers.toReversed(),
    binDigits: one.binDigits == null ? null : [...one.binDigits].reverse().join(""),
  });
  fc.assert(
    fc.property(cases, ({ payments, records, otherPayments, otherRecords }) => {
      assert.deepEqual(
        pairByNearestTime(otherPayments.map(turned), otherRecords.map(turned)),
        pairByNearestTime(payments, records),
      );
    }),
    RUNS,
  );
});

t.test("pairing - in several batches all pairs are one to one, and no pair is left", async () => {
  const pairRest = (payments: readonly Half[], records: readonly Half[], pairs: readonly Pair[]) => {
    const paired = new Set(pairs.flatMap(({ paymentId, recordId }) => [paymentId, recordId]));
    const isOpen = ({ id }: Half) => !paired.has(id);
    return pairByNearestTime(payments.filter(isOpen), records.filter(isOpen));
  };
  fc.assert(
    fc.property(side("p"), side("r"), fc.nat({ max: 8 }), fc.nat({ max: 8 }), (payments, records, p, r) => {
      const first = pairByNearestTime(payments.slice(0, p), records.slice(0, r));
      const second = pairRest(payments, records, first);
      const all = [...first, ...second];
      assert.equal(new Set(all.map(({ paymentId }) => paymentId)).size, all.length);
      assert.equal(new Set(all.map(({ recordId }) => recordId)).size, all.length);
      assert.deepEqual(pairRest(payments, records, all), []);
    }),
    RUNS,
  );
});

t.test("priority queue - pop gives the first of its items, between any pushes and pops", async () => {
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
