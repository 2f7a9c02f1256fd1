import { setTimeout as delay } from "node:timers/promises";
import { type PlatformClient, type StampedeClient, StampedeError } from "#client";
import type { PlatformAnswerOf } from "#contract/platform";
import { CommandError } from "../command-error.ts";

const RETAILER = "Simulated retailer of";
const SHOWN_WITHIN_MS = 30_000;

/** A program of a command's own: a fixed reward in euros for a number of purchases at one merchant. */
interface OwnProgram {
  readonly name: string;
  readonly merchantId: string;
  readonly threshold: number;
  /** Minor units. */
  readonly reward: number;
  /** The command that makes it. */
  readonly madeBy: string;
}

/** For `stampede simulate` without `--program` and `--deal`. */
const SIMULATED: OwnProgram = {
  name: "Simulated: 5 euros for three purchases",
  merchantId: "SIMULATED-1",
  threshold: 3,
  reward: 500,
  madeBy: "stampede simulate",
};

/** Finds or makes the program of this name. When it resolves, the publisher has the program. */
export async function makeOwnProgram(
  client: StampedeClient,
  platform: PlatformClient,
  { name, merchantId, threshold, reward, madeBy }: OwnProgram = SIMULATED,
): Promise<string> {
  const known = await findByName(platform.list("loyalty-program/list"), name);
  const { id } =
    known ??
    (await platform.call("loyalty-program/upsert", {
      name,
      qualifying_threshold: threshold,
      reward_config: { type: "fixed-reward", amount: reward },
      display_content: {
        title: name,
        image: "https://example.com/simulated.png",
        summary: name,
        description: `Made by \`${madeBy}\`.`,
        terms: "Only for simulated purchases.",
      },
      rules: { merchant_ids: [merchantId], currency: "EUR" },
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

/** Makes a retailer for a merchant without one. */
export async function makeRetailer(
  platform: PlatformClient,
  merchantId: string,
  name = `${RETAILER} ${merchantId}`,
): Promise<PlatformAnswerOf<"retailer/get">> {
  const { token: _, ...made } = await platform.call("retailer/upsert", {
    name,
    merchant_ids: [merchantId],
  });
  return made;
}

/** Reads again and again until `isDone`, or until the deadline; then returns the last result. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isDone: (found: T) => boolean,
  { forMs, everyMs }: { readonly forMs: number; readonly everyMs: number },
): Promise<T> {
  const deadline = performance.now() + forMs;
  for (;;) {
    const found = await read();
    if (isDone(found) || performance.now() > deadline) return found;
    await delay(everyMs);
  }
}

/** The first record of this name. */
export async function findByName<T extends { readonly name: string }>(
  records: AsyncIterable<T>,
  wanted: string,
): Promise<T | undefined> {
  for await (const record of records) if (record.name === wanted) return record;
  return undefined;
}
