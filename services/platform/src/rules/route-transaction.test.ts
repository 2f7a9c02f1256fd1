import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { transactionIdentifiers } from "#domain";
import {
  findMerchantConflict,
  indexRoutes,
  type RetailerRevision,
  type RetailerRoutes,
  type Route,
  routeTransaction,
} from "./route-transaction.ts";

/** Of retailers that never changed. */
const always = ({ id, ...value }: RetailerRoutes) => ({ id, since: 0, value });

const RUNS = { numRuns: Number(process.env.FC_RUNS ?? 500), seed: Number(process.env.FC_SEED ?? 5) };

function retailer(
  id: string,
  merchantIds: readonly string[],
  statementDescriptors: readonly string[] = [],
): RetailerRoutes {
  return { id, merchantIds, statementDescriptors };
}

const RETAILERS = [
  retailer("bakery", ["M-1", "M-2"], ["BREAD"]),
  retailer("cafe", ["MALL"], ["SQ *CAFE", "CAFE"]),
  retailer("cafe-north", ["MALL"], ["SQ *CAFE NORTH"]),
  retailer("silent", ["MALL"]),
  retailer("twin-b", ["MALL"], ["TWIN", " "]),
  retailer("twin-a", ["MALL"], ["twin", "TWIN"]),
  retailer("twice", ["M-9", "m-9 "], ["X"]),
];

const routed = (retailerId: string, shared: boolean): Route => ({ outcome: "routed", retailerId, shared });
const UNKNOWN: Route = { outcome: "unknown_merchant" };
const NO_MATCH: Route = { outcome: "no_descriptor_matches" };
const TWINS: Route = { outcome: "ambiguous", retailerIds: ["twin-a", "twin-b"] };

const ROWS: ReadonlyArray<readonly [claim: string, merchantId: string, descriptor: string | null, Route]> = [
  ["a merchant id of one retailer decides alone", "M-1", null, routed("bakery", false)],
  ["and whatever the descriptor says", "M-2", "CAFE", routed("bakery", false)],
  ["a merchant id without an owner", "M-3", "BREAD", UNKNOWN],
  ["a beginning of a merchant id is not one", "M", null, UNKNOWN],
  ["merchant ids are trimmed and upper-cased", " m-1\t", null, routed("bakery", false)],
  ["twice at one retailer is not shared", "M-9", null, routed("twice", false)],
  ["shared: by prefix", "MALL", "CAFE 12", routed("cafe", true)],
  ["shared: the whole descriptor is a prefix of itself", "MALL", "CAFE", routed("cafe", true)],
  ["shared: the longest prefix wins", "MALL", "SQ *CAFE NORTH 3", routed("cafe-north", true)],
  ["shared: the shorter one where the longer does not fit", "MALL", "SQ *CAFE SOUTH", routed("cafe", true)],
  ["shared: descriptors are trimmed and upper-cased", "mall", "  sq *cafe n", routed("cafe", true)],
  ["shared: a prefix stands at the beginning", "MALL", "THE CAFE", NO_MATCH],
  ["shared: a descriptor shorter than the prefix", "MALL", "CAF", NO_MATCH],
  ["shared: no descriptor", "MALL", null, NO_MATCH],
  ["shared: a blank descriptor, though a retailer has a blank prefix", "MALL", " ", NO_MATCH],
  ["shared: one prefix of two retailers", "MALL", "TWIN 1", TWINS],
];

for (const [claim, merchantId, descriptor, route] of ROWS) {
  t.test(`routing - ${claim}`, async (t) => {
    for (const order of [RETAILERS, RETAILERS.toReversed()]) {
      t.strictSame(routeTransaction(indexRoutes(order.map(always)), merchantId, descriptor, 1), route);
    }
  });
}

t.test("routing - without retailers nothing is routed", async (t) => {
  t.strictSame(routeTransaction(indexRoutes([]), "M-1", "CAFE", 1), UNKNOWN);
});

const texts = fc.string({ unit: fc.constantFrom("a", "B", " ", "b"), maxLength: 5 });
const retailers = fc
  .array(fc.record({ merchantIds: fc.array(texts), statementDescriptors: fc.array(texts) }), { maxLength: 5 })
  .map((list) => list.map((one, number) => ({ id: `r${number}`, ...one })));

/** Read off the contract, without an index. */
function naiveRoute(all: readonly RetailerRoutes[], merchantId: string, descriptor: string | null): Route {
  const same = (text: string) => text.trim().toUpperCase();
  const sharers = all.filter((one) => one.merchantIds.some((id) => same(id) === same(merchantId)));
  if (sharers.length === 0) return UNKNOWN;
  if (sharers.length === 1) return routed((sharers[0] as RetailerRoutes).id, false);
  const claims = sharers.flatMap(({ id, statementDescriptors }) =>
    statementDescriptors
      .map(same)
      .filter((prefix) => prefix !== "" && descriptor !== null && same(descriptor).startsWith(prefix))
      .map((prefix) => ({ id, length: prefix.length })),
  );
  const longest = Math.max(0, ...claims.map(({ length }) => length));
  const ids = [...new Set(claims.filter(({ length }) => length === longest).map(({ id }) => id))].sort();
  if (ids.length === 0) return NO_MATCH;
  return ids.length === 1 ? routed(ids[0] as string, true) : { outcome: "ambiguous", retailerIds: ids };
}

t.test("routing - the index agrees with reading all retailers, in any order", async () => {
  fc.assert(
    fc.property(retailers, texts, fc.option(texts), (all, merchantId, descriptor) => {
      const wanted = naiveRoute(all, merchantId, descriptor);
      assert.deepEqual(routeTransaction(indexRoutes(all.map(always)), merchantId, descriptor, 1), wanted);
      assert.deepEqual(
        routeTransaction(indexRoutes(all.map(always).toReversed()), merchantId, descriptor, 1),
        wanted,
      );
    }),
    RUNS,
  );
});

t.test("routing - spellings that make the same identifier take the same route", async () => {
  const spelling = fc.string({ unit: fc.constantFrom("s", "S", "ß", "ı", "I", " ", "\t"), maxLength: 3 });
  fc.assert(
    fc.property(spelling, spelling, (one, other) => {
      const six = (merchantId: string) =>
        transactionIdentifiers({ authCode: "A", network: "visa", bin: "457173", merchantId }).six;
      const route = routeTransaction(indexRoutes([retailer("r", [one])].map(always)), other, null, 1);
      assert.equal(route.outcome === "routed", six(one) === six(other));
    }),
    RUNS,
  );
});

const CONFLICTS: ReadonlyArray<
  readonly [
    claim: string,
    mine: ReturnType<typeof retailer>,
    theirs: ReturnType<typeof retailer>,
    taken: boolean,
  ]
> = [
  ["another merchant id", retailer("a", ["M-1"]), retailer("b", ["M-2"]), false],
  ["the same one", retailer("a", ["M-0", "M-1"]), retailer("b", ["M-1"]), true],
  ["in its compared form", retailer("a", [" m-1 "]), retailer("b", ["M-1"]), true],
  ["only one of them has a descriptor", retailer("a", ["M-1"], ["COFFEE"]), retailer("b", ["M-1"]), true],
  ["both have one", retailer("a", ["M-1"], ["COFFEE"]), retailer("b", ["M-1"], ["TEA"]), false],
  ["the same one", retailer("a", ["M-1"], ["TEA", "COFFEE"]), retailer("b", ["M-1"], ["coffee "]), true],
  ["a longer one", retailer("a", ["M-1"], ["COFFEE"]), retailer("b", ["M-1"], ["COFFEE NORTH"]), false],
  ["a blank one", retailer("a", ["M-1"], [" "]), retailer("b", ["M-1"], ["TEA"]), true],
];

for (const [claim, mine, theirs, isTaken] of CONFLICTS) {
  t.test(`merchant conflict - ${claim}: ${isTaken ? "taken" : "free"}`, async (t) => {
    const found = findMerchantConflict(mine, [theirs]);
    t.equal(found?.retailerId, isTaken ? "b" : undefined);
    t.equal(found?.merchantId, isTaken ? mine.merchantIds.at(-1) : undefined);
    t.equal(findMerchantConflict(theirs, [mine]) !== undefined, isTaken, "either way round");
  });
}

t.test("route - a purchase goes to the owner of the merchant id at the time of authorization", async (t) => {
  const routes = { merchantIds: ["m-1"], statementDescriptors: [] };
  const index = indexRoutes([
    { id: "first", since: 100, value: routes },
    { id: "first", since: 200, value: { ...routes, merchantIds: ["m-2"] } },
    { id: "first", since: 400, value: null },
    { id: "second", since: 300, value: routes },
  ]);
  const to = (at: number, merchantId = "M-1") => {
    const route = routeTransaction(index, merchantId, null, at);
    return route.outcome === "routed" ? route.retailerId : route.outcome;
  };
  const cases: [number, string][] = [
    [1, "first"],
    [100, "first"],
    [199, "first"],
    // The merchant id had no owner then: the first one counts.
    [200, "unknown_merchant"],
    [299, "unknown_merchant"],
    [300, "second"],
    [999, "second"],
  ];
  for (const [at, wanted] of cases) t.equal(to(at), wanted, `${at}`);
  t.equal(to(1, "m-2"), "first", "by a later revision than its first");
  t.equal(to(399, "m-2"), "first");
  t.equal(to(400, "m-2"), "unknown_merchant");
});

/** A history of retailers: the owner at each time, written from the contract without an index. */
function naiveRouteAt(
  all: readonly RetailerRevision[],
  at: number,
  merchantId: string,
  descriptor: string | null,
): Route {
  const ids = [...new Set(all.map(({ id }) => id))];
  const routeThen = (then: number) =>
    naiveRoute(
      ids.flatMap((id) => {
        const own = all.filter((one) => one.id === id).sort((a, b) => a.since - b.since);
        const last = own.findLast(({ since }) => since <= then);
        return last?.value ? [{ id, ...last.value }] : [];
      }),
      merchantId,
      descriptor,
    );
  const moments = [...new Set(all.map(({ since }) => since))].sort((a, b) => a - b);
  const first = moments.find((moment) => routeThen(moment).outcome !== "unknown_merchant");
  return routeThen(Math.max(at, first ?? at));
}

t.test(
  "regression - a purchase of before was of another retailer once one that came later shared the merchant id",
  async (t) => {
    const revisions = [
      { id: "first", since: 100, value: { merchantIds: ["m-1"], statementDescriptors: ["CAFE"] } },
      { id: "second", since: 200, value: { merchantIds: ["m-1"], statementDescriptors: ["BAR"] } },
    ];
    for (const known of [1, 2]) {
      const index = indexRoutes(revisions.slice(0, known));
      t.strictSame(routeTransaction(index, "M-1", "BAR 1", 50), routed("first", false), `${known} known`);
    }
  },
);

const histories = fc
  .array(
    fc.uniqueArray(
      fc.record({
        since: fc.integer({ min: 0, max: 9 }),
        value: fc.option(
          fc.record({
            merchantIds: fc.array(fc.constantFrom("a", "b"), { maxLength: 3 }),
            statementDescriptors: fc.array(fc.constantFrom("x", "xy", "Z", " "), { maxLength: 2 }),
          }),
          { freq: 5 },
        ),
      }),
      { selector: ({ since }) => since, minLength: 1, maxLength: 5 },
    ),
    { maxLength: 4 },
  )
  .map((all) => all.flatMap((revisions, number) => revisions.map((one) => ({ id: `r${number}`, ...one }))));

t.test("routing - at each moment the index agrees with reading all revisions, in any order", async () => {
  const descriptors = fc.option(fc.constantFrom("x", "xyz", "z", "q"));
  fc.assert(
    fc.property(histories, descriptors, (all, descriptor) => {
      const [index, other] = [indexRoutes(all), indexRoutes(all.toReversed())];
      for (const merchantId of ["A", "b"]) {
        for (let at = -1; at <= 10; at++) {
          const wanted = naiveRouteAt(all, at, merchantId, descriptor);
          assert.deepEqual(routeTransaction(index, merchantId, descriptor, at), wanted);
          assert.deepEqual(routeTransaction(other, merchantId, descriptor, at), wanted);
        }
      }
    }),
    RUNS,
  );
});

t.test("regression - indexing took the cube of a retailer's revisions", async (t) => {
  const merchantIds = Array.from({ length: 1000 }, (_, number) => `M-${number}`);
  let reads = 0;
  const revisions = Array.from({ length: 300 }, (_, since) => ({
    id: "r",
    since,
    value: {
      statementDescriptors: [],
      get merchantIds() {
        reads++;
        return since % 2 === 0 ? merchantIds : [...merchantIds, `NEW-${since}`];
      },
    },
  }));
  const index = indexRoutes(revisions);
  t.ok(reads <= 2 * revisions.length, `read ${reads} times`);
  const places = [...index.values()].reduce((sum, { owner }) => sum + owner.length, 0);
  t.equal(places, merchantIds.length + 2 * 150 - 1, "only changes have a place");
  t.strictSame(routeTransaction(index, "NEW-7", null, 7), routed("r", false));
  t.strictSame(routeTransaction(index, "NEW-7", null, 8), UNKNOWN);
});

t.test("regression - and a merchant id that many retailers share the square of their number", async (t) => {
  const revisions = Array.from({ length: 2000 }, (_, since) => ({
    id: `r${String(since).padStart(4, "0")}`,
    since,
    value: { merchantIds: ["MALL"], statementDescriptors: [`SHOP ${since} `] },
  }));
  const owners = indexRoutes(revisions).get("MALL");
  const places = [...(owners?.byPrefix.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
  t.equal(places, revisions.length);
  t.equal(owners?.owner.length, 2, "alone, then shared");
});

t.test("regression - one retailer with many merchant ids and prefixes took the memory of all", async (t) => {
  const many = (name: string) => Array.from({ length: 1000 }, (_, i) => `${name} ${i}`);
  const one = retailer("one", many("MID"), many("ONE"));
  const sole = indexRoutes([always(one)]);
  t.equal(new Set(sole.values()).size, 1, "its merchant ids share their owners");
  t.equal(sole.get("MID 0")?.byPrefix.size, 0, "no prefix decides");
  const shared = indexRoutes([one, retailer("other", many("MID"), many("OTHER"))].map(always));
  t.equal(new Set(shared.values()).size, 1);
  t.strictSame(routeTransaction(shared, "MID 7", "other 12", 0), routed("other", true));
});
