import t from "tap";
import { findMerchantConflict } from "./merchant-conflict.ts";

const retailer = (id: string, merchantIds: string[], statementDescriptors: string[] = []) => ({
  id,
  merchantIds,
  statementDescriptors,
});
const ROWS: ReadonlyArray<
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

for (const [claim, mine, theirs, isTaken] of ROWS) {
  t.test(`merchant conflict - ${claim}: ${isTaken ? "taken" : "free"}`, async (t) => {
    const found = findMerchantConflict(mine, [theirs]);
    t.equal(found?.retailerId, isTaken ? "b" : undefined);
    t.equal(found?.merchantId, isTaken ? mine.merchantIds.at(-1) : undefined);
    t.equal(findMerchantConflict(theirs, [mine]) !== undefined, isTaken, "either way round");
  });
}
