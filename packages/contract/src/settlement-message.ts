import type { TransactionState } from "#domain";

/**
 * What the reward engine learns of a clearing, a reversal, or (`authorized`) of an amount or currency that became known.
 * It reads the transaction's row for everything else, so a settlement says only which row to look at, and any number of
 * equal ones mean the same. A transaction that is new has earned nothing yet, so there is none about it, whatever its
 * state: an outcome reads the row itself.
 */
export interface Settlement {
  /** UUID. */
  readonly transaction: string;
  /** UUID. */
  readonly organisation: string;
  readonly state: TransactionState;
}

/** One stream message: the settlements of one batch. */
export interface SettlementMessage {
  readonly v: 1;
  readonly settlements: readonly Settlement[];
}
