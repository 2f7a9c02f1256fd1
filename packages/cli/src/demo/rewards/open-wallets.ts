import type { StampedeClient } from "#client";
import type { ConfiguredRetailer } from "./configure-retailers.ts";
import { inLanes } from "./in-lanes.ts";
import type { PlannedWallet } from "./reward-plan.ts";

/** Enrols the members in the programs of their cards, and saves their clips. Their memberbase is new, so nothing is there. */
export async function openWallets(
  client: StampedeClient,
  wallets: readonly PlannedWallet[],
  retailers: readonly ConfiguredRetailer[],
  lanes: number,
): Promise<void> {
  await inLanes(wallets, lanes, async ({ memberId, cards }) => {
    for (const { retailer, clipped } of cards) {
      const found = retailers.find((one) => one.retailer === retailer);
      if (found === undefined) continue;
      await client.call("wallet.stamp-collection/create", {
        loyalty_program_id: found.programId,
        member_id: memberId,
      });
      if (clipped) await client.call("wallet.clip/save", { deal_id: found.dealId, member_id: memberId });
    }
  });
}

/** Whether the wallets of a run that is sent again were opened then: it may have had no platform. */
export async function hasOpenWallets(
  client: StampedeClient,
  wallets: readonly PlannedWallet[],
): Promise<boolean> {
  const enrolled = wallets.find(({ cards }) => cards.length > 0);
  if (enrolled === undefined) return false;
  const { data } = await client.call("wallet.stamp-collection/list", { member_id: enrolled.memberId });
  return data.length > 0;
}
