import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { transactionIdentifiers } from "../identifiers.ts";
import {
  findMerchantConflict,
  indexRoutes,
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
  ["a merchant id that nobody has", "M-3", "BREAD", UNKNOWN],
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

t.test("routing - the index says what reading all retailers says, in any order of them", async () => {
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
  ["as it is compared", retailer("a", [" m-1 "]), retailer("b", ["M-1"]), true],
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

t.test("route - a purchase goes to who had the merchant id when it was authorized", async (t) => {
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
    // Both had it by their first revisions, and no descriptor tells them apart.
    [1, "no_descriptor_matches"],
    [100, "first"],
    [199, "first"],
    [200, "second"],
    [300, "second"],
    [999, "second"],
  ];
  for (const [at, wanted] of cases) t.equal(to(at), wanted, `${at}`);
  t.equal(to(199, "m-2"), "unknown_merchant", "by a later revision than the first");
  t.equal(to(399, "m-2"), "first");
  t.equal(to(400, "m-2"), "unknown_merchant");
});
