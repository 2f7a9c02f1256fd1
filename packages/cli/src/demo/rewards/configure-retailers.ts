import { setTimeout as delay } from "node:timers/promises";
import { type PlatformClient, type StampedeClient, StampedeError } from "#client";
import { CommandError } from "../../command-error.ts";
import { CURRENCY, type DemoRetailer } from "./demo-retailers.ts";

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
