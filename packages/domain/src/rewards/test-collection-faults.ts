import type { StampCollection } from "./reward-state.ts";

/**
 * The faults of a collection; empty if there are none. Most of all the invariant of the contract (section 9):
 * live stamps = `unredeemed_purchases` + stamps held by standing redemptions.
 */
export function collectionFaults(collection: StampCollection): string[] {
  const { stamps, redemptions, unredeemedPurchases, threshold } = collection;
  const standing = new Set(redemptions.map(({ id }) => id));
  const held = stamps.filter(
    ({ redemptionId }) => redemptionId !== null && standing.has(redemptionId),
  ).length;
  const faults: string[] = [];
  if (stamps.length !== unredeemedPurchases + held) {
    faults.push(`${stamps.length} live stamps, ${unredeemedPurchases} unredeemed and ${held} held`);
  }
  if (stamps.some(({ redemptionId }) => redemptionId !== null && !standing.has(redemptionId))) {
    faults.push("a stamp is held by a redemption that does not stand");
  }
  if (new Set(stamps.map(({ transaction }) => transaction.id)).size !== stamps.length) {
    faults.push("a transaction has two live stamps");
  }
  const bounds = [...stamps.map(({ position }) => position), collection.nextPosition];
  if (bounds.some((position, i) => i > 0 && position <= (bounds[i - 1] as number))) {
    faults.push("stamps are not in the order of their positions");
  }
  if (redemptions.some(({ cashback }) => cashback?.state === "reverted")) {
    faults.push("a redemption stands although its cashback is reverted");
  }
  if (redemptions.some(({ isPending, cashback }) => isPending && cashback?.state === "cleared")) {
    faults.push("a redemption is pending although its cashback has cleared");
  }
  if (collection.program !== null && threshold !== null && unredeemedPurchases >= threshold) {
    faults.push("stamps that reach the threshold are not redeemed");
  }
  return faults;
}
