import { type PlatformClient, type StampedeClient, StampedeError } from "#client";
import type { PlatformAnswerOf } from "#contract/platform";
import { CommandError } from "../command-error.ts";
import { readUntil } from "../demo/read-until.ts";

const PROGRAM = "Simulated: 5 euros for three purchases";
const MERCHANT = "SIMULATED-1";
const RETAILER = "Simulated retailer of";
const SHOWN_WITHIN_MS = 30_000;

/** The program that is used where none is named, by its name; made when it is not there. When it resolves the publisher has it. */
export async function makeOwnProgram(client: StampedeClient, platform: PlatformClient): Promise<string> {
  const known = await findByName(platform.list("loyalty-program/list"), PROGRAM);
  const { id } =
    known ??
    (await platform.call("loyalty-program/upsert", {
      name: PROGRAM,
      qualifying_threshold: 3,
      reward_config: { type: "fixed-reward", amount: 500 },
      display_content: {
        title: PROGRAM,
        image: "https://example.com/simulated.png",
        summary: PROGRAM,
        description: "Made by `stampede simulate`.",
        terms: "Only for simulated purchases.",
      },
      rules: { merchant_ids: [MERCHANT], currency: "EUR" },
    }));
  const limits = { forMs: SHOWN_WITHIN_MS, everyMs: 50 };
  if (await readUntil(() => isShown(client, id), Boolean, limits)) return id;
  throw new CommandError(`the program ${id} has not come from the platform to the publisher within 30 s`);
}

async function isShown(client: StampedeClient, id: string): Promise<boolean> {
  try {
    await client.call("loyalty-program/get", { id });
    return true;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "not_found") return false;
    throw error;
  }
}

/** A retailer for this merchant, which no other has. */
export async function makeRetailer(
  platform: PlatformClient,
  merchantId: string,
): Promise<PlatformAnswerOf<"retailer/get">> {
  const { token: _, ...made } = await platform.call("retailer/upsert", {
    name: `${RETAILER} ${merchantId}`,
    merchant_ids: [merchantId],
  });
  return made;
}

async function findByName<T extends { readonly name: string }>(
  records: AsyncIterable<T>,
  wanted: string,
): Promise<T | undefined> {
  for await (const record of records) if (record.name === wanted) return record;
  return undefined;
}
