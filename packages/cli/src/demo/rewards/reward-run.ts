import { PlatformClient, type StampedeClient } from "#client";
import type { Payment } from "#contract/platform";
import type { JudgedSection } from "../report.ts";
import type { SampleEvent } from "../sample.ts";
import type { Pair } from "../tally.ts";
import { type ConfiguredRetailer, configureRetailers, shopsOf } from "./configure-retailers.ts";
import { type ModelledRun, planRewards } from "./plan-rewards.ts";
import type { RewardPlan } from "./reward-plan.ts";
import { judgeRewards } from "./reward-section.ts";
import { awaitWallets, hasOpenWallets, openWallets } from "./wallets.ts";

/** Where the platform is, and its own token. */
export interface PlatformAccess {
  readonly url: string;
  readonly token: string;
}

interface RewardOptions {
  readonly publisher: StampedeClient;
  readonly platform: PlatformAccess;
  /** Calls made at once. */
  readonly lanes: number;
  /** How long everything may take to come to rest. */
  readonly settleMs: number;
}

/** Of the payments every second one is sent as soon as it is made: before the publisher has told of its purchase. */
const LIVE_EVERY = 2;

/** The retailers' side of one run: they are paid, their payments meet the sample's purchases, members are rewarded. */
export class RewardRun {
  readonly plan: RewardPlan;
  readonly #options: RewardOptions;
  readonly #retailers: readonly ConfiguredRetailer[];
  readonly #payments: Pair = { expected: 0, actual: 0 };

  private constructor(plan: RewardPlan, options: RewardOptions, retailers: readonly ConfiguredRetailer[]) {
    this.plan = plan;
    this.#options = options;
    this.#retailers = retailers;
  }

  /**
   * Makes ready what has to be there before the first purchase: retailers, programs, deals, enrolments and clips.
   * @param isSentAgain the run was made before. Its wallets are left as they are: they were all open before its first
   *   transaction was sent, and a clip that has been redeemed since must not be saved once more
   * @returns undefined if the run was made without a platform
   */
  static async prepare(
    options: RewardOptions,
    run: ModelledRun,
    sample: readonly SampleEvent[],
    isSentAgain: boolean,
  ): Promise<RewardRun | undefined> {
    const { publisher, platform, lanes } = options;
    const shops = shopsOf(sample);
    const plan = planRewards(run, shops);
    if (isSentAgain && !(await hasOpenWallets(publisher, plan.wallets))) return undefined;
    const client = new PlatformClient({ baseUrl: platform.url, token: platform.token });
    const retailers = await configureRetailers(client, publisher, shops).finally(() => client.close());
    if (!isSentAgain) await openWallets(publisher, plan.wallets, retailers, lanes);
    return new RewardRun(plan, options, retailers);
  }

  /** A part of the payments, before their purchases are sent. */
  payLive(): Promise<void> {
    return this.#pay((payments) => payments.filter((_, i) => i % LIVE_EVERY === 0));
  }

  /** All payments, as in a file of the night: those that were sent live come again, and must not count again. */
  payNightly(): Promise<void> {
    return this.#pay((payments) => payments);
  }

  /** Waits until everything has come to rest, so that the reversals which were held back meet full cards. */
  async settle(): Promise<void> {
    await this.#awaitWallets(true);
  }

  /** Waits until everything has come to what it must, and says what it has come to. */
  async judge(): Promise<JudgedSection> {
    await this.#awaitWallets(false);
    // All of them once more: a stamp too many may have come to a wallet that had been right before.
    return judgeRewards(this.plan, await this.#awaitWallets(false, 0), this.#payments);
  }

  async #pay(choose: (payments: readonly Payment[]) => readonly Payment[]): Promise<void> {
    for (const retailer of this.#retailers) {
      const payments = choose(this.plan.payments.get(retailer.retailer) ?? []);
      this.#payments.expected += payments.length;
      this.#payments.actual += await sendPayments(this.#options.platform, retailer, payments);
    }
  }

  #awaitWallets(beforeReversals: boolean, deadlineMs = this.#options.settleMs) {
    const { publisher, lanes } = this.#options;
    return awaitWallets(publisher, this.plan.wallets, this.#retailers, beforeReversals, {
      deadlineMs,
      lanes,
    });
  }
}

const PAYMENTS_PER_REQUEST = 200;

/**
 * Submits payments as the retailer does, with its own token. That of a retailer that was found is not told again; then
 * the platform's token says whose payments they are.
 * @returns how many were accepted
 */
async function sendPayments(
  platform: { readonly url: string; readonly token: string },
  { retailerId, token }: ConfiguredRetailer,
  payments: readonly Payment[],
): Promise<number> {
  const client = new PlatformClient({ baseUrl: platform.url, token: token ?? platform.token });
  const retailer = token === undefined ? { retailer_id: retailerId } : {};
  try {
    let accepted = 0;
    for (let start = 0; start < payments.length; start += PAYMENTS_PER_REQUEST) {
      const part = payments.slice(start, start + PAYMENTS_PER_REQUEST);
      const answer = await client.call("payment/ingest", { ...retailer, payments: part });
      accepted += answer.accepted;
    }
    return accepted;
  } finally {
    await client.close();
  }
}
