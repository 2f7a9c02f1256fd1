import { isSettledAmount, rewardSaid, worthOf } from "./redemption-worth.ts";
import type {
  Program,
  PurchaseOutcome,
  Redemption,
  RewardTransaction,
  Stamp,
  StampCollection,
} from "./reward-state.ts";
import {
  asOfMoment,
  clearCashback,
  makeCashback,
  placeOf,
  type RewardChange,
  type RewardContext,
  type RewardEvent,
  type RewardRecord,
  type RewardStep,
  revertCashback,
} from "./reward-step.ts";

/**
 * A working copy of a collection: each method makes one change and records it. The rules that use it decide
 * when a change is allowed. The given collection stays unchanged.
 */
export class CollectionDraft implements RewardRecord {
  readonly changes: RewardChange[] = [];
  readonly events: RewardEvent[] = [];
  readonly at: string;
  readonly program: Program | null;
  threshold: number | null;
  /**
   * A place in the order of settling: a transaction that settled later counts as authorized. So a collection
   * that lags applies one settling after the other.
   */
  moment: number;
  /** The last place that counts. */
  readonly now: number;
  readonly #given: StampCollection;
  readonly #idOf: RewardContext["idOf"];
  #stamps: Stamp[];
  #redemptions: Redemption[];
  #voided: ReadonlySet<string>;
  #counter: number;
  #nextPosition: number;

  constructor(collection: StampCollection, context: RewardContext) {
    this.at = context.at;
    this.program = collection.program;
    this.threshold = collection.threshold;
    this.#given = collection;
    this.#idOf = context.idOf;
    this.now = context.moment ?? Number.POSITIVE_INFINITY;
    this.moment = this.now;
    this.#voided = collection.voided ?? NONE;
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
   * The settled transactions of stamps that may still change, in the order of settling, up to `now`: those of unredeemed stamps, of
   * stamps whose redemption is not paid, and the given one.
   */
  settledInOrder(transactionId: string | undefined): RewardTransaction[] {
    // Not searched for each stamp: a batch may settle a thousand purchases of one card.
    const pending = pendingOf(this.#redemptions);
    const isOpen = ({ redemptionId, transaction }: Stamp) =>
      redemptionId === null || transaction.id === transactionId || pending.has(redemptionId);
    return this.#stamps
      .filter((stamp) => stamp.transaction.state !== "authorized" && isOpen(stamp))
      .map(({ transaction }) => transaction)
      .filter((transaction) => placeOf(transaction) <= this.now)
      .sort((a, b) => placeOf(a) - placeOf(b));
  }

  /** The state of a transaction at `moment`. */
  asOfMoment(transaction: RewardTransaction): RewardTransaction {
    return asOfMoment(transaction, this.moment);
  }

  /** Whether the transaction has a stamp here, or had one that was voided. */
  hasStamped({ id }: RewardTransaction): boolean {
    return this.stampOf(id) !== undefined || this.#voided.has(id);
  }

  /** A transaction has at most one stamp. */
  stampOf(transactionId: string): Stamp | undefined {
    return this.#stamps.find((stamp) => stamp.transaction.id === transactionId);
  }

  /** The standing redemptions that wait for this transaction; there is at most one. */
  pendingRedemptions(transactionId: string): Redemption[] {
    return this.#redemptions.filter((one) => one.isPending && one.transactionId === transactionId);
  }

  /** The standing redemptions of this transaction without a cashback, because amount or currency is unknown. */
  withoutCashback(transactionId: string): Redemption[] {
    return this.#redemptions.filter((one) => one.cashback === null && one.transactionId === transactionId);
  }

  redemptionOf(stamp: Stamp): Redemption | undefined {
    return this.#redemptions.find((redemption) => redemption.id === stamp.redemptionId);
  }

  makeStamp(transaction: RewardTransaction, outcome: PurchaseOutcome): void {
    const stamp: Stamp = {
      id: this.#idOf(`stamp:${this.#given.id}:${transaction.id}`, transaction.id),
      transaction,
      createdAt: this.at,
      position: this.#nextPosition,
      purchaseAmount: outcome.purchaseAmount,
      ...rewardSaid(this.program, outcome),
      redemptionId: null,
    };
    this.#nextPosition += 1;
    this.#stamps.push(stamp);
    this.#counter += 1;
    this.threshold = outcome.threshold ?? this.program?.threshold ?? null;
    this.changes.push({ type: "stamp_made", stampCollectionId: this.#given.id, stamp });
    this.#tell("qualifying_purchase.created", stamp);
  }

  /** Voids a stamp. The counter falls only if the stamp was unredeemed. */
  voidStamp(stamp: Stamp): void {
    this.#stamps = this.#stamps.filter(({ id }) => id !== stamp.id);
    this.#voided = new Set([...this.#voided, stamp.transaction.id]);
    if (stamp.redemptionId === null) this.#counter -= 1;
    this.changes.push({ type: "stamp_voided", stampId: stamp.id, at: this.at });
    this.#tell("qualifying_purchase.voided", stamp);
  }

  /**
   * Redeems unredeemed stamps, oldest first; the cashback belongs to the transaction of the newest. The id is computed from the whole
   * set, because one stamp can be the newest of two redemptions: of one that was undone, and of one after the threshold was lowered.
   * The same set never comes twice: undoing a redemption voids one of its stamps.
   */
  redeem(stamps: readonly Stamp[], newest: Stamp): void {
    const stampIds = stamps.map(({ id }) => id);
    const redemptionId = this.#idOf(
      `redemption:${this.#given.id}:${stampIds.join(",")}`,
      newest.transaction.id,
      newest.position,
    );
    this.#hold(new Set(stampIds), redemptionId);
    this.#counter -= stamps.length;
    const transaction = this.asOfMoment(newest.transaction);
    this.changes.push({
      type: "redemption_made",
      redemptionId,
      stampCollectionId: this.#given.id,
      transactionId: transaction.id,
      stampIds,
      at: this.at,
    });
    const isPending = transaction.state !== "cleared";
    const redemption = { id: redemptionId, transactionId: transaction.id, isPending, cashback: null };
    this.#redemptions.push(redemption);
    this.tellCashback(redemption);
  }

  /** Makes the cashback of a redemption, once amount and currency are known and there is something to pay. */
  tellCashback(redemption: Redemption): void {
    const newest = this.stampOf(redemption.transactionId);
    const worth = newest && worthOf(this.program, newest);
    if (newest === undefined || worth === undefined || worth.amount === 0) return;
    const transaction: RewardTransaction = {
      ...newest.transaction,
      state: redemption.isPending ? "authorized" : "cleared",
    };
    const cashback = makeCashback(this, transaction, {
      id: this.#idOf(`cashback:${redemption.id}`, transaction.id, newest.position),
      amount: worth.amount,
      currency: worth.currency,
      source: {
        type: "loyalty-program-redemption",
        loyaltyProgramId: this.#given.loyaltyProgramId,
        stampCollectionId: this.#given.id,
        redemptionId: redemption.id,
      },
    });
    this.#replace({ ...redemption, cashback });
  }

  /** Undoes a redemption: its cashback is reverted, and the stamps that it still holds count again. */
  undo(redemption: Redemption): void {
    const held = this.#stamps.filter((stamp) => stamp.redemptionId === redemption.id);
    const unredeemedStampIds = held.map(({ id }) => id);
    this.changes.push({
      type: "redemption_undone",
      redemptionId: redemption.id,
      unredeemedStampIds,
      at: this.at,
    });
    if (redemption.cashback !== null) revertCashback(this, redemption.cashback);
    this.#redemptions = this.#redemptions.filter(({ id }) => id !== redemption.id);
    this.#hold(new Set(unredeemedStampIds), null);
    for (const stamp of held) {
      this.#counter += 1;
      this.#tell("qualifying_purchase.unredeemed", stamp, redemption.id);
    }
  }

  /** Its transaction has cleared. A refund is worth the settled amount. */
  clear(redemption: Redemption): void {
    const { cashback } = redemption;
    if (cashback === null) {
      const paid: Redemption = { ...redemption, isPending: false };
      this.#replace(paid);
      this.tellCashback(paid);
      return;
    }
    const newest = this.stampOf(redemption.transactionId);
    const settled =
      newest && isSettledAmount(this.program, newest) ? worthOf(this.program, newest) : undefined;
    this.#replace({ ...redemption, isPending: false, cashback: clearCashback(this, cashback, settled) });
  }

  /** Updates the transaction of its stamp. */
  learn(transaction: RewardTransaction): void {
    this.#stamps = this.#stamps.map((stamp) =>
      stamp.transaction.id === transaction.id ? { ...stamp, transaction } : stamp,
    );
  }

  /** Writes the counter once, at the end: only its last value stays. */
  finish(): RewardStep<StampCollection> {
    const before = pendingOf(this.#given.redemptions);
    const after = pendingOf(this.#redemptions);
    const nowPending = [...after].filter((id) => !before.has(id));
    const noLongerPending = [...before].filter((id) => !after.has(id));
    if (
      this.#counter !== this.#given.unredeemedPurchases ||
      this.threshold !== this.#given.threshold ||
      nowPending.length + noLongerPending.length > 0
    ) {
      this.changes.push({
        type: "counter_set",
        stampCollectionId: this.#given.id,
        unredeemedPurchases: this.#counter,
        threshold: this.threshold,
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
      threshold: this.threshold,
      ...(this.#voided.size > 0 && { voided: this.#voided }),
    };
    return { state, changes: this.changes, events: this.events, ignored: null };
  }

  #replace(redemption: Redemption): void {
    this.#redemptions = this.#redemptions.map((one) => (one.id === redemption.id ? redemption : one));
  }

  #hold(stampIds: ReadonlySet<string>, redemptionId: string | null): void {
    this.#stamps = this.#stamps.map((stamp) => (stampIds.has(stamp.id) ? { ...stamp, redemptionId } : stamp));
  }

  #tell(
    type: "qualifying_purchase.created" | "qualifying_purchase.voided" | "qualifying_purchase.unredeemed",
    stamp: Stamp,
    redemptionId?: string,
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
      ...(redemptionId !== undefined && { redemptionId }),
    });
  }
}

const NONE: ReadonlySet<string> = new Set();

function pendingOf(redemptions: readonly Redemption[]): ReadonlySet<string> {
  return new Set(redemptions.filter(({ isPending }) => isPending).map(({ id }) => id));
}
