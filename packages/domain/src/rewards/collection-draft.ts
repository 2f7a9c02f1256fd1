import type {
  Program,
  PurchaseOutcome,
  Redemption,
  RewardTransaction,
  Stamp,
  StampCollection,
} from "./reward-state.ts";
import {
  clearCashback,
  makeCashback,
  type RewardChange,
  type RewardContext,
  type RewardEvent,
  type RewardRecord,
  type RewardStep,
  revertCashback,
} from "./reward-step.ts";

/**
 * A working copy of a collection: each method makes one change and records it. Which change is allowed when
 * is decided by the rules that use it. The collection that was given stays as it is.
 */
export class CollectionDraft implements RewardRecord {
  readonly changes: RewardChange[] = [];
  readonly events: RewardEvent[] = [];
  readonly at: string;
  readonly program: Program | null;
  waitingThreshold: number | null;
  /**
   * A place in the order of settling: a transaction that settled later counts as authorized. So a collection
   * that is behind takes one settling after the other.
   */
  moment = Number.POSITIVE_INFINITY;
  readonly #given: StampCollection;
  readonly #idOf: (name: string) => string;
  #stamps: Stamp[];
  #redemptions: Redemption[];
  #counter: number;
  #nextPosition: number;

  constructor(collection: StampCollection, context: RewardContext) {
    this.at = context.at;
    this.program = collection.program;
    this.waitingThreshold = collection.waitingThreshold;
    this.#given = collection;
    this.#idOf = context.idOf;
    this.#stamps = [...collection.stamps];
    this.#redemptions = [...collection.redemptions];
    this.#counter = collection.unredeemedPurchases;
    this.#nextPosition = collection.nextPosition;
  }

  /** Oldest first. */
  get unredeemed(): Stamp[] {
    return this.#stamps.filter((stamp) => stamp.redemptionId === null);
  }

  /**
   * The settled transactions of stamps that something may still happen to, in the order in which they
   * settled: those of unredeemed stamps, of stamps whose redemption is not paid, and the one given.
   */
  settledInOrder(transactionId: string | undefined): RewardTransaction[] {
    const isOpen = ({ redemptionId, transaction }: Stamp) =>
      redemptionId === null ||
      transaction.id === transactionId ||
      this.#redemptions.some(({ id, cashback }) => id === redemptionId && cashback.state === "pending");
    return this.#stamps
      .filter((stamp) => stamp.transaction.state !== "authorized" && isOpen(stamp))
      .map(({ transaction }) => transaction)
      .sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** A transaction as it was at `moment`. */
  asOfMoment(transaction: RewardTransaction): RewardTransaction {
    return transaction.state === "authorized" || placeOf(transaction) <= this.moment
      ? transaction
      : { ...transaction, state: "authorized", settledOrder: null };
  }

  /** There is at most one for a transaction. */
  stampOf(transactionId: string): Stamp | undefined {
    return this.#stamps.find((stamp) => stamp.transaction.id === transactionId);
  }

  /** The standing redemptions whose cashback waits for this transaction; there is at most one. */
  pendingRedemptions(transactionId: string): Redemption[] {
    return this.#redemptions.filter(
      ({ cashback }) => cashback.state === "pending" && cashback.transactionId === transactionId,
    );
  }

  redemptionOf(stamp: Stamp): Redemption | undefined {
    return this.#redemptions.find((redemption) => redemption.id === stamp.redemptionId);
  }

  makeStamp(transaction: RewardTransaction, outcome: PurchaseOutcome): void {
    const stamp: Stamp = {
      id: this.#idOf(`stamp:${this.#given.id}:${transaction.id}`),
      transaction,
      createdAt: this.at,
      position: this.#nextPosition,
      purchaseAmount: outcome.purchaseAmount,
      currency: outcome.currency,
      redemptionId: null,
    };
    this.#nextPosition += 1;
    this.#stamps.push(stamp);
    this.#counter += 1;
    this.changes.push({ type: "stamp_made", stampCollectionId: this.#given.id, stamp });
    this.#tell("qualifying_purchase.created", stamp);
  }

  /** Voids a stamp. The counter falls only if the stamp was unredeemed. */
  voidStamp(stamp: Stamp): void {
    this.#stamps = this.#stamps.filter(({ id }) => id !== stamp.id);
    if (stamp.redemptionId === null) this.#counter -= 1;
    this.changes.push({ type: "stamp_voided", stampId: stamp.id, at: this.at });
    this.#tell("qualifying_purchase.voided", stamp);
  }

  /**
   * Redeems unredeemed stamps, oldest first; the cashback belongs to the transaction of the newest. The id is
   * made of the whole set, because one stamp can be the newest of two redemptions: of one that was undone,
   * and of one after the threshold was lowered. The same set never comes twice, because what undoes a
   * redemption voids one of its stamps.
   */
  redeem(stamps: readonly Stamp[], newest: Stamp, reward: { amount: number; currency: string }): void {
    const stampIds = stamps.map(({ id }) => id);
    const redemptionId = this.#idOf(`redemption:${this.#given.id}:${stampIds.join(",")}`);
    this.#hold(new Set(stampIds), redemptionId);
    this.#counter -= stamps.length;
    this.changes.push({
      type: "redemption_made",
      redemptionId,
      stampCollectionId: this.#given.id,
      transactionId: newest.transaction.id,
      stampIds,
      at: this.at,
    });
    const cashback = makeCashback(this, this.asOfMoment(newest.transaction), {
      id: this.#idOf(`cashback:${redemptionId}`),
      amount: reward.amount,
      currency: reward.currency,
      source: {
        type: "loyalty-program-redemption",
        loyaltyProgramId: this.#given.loyaltyProgramId,
        stampCollectionId: this.#given.id,
        redemptionId,
      },
    });
    this.#redemptions.push({ id: redemptionId, cashback });
  }

  /** Takes a redemption back: its cashback is reverted, and the stamps that it still holds count again. */
  undo(redemption: Redemption): void {
    const held = this.#stamps.filter((stamp) => stamp.redemptionId === redemption.id);
    const unredeemedStampIds = held.map(({ id }) => id);
    this.changes.push({
      type: "redemption_undone",
      redemptionId: redemption.id,
      unredeemedStampIds,
      at: this.at,
    });
    revertCashback(this, redemption.cashback);
    this.#redemptions = this.#redemptions.filter(({ id }) => id !== redemption.id);
    this.#hold(new Set(unredeemedStampIds), null);
    for (const stamp of held) {
      this.#counter += 1;
      this.#tell("qualifying_purchase.unredeemed", stamp);
    }
  }

  clear(redemption: Redemption): void {
    const cleared = { id: redemption.id, cashback: clearCashback(this, redemption.cashback) };
    this.#redemptions = this.#redemptions.map((one) => (one.id === redemption.id ? cleared : one));
  }

  /** Takes over what is known of a transaction now. */
  learn(transaction: RewardTransaction): void {
    this.#stamps = this.#stamps.map((stamp) =>
      stamp.transaction.id === transaction.id ? { ...stamp, transaction } : stamp,
    );
  }

  /** The counter is written once, at the end, because only its last value stays. */
  finish(): RewardStep<StampCollection> {
    // Too few of the stamps that waited are left; the next stamp is judged by the threshold in force then.
    if (this.waitingThreshold !== null && this.#counter < this.waitingThreshold) this.waitingThreshold = null;
    const before = pendingOf(this.#given.redemptions);
    const after = pendingOf(this.#redemptions);
    const nowPending = [...after].filter((id) => !before.has(id));
    const noLongerPending = [...before].filter((id) => !after.has(id));
    if (
      this.#counter !== this.#given.unredeemedPurchases ||
      this.waitingThreshold !== this.#given.waitingThreshold ||
      nowPending.length + noLongerPending.length > 0
    ) {
      this.changes.push({
        type: "counter_set",
        stampCollectionId: this.#given.id,
        unredeemedPurchases: this.#counter,
        waitingThreshold: this.waitingThreshold,
        nowPending,
        noLongerPending,
      });
    }
    const state: StampCollection = {
      kind: "collection",
      id: this.#given.id,
      loyaltyProgramId: this.#given.loyaltyProgramId,
      program: this.program,
      stamps: this.#stamps,
      redemptions: this.#redemptions,
      unredeemedPurchases: this.#counter,
      nextPosition: this.#nextPosition,
      waitingThreshold: this.waitingThreshold,
    };
    return { state, changes: this.changes, events: this.events, ignored: null };
  }

  #hold(stampIds: ReadonlySet<string>, redemptionId: string | null): void {
    this.#stamps = this.#stamps.map((stamp) => (stampIds.has(stamp.id) ? { ...stamp, redemptionId } : stamp));
  }

  #tell(
    type: "qualifying_purchase.created" | "qualifying_purchase.voided" | "qualifying_purchase.unredeemed",
    stamp: Stamp,
  ): void {
    this.events.push({
      type,
      at: this.at,
      transactionId: stamp.transaction.id,
      transactionRef: stamp.transaction.ref,
      qualifyingPurchaseId: stamp.id,
      loyaltyProgramId: this.#given.loyaltyProgramId,
      stampCollectionId: this.#given.id,
      unredeemedPurchases: this.#counter,
    });
  }
}

function pendingOf(redemptions: readonly Redemption[]): ReadonlySet<string> {
  return new Set(redemptions.filter(({ cashback }) => cashback.state === "pending").map(({ id }) => id));
}

/** The place of a settled transaction in the order of settling. */
function placeOf({ settledOrder }: RewardTransaction): number {
  return settledOrder ?? 0;
}
