import type { TransactionState } from "#domain";

/**
 * Tells the reward engine of a clearing, a reversal, or (`authorized`) an amount or currency that became
 * known. The engine reads everything else from the transaction's row. So a settlement says only which row to
 * look at, and any number of equal ones mean the same. There is none about a transaction that cannot have
 * earned anything: not about a new one, whatever its state, because an outcome reads the row itself; and not
 * about one whose member never had an enrolment or a clip.
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
