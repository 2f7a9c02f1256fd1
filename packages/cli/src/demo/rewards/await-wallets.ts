import { setTimeout as delay } from "node:timers/promises";
import type { StampedeClient } from "#client";
import type { ConfiguredRetailer } from "./configure-retailers.ts";
import { type CardCount, countCard } from "./count-card.ts";
import { inLanes } from "./in-lanes.ts";
import { readWallet, type WalletRead } from "./read-wallet.ts";
import type { PlannedCard, PlannedWallet } from "./reward-plan.ts";

const POLL_MS = 100;

export interface WaitOptions {
  readonly deadlineMs: number;
  /** Wallets read at once. */
  readonly lanes: number;
}

/**
 * Reads wallets until each is as the plan says, or until the deadline; one that is so is not asked for again.
 * @returns as each was read last
 */
export async function awaitWallets(
  client: StampedeClient,
  wallets: readonly PlannedWallet[],
  retailers: readonly ConfiguredRetailer[],
  beforeReversals: boolean,
  { deadlineMs, lanes }: WaitOptions,
): Promise<ReadonlyMap<PlannedWallet, WalletRead>> {
  const deadline = performance.now() + deadlineMs;
  const reads = new Map<PlannedWallet, WalletRead>();
  let open = wallets;
  for (;;) {
    await inLanes(open, lanes, async (wallet) => {
      reads.set(wallet, await readWallet(client, wallet, retailers));
    });
    open = open.filter((wallet) => !isAsPlanned(wallet, reads.get(wallet) as WalletRead, beforeReversals));
    if (open.length === 0 || performance.now() > deadline) return reads;
    await delay(POLL_MS);
  }
}

/** @param beforeReversals as it is then, though a card of a run that is sent again may be past them */
export function isAsPlanned({ cards }: PlannedWallet, read: WalletRead, beforeReversals: boolean): boolean {
  const isDone = (card: PlannedCard, i: number) =>
    isSame(countCard(card, false), read.cards[i]) ||
    (beforeReversals && isSame(countCard(card, true), read.cards[i]));
  return read.strays === 0 && cards.every(isDone);
}

function isSame(expected: CardCount, actual: CardCount | undefined): boolean {
  const names = Object.keys(expected) as (keyof CardCount)[];
  return names.every((name) => expected[name] === actual?.[name]);
}
