import type { PlatformRequestOf } from "#contract";
import type { SampleEvent } from "../sample.ts";

/** A retailer of the demo, its one loyalty program and its one deal. Amounts are in minor units of `CURRENCY`. */
export interface DemoRetailer {
  readonly name: string;
  /** Its shops are the merchants of the sample with such a name that are paid in `CURRENCY`. */
  readonly trades: readonly string[];
  readonly program: {
    readonly name: string;
    readonly threshold: number;
    readonly reward: { readonly type: "refund" } | { readonly type: "fixed-reward"; readonly amount: number };
  };
  readonly deal: {
    readonly name: string;
    readonly reward: PlatformRequestOf<"deal/upsert">["reward_config"];
    /** Smaller payments do not redeem it. */
    readonly minAmount: number;
  };
}

export const CURRENCY = "EUR";

export const DEMO_RETAILERS: readonly DemoRetailer[] = [
  {
    name: "Demo Coffee",
    trades: ["CAFE", "BAKERY"],
    program: { name: "Demo Coffee: every second one is on us", threshold: 2, reward: { type: "refund" } },
    deal: {
      name: "Demo Coffee: 10 % back, up to 3 euros",
      reward: { type: "percent", percent: 10, max_amount: 300 },
      minAmount: 1000,
    },
  },
  {
    name: "Demo Market",
    trades: ["GROCER", "PHARMACY", "BOOKS", "RECORDS", "CYCLES", "HOTEL"],
    program: {
      name: "Demo Market: 5 euros for three purchases",
      threshold: 3,
      reward: { type: "fixed-reward", amount: 500 },
    },
    deal: {
      name: "Demo Market: 2.50 euros back",
      reward: { type: "fixed", amount: 250, currency: CURRENCY },
      minAmount: 0,
    },
  },
];

/** The merchant ids of each retailer's shops, by what the sample says of them; in its order. */
export function shopsOf(events: readonly SampleEvent[]): ReadonlyMap<DemoRetailer, readonly string[]> {
  const shops = new Map(DEMO_RETAILERS.map((retailer) => [retailer, new Set<string>()]));
  const inCurrency = new Set(
    events.filter(({ currency }) => currency === CURRENCY).map(({ merchant_id }) => merchant_id),
  );
  for (const { merchant_id, statement_descriptor } of events) {
    const trade = statement_descriptor?.split(" ").at(-1) ?? "";
    const owner = DEMO_RETAILERS.find(({ trades }) => trades.includes(trade));
    if (owner !== undefined && inCurrency.has(merchant_id)) shops.get(owner)?.add(merchant_id);
  }
  return new Map([...shops].map(([retailer, ids]) => [retailer, [...ids]]));
}
