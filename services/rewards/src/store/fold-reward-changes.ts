import type { RewardChange, Worth } from "#domain/rewards";

/*
 * Folds a batch's changes into one change for each row: a batch can make, redeem, unredeem and void a stamp, but a statement may write a
 * row only once. Null times and false flags mean no change.
 */

/** A change, and the owner of its row. */
export interface OwnedChange {
  readonly organisationId: string;
  readonly memberId: string | null;
  readonly change: RewardChange;
}

/** A row to be inserted: the change that makes it, and its owner. */
type Made<Type extends RewardChange["type"]> = OwnedChange & {
  readonly change: RewardChange & { readonly type: Type };
};

interface StampChange {
  readonly id: string;
  voidedAt: string | null;
  /** Whether to write `redemptionId`; null is one of its values. */
  isMoved: boolean;
  redemptionId: string | null;
}

export interface Settling {
  /** The new worth; null: unchanged. */
  worth: Worth | null;
  clearedAt: string | null;
  revertedAt: string | null;
}

interface CollectionChange {
  /** Null: no stamp was made. */
  nextPosition: number | null;
  counter: Pick<RewardChange & { readonly type: "counter_set" }, "unredeemedPurchases" | "threshold"> | null;
  /** Redemptions that became pending (true), or are not pending any more (false). */
  readonly pending: Map<string, boolean>;
}

/** By the id of the row, in the order of the first changes. */
export interface FoldedChanges {
  readonly madeStamps: Map<string, Made<"stamp_made">>;
  /** Also of stamps that this batch made: applied to them before they are inserted. */
  readonly stamps: Map<string, StampChange>;
  readonly madeRedemptions: Map<string, Made<"redemption_made">>;
  /** When redemptions were undone. */
  readonly undone: Map<string, string>;
  readonly madeCashbacks: Map<string, Made<"cashback_made">>;
  readonly settled: Map<string, Settling>;
  /** When clips were redeemed; null: they are open again. */
  readonly clips: Map<string, string | null>;
  readonly collections: Map<string, CollectionChange>;
}

/** The last change of a row wins. */
export function foldRewardChanges(changes: readonly OwnedChange[]): FoldedChanges {
  const folded: FoldedChanges = {
    madeStamps: new Map(),
    stamps: new Map(),
    madeRedemptions: new Map(),
    undone: new Map(),
    madeCashbacks: new Map(),
    settled: new Map(),
    clips: new Map(),
    collections: new Map(),
  };
  for (const change of changes) fold(folded, change);
  return folded;
}

function fold(folded: FoldedChanges, { organisationId, memberId, change }: OwnedChange): void {
  switch (change.type) {
    case "stamp_made": {
      const { stamp, stampCollectionId } = change;
      folded.madeStamps.set(stamp.id, { organisationId, memberId, change });
      collectionOf(folded, stampCollectionId).nextPosition = stamp.position + 1;
      return;
    }
    case "stamp_voided":
      stampOf(folded, change.stampId).voidedAt = change.at;
      return;
    case "redemption_made":
      folded.madeRedemptions.set(change.redemptionId, { organisationId, memberId, change });
      for (const id of change.stampIds) move(folded, id, change.redemptionId);
      return;
    case "redemption_undone":
      folded.undone.set(change.redemptionId, change.at);
      for (const id of change.unredeemedStampIds) move(folded, id, null);
      return;
    case "cashback_made":
      folded.madeCashbacks.set(change.cashback.id, { organisationId, memberId, change });
      return;
    case "cashback_cleared":
      settlingOf(folded, change.cashbackId).clearedAt = change.at;
      settlingOf(folded, change.cashbackId).worth = change.worth;
      return;
    case "cashback_reverted":
      settlingOf(folded, change.cashbackId).revertedAt = change.at;
      return;
    case "clip_redeemed":
      folded.clips.set(change.clipId, change.at);
      return;
    case "clip_reopened":
      folded.clips.set(change.clipId, null);
      return;
    case "counter_set": {
      const { unredeemedPurchases, threshold, nowPending, noLongerPending } = change;
      const collection = collectionOf(folded, change.stampCollectionId);
      collection.counter = { unredeemedPurchases, threshold };
      for (const id of nowPending) collection.pending.set(id, true);
      for (const id of noLongerPending) collection.pending.set(id, false);
    }
  }
}

function move(folded: FoldedChanges, stampId: string, redemptionId: string | null): void {
  const change = stampOf(folded, stampId);
  change.isMoved = true;
  change.redemptionId = redemptionId;
}

function stampOf({ stamps }: FoldedChanges, id: string): StampChange {
  return getOrMake(stamps, id, () => ({ id, voidedAt: null, isMoved: false, redemptionId: null }));
}

function settlingOf({ settled }: FoldedChanges, id: string): Settling {
  return getOrMake(settled, id, () => ({ worth: null, clearedAt: null, revertedAt: null }));
}

function collectionOf({ collections }: FoldedChanges, id: string): CollectionChange {
  return getOrMake(collections, id, () => ({ nextPosition: null, counter: null, pending: new Map() }));
}

function getOrMake<T>(map: Map<string, T>, id: string, make: () => T): T {
  let value = map.get(id);
  if (value === undefined) {
    value = make();
    map.set(id, value);
  }
  return value;
}
