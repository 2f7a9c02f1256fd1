import { setTimeout as delay } from "node:timers/promises";
import { type PlatformClient, type StampedeClient, StampedeError } from "#client";
import type { PlatformRequestOf } from "#contract/platform";
import { CommandError } from "../../command-error.ts";
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

const DEMO_RETAILERS: readonly DemoRetailer[] = [
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

/** A retailer as it is on the platform, and its program and deal as the publisher knows them. */
export interface ConfiguredRetailer {
  readonly retailer: DemoRetailer;
  readonly retailerId: string;
  /** Only if it was made just now: the platform does not tell it again. */
  readonly token: string | undefined;
  readonly programId: string;
  readonly dealId: string;
}

const POLL_MS = 50;
const SHOWN_WITHIN_MS = 30_000;

/**
 * Makes the retailers of the demo, or finds those of an earlier run by their names, and sees to it that they are as this
 * version of the demo wants them. When it resolves the publisher has their programs and deals.
 */
export async function configureRetailers(
  platform: PlatformClient,
  publisher: StampedeClient,
  shops: ReadonlyMap<DemoRetailer, readonly string[]>,
): Promise<ConfiguredRetailer[]> {
  const [retailers, programs, deals] = await Promise.all([
    idsByName(platform.list("retailer/list")),
    idsByName(platform.list("loyalty-program/list")),
    idsByName(platform.list("deal/list")),
  ]);
  const configured: ConfiguredRetailer[] = [];
  for (const [retailer, merchantIds] of shops) {
    const { name, program, deal } = retailer;
    const made = await platform.call("retailer/upsert", {
      ...identified(retailers.get(name)),
      name,
      merchant_ids: [...merchantIds],
    });
    // The members of the sample join today, and its purchases are of January.
    const rules = { merchant_ids: [...merchantIds], currency: CURRENCY, retroactive: true };
    const madeProgram = await platform.call("loyalty-program/upsert", {
      ...identified(programs.get(program.name)),
      name: program.name,
      qualifying_threshold: program.threshold,
      reward_config: program.reward,
      display_content: describe(name, program.name),
      rules,
    });
    const madeDeal = await platform.call("deal/upsert", {
      ...identified(deals.get(deal.name)),
      name: deal.name,
      reward_config: deal.reward,
      display_content: describe(name, deal.name),
      rules: { ...rules, min_amount: deal.minAmount },
    });
    await shown(() => publisher.call("loyalty-program/get", { id: madeProgram.id }), madeProgram);
    await shown(() => publisher.call("deal/get", { id: madeDeal.id }), madeDeal);
    configured.push({
      retailer,
      retailerId: made.id,
      token: made.token,
      programId: madeProgram.id,
      dealId: madeDeal.id,
    });
  }
  return configured;
}

async function idsByName(
  records: AsyncGenerator<{ readonly id: string; readonly name: string }>,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const { id, name } of records) ids.set(name, id);
  return ids;
}

function identified(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}

function describe(retailer: string, title: string) {
  return {
    title,
    image: "https://example.com/demo.png",
    summary: title,
    description: `What ${retailer} offers to the members of the demo.`,
    terms: "Only for purchases of the sample.",
  };
}

/** Waits until the publisher has a program or deal as the platform has it now: the link brings it within a second. */
async function shown(
  read: () => Promise<{ readonly updated_at: string }>,
  wanted: { readonly name: string; readonly updated_at: string },
): Promise<void> {
  const deadline = performance.now() + SHOWN_WITHIN_MS;
  for (;;) {
    const found = await read().catch((error: unknown) => {
      if (error instanceof StampedeError && error.code === "not_found") return undefined;
      throw error;
    });
    if (found !== undefined && found.updated_at >= wanted.updated_at) return;
    if (performance.now() > deadline) {
      throw new CommandError(
        `"${wanted.name}" has not come from the platform to the publisher within ${SHOWN_WITHIN_MS / 1000} s`,
      );
    }
    await delay(POLL_MS);
  }
}
