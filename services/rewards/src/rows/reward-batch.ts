import type { Clip, LinkTimes, RewardChange, RewardTransaction, StampCollection } from "#domain";
import type { StoredEvent } from "#publisher-db";

/*
 * What the reward engine takes from the database and gives back, a batch at a time. All ids are UUIDs.
 */

export interface RewardTarget {
  readonly kind: "collection" | "clip";
  readonly id: string;
}

/** What an outcome is about. */
export interface OutcomeSubject {
  readonly transactionId: string;
  readonly target: RewardTarget;
}

/** A collection or a clip, locked until the transaction that loaded it ends. */
export interface LoadedTarget {
  readonly organisationId: string;
  /** Null once the member is deleted: what was earned stays. */
  readonly memberId: string | null;
  /** By which it counts for a purchase. Null where only a settlement asks for the target. */
  readonly times: LinkTimes | null;
  readonly state: StampCollection | Clip;
}

export interface LoadedRewards {
  /**
   * By id, as stored under the locks. What is not there is unknown, or of another member than the outcome's target: the
   * outcome is not ours.
   */
  readonly transactions: ReadonlyMap<string, RewardTransaction>;
  /**
   * The member of each of these transactions, null once deleted. A batch is about many members: an outcome counts only
   * if its target is of its transaction's.
   */
  readonly members: ReadonlyMap<string, string | null>;
  /** When each of these transactions was authorized, in microseconds since 1970. */
  readonly authedAt: ReadonlyMap<string, number>;
  /** By id. Absent: deleted, or never there. */
  readonly targets: ReadonlyMap<string, LoadedTarget>;
  /** For each transaction the ids of the targets that it has a live stamp or a pending cashback in, in a stable order. */
  readonly touched: ReadonlyMap<string, readonly string[]>;
}

/** What one batch comes to, in the order in which it was decided. */
export interface RewardWrites {
  readonly changes: readonly OwnedChange[];
  readonly events: readonly StoredEvent[];
}

export interface OwnedChange {
  readonly organisationId: string;
  readonly memberId: string | null;
  readonly change: RewardChange;
}
