import t from "tap";
import type { RewardEvent } from "#test-support";
import type { Span } from "./book.ts";
import type { State } from "./lifecycle.ts";
import { type KnownPurchase, settlementFaults } from "./settlement-order.ts";

const stamp = (what: string, ref: string) => ({ type: `qualifying_purchase.${what}`, transaction_ref: ref });
const cashback = (what: string, ref: string) => ({
  type: `cashback.${what}`,
  transaction_ref: ref,
  source: { type: "loyalty-program-redemption", redemption_id: "red_1" },
});
const MADE = [stamp("created", "A"), stamp("created", "B"), cashback("created", "B")];
const UNDONE = [...MADE, stamp("voided", "A"), cashback("reverted", "B"), stamp("unredeemed", "B")];
const STANDING = [...MADE, cashback("cleared", "B"), stamp("voided", "A")];

function faultsOf(events: object[], a: [State, Span?], b: [State, Span?], earliestStamp = 0): string[] {
  const known = (fate: State, settled: Span | undefined): KnownPurchase => ({ fate, settled, earliestStamp });
  const purchases = new Map([
    ["A", known(...(a as [State, Span | undefined]))],
    ["B", known(...(b as [State, Span | undefined]))],
  ]);
  return settlementFaults(events as RewardEvent[], 2, purchases);
}

const EARLY = { from: 10, until: 11 };
const LATE = { from: 20, until: 21 };
const UNKNOWN = { from: 10, until: Number.POSITIVE_INFINITY };

t.test("settlement order - a reversal before the clearing undoes the redemption", async (t) => {
  t.strictSame(faultsOf(UNDONE, ["reverted", EARLY], ["cleared", LATE]), []);
  t.match(faultsOf(STANDING, ["reverted", EARLY], ["cleared", LATE]), [
    /red_1 of B stands: A had been reverted/,
  ]);
});

t.test("settlement order - a clearing before the reversal lets the redemption stand", async (t) => {
  t.strictSame(faultsOf(STANDING, ["reverted", LATE], ["cleared", EARLY]), []);
  t.match(faultsOf(UNDONE, ["reverted", LATE], ["cleared", EARLY]), [/red_1 of B is undone: it had cleared/]);
});

t.test("settlement order - if it is unknown which came first, either is right", async (t) => {
  for (const events of [UNDONE, STANDING]) {
    t.strictSame(faultsOf(events, ["reverted", UNKNOWN], ["cleared", { ...LATE, from: 5 }]), []);
  }
});

t.test("settlement order - a redemption that was undone without a reversal is a fault", async (t) => {
  t.match(faultsOf(UNDONE, ["authorized"], ["cleared", EARLY]), [/red_1 of B is undone/]);
});

t.test(
  "settlement order - a stamp that was void before the last stamp could exist belongs to no redemption",
  async (t) => {
    t.match(faultsOf(STANDING, ["reverted", LATE], ["cleared", EARLY], 30), [/before it could have a stamp/]);
  },
);
