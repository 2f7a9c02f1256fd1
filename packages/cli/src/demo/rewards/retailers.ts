import { type PlatformClient, type StampedeClient, StampedeError } from "#client";
import type { PlatformRequestOf } from "#contract/platform";
import { CommandError } from "../../command-error.ts";
import { readUntil } from "../read-until.ts";
import { isMalformed, type SampleEntry } from "../sample.ts";

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

/** The merchant ids of each retailer's shops. */
export type Shops = ReadonlyMap<DemoRetailer, readonly string[]>;

/** By what the sample says of merchants; in its order. */
export function shopsOf(entries: readonly SampleEntry[]): Shops {
  const events = entries.flatMap((entry) => (isMalformed(entry) ? [] : [entry]));
  const inCurrency = new Set(
    events.filter(({ currency }) => currency === CURRENCY).map(({ merchant_id }) => merchant_id),
  );
  const idsOf = ({ trades }: DemoRetailer) =>
    events
      .filter(({ statement_descriptor: text }) => trades.includes(text?.split(" ").at(-1) ?? ""))
      .map(({ merchant_id }) => merchant_id)
      .filter((id) => inCurrency.has(id));
  return new Map(DEMO_RETAILERS.map((retailer) => [retailer, [...new Set(idsOf(retailer))]]));
}

/** A retailer as it is on the platform, and its program and deal as the publisher knows them. */
export interface ConfiguredRetailer {
  readonly retailerId: string;
  /** Only if it was made just now: the platform does not tell it again. */
  readonly token: string | undefined;
  readonly programId: string;
  readonly dealId: string;
}

export type ConfiguredRetailers = ReadonlyMap<DemoRetailer, ConfiguredRetailer>;

const SHOWN_WITHIN_MS = 30_000;

/**
 * Makes the retailers of the demo, or finds those of an earlier run by their names, and sees to it that they are as this
 * version of the demo wants them. When it resolves the publisher has their programs and deals.
 */
export async function configureRetailers(
  platform: PlatformClient,
  publisher: StampedeClient,
  shops: Shops,
): Promise<ConfiguredRetailers> {
  const [retailers, programs, deals] = await Promise.all([
    idsByName(platform.list("retailer/list")),
    idsByName(platform.list("loyalty-program/list")),
    idsByName(platform.list("deal/list")),
  ]);
  const configured = new Map<DemoRetailer, ConfiguredRetailer>();
  for (const [retailer, ids] of shops) {
    const { name, program, deal } = retailer;
    const merchant_ids = [...ids];
    const made = await platform.call("retailer/upsert", { ...retailers(name), merchant_ids });
    // The members of the sample join today, and its purchases are of January.
    const rules = { merchant_ids, currency: CURRENCY, retroactive: true };
    const madeProgram = await platform.call("loyalty-program/upsert", {
      ...programs(program.name),
      qualifying_threshold: program.threshold,
      reward_config: program.reward,
      display_content: describe(name, program.name),
      rules,
    });
    const madeDeal = await platform.call("deal/upsert", {
      ...deals(deal.name),
      reward_config: deal.reward,
      display_content: describe(name, deal.name),
      rules: { ...rules, min_amount: deal.minAmount },
    });
    await shown(() => publisher.call("loyalty-program/get", { id: madeProgram.id }), madeProgram);
    await shown(() => publisher.call("deal/get", { id: madeDeal.id }), madeDeal);
    configured.set(retailer, {
      retailerId: made.id,
      token: made.token,
      programId: madeProgram.id,
      dealId: madeDeal.id,
    });
  }
  return configured;
}

/** Names a record for an upsert: with its id if there is one of that name. */
async function idsByName(records: AsyncGenerator<{ readonly id: string; readonly name: string }>) {
  const ids = new Map<string, string>();
  for await (const { id, name } of records) ids.set(name, id);
  return (name: string): { name: string; id?: string } => {
    const id = ids.get(name);
    return id === undefined ? { name } : { name, id };
  };
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
  { name, updated_at }: { readonly name: string; readonly updated_at: string },
): Promise<void> {
  const readIfThere = () =>
    read().catch((error: unknown) => {
      if (error instanceof StampedeError && error.code === "not_found") return undefined;
      throw error;
    });
  const isNew = (found: { readonly updated_at: string } | undefined) =>
    found !== undefined && found.updated_at >= updated_at;
  const limits = { forMs: SHOWN_WITHIN_MS, everyMs: 50 };
  if (isNew(await readUntil(readIfThere, isNew, limits))) return;
  throw new CommandError(
    `"${name}" has not come from the platform to the publisher within ${SHOWN_WITHIN_MS / 1000} s`,
  );
}
