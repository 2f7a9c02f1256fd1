import { PlatformClient, type StampedeClient, StampedeError } from "#client";
import type { Payment } from "#contract/platform";
import type { PreparedRun } from "../prepare-run.ts";
import type { Section } from "../report.ts";
import { planRewards } from "./plan-rewards.ts";
import {
  type ConfiguredRetailer,
  type ConfiguredRetailers,
  configureRetailers,
  shopsOf,
} from "./retailers.ts";
import { awaitWallets, hasOpenWallets, judgeRewards, openWallets } from "./wallets.ts";

/** Where the platform is, and its own token. */
export interface PlatformAccess {
  readonly url: string;
  readonly token: string;
}

interface RewardOptions {
  readonly publisher: StampedeClient;
  /** Calls made at once. */
  readonly lanes: number;
  /** How long everything may take to come to rest. */
  readonly settleMs: number;
}

/** The retailers' side of one run: they are paid, their payments meet the sample's purchases, members are rewarded. */
export type RewardRun = Exclude<Awaited<ReturnType<typeof prepareRewards>>, string>;

/** Of the payments every second one is sent as soon as it is made: before the publisher has told of its purchase. */
const LIVE_EVERY = 2;

/**
 * Makes ready what has to be there before the first purchase: retailers, programs, deals, enrolments and clips. The
 * wallets of a run that was made before are left as they are: they were all open before its first transaction was sent,
 * and a clip that has been redeemed since must not be saved once more.
 * @returns why nothing is rewarded, if nothing is
 */
export async function prepareRewards(
  run: PreparedRun,
  platform: PlatformAccess | undefined,
  { publisher, lanes, settleMs }: RewardOptions,
) {
  if (platform === undefined) return "no platform runs here";
  const shops = shopsOf(run.sample.entries);
  const plan = planRewards(run.tag, run.memberIds, run.whole, shops);
  const client = new PlatformClient({ baseUrl: platform.url, token: platform.token });
  let retailers: ConfiguredRetailers;
  try {
    if (!(await answers(client))) return `no platform answers at ${platform.url}`;
    if (run.isSentAgain && !(await hasOpenWallets(publisher, plan.wallets)))
      return "this run was made without a platform";
    retailers = await configureRetailers(client, publisher, shops);
  } finally {
    await client.close();
  }
  if (!run.isSentAgain) await openWallets(publisher, plan.wallets, retailers, lanes);

  const accepted = { expected: 0, actual: 0 };
  const pay = async (choose: (payments: readonly Payment[]) => readonly Payment[]): Promise<void> => {
    for (const [retailer, configured] of retailers) {
      const payments = choose(plan.payments.get(retailer) ?? []);
      accepted.expected += payments.length;
      accepted.actual += await sendPayments(platform, configured, payments);
    }
  };
  const settle = (beforeReversals: boolean, forMs = settleMs) =>
    awaitWallets(publisher, plan.wallets, retailers, beforeReversals, { forMs, lanes });
  return {
    plan,
    /** A part of the payments, before their purchases are sent. */
    payLive: () => pay((payments) => payments.filter((_, i) => i % LIVE_EVERY === 0)),
    /** All payments, as in a file of the night: those that were sent live come again, and must not count again. */
    payNightly: () => pay((payments) => payments),
    /** Waits until everything has come to rest, so that the reversals which were held back meet full cards. */
    settle: () => settle(true),
    /** Waits until everything has come to what it must, and says what it has come to. */
    async judge(): Promise<Section> {
      await settle(false);
      // All of them once more: a stamp too many may have come to a wallet that had been right before.
      return judgeRewards(plan, await settle(false, 0), accepted);
    },
  };
}

/** An installation may have its platform elsewhere, or none. One that answers and refuses is a fault to be told. */
async function answers(platform: PlatformClient): Promise<boolean> {
  try {
    await platform.call("retailer/list", { pagination: { limit: 1 } }, { retryForMs: 1_000 });
    return true;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "connection_error") return false;
    throw error;
  }
}

const PAYMENTS_PER_REQUEST = 200;

/**
 * Submits payments as the retailer does, with its own token. That of a retailer that was found is not told again; then
 * the platform's token says whose payments they are.
 * @returns how many were accepted
 */
async function sendPayments(
  platform: PlatformAccess,
  { retailerId: retailer_id, token }: ConfiguredRetailer,
  payments: readonly Payment[],
): Promise<number> {
  const client = new PlatformClient({ baseUrl: platform.url, token: token ?? platform.token });
  const whose = token === undefined ? { retailer_id } : {};
  try {
    let accepted = 0;
    for (let start = 0; start < payments.length; start += PAYMENTS_PER_REQUEST) {
      const part = payments.slice(start, start + PAYMENTS_PER_REQUEST);
      accepted += (await client.call("payment/ingest", { ...whose, payments: part })).accepted;
    }
    return accepted;
  } finally {
    await client.close();
  }
}
