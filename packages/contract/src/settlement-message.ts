/**
 * What the reward engine learns of a clearing or a reversal. It reads the transaction's row for everything else, so a
 * settlement says only which row to look at, and any number of equal ones mean the same.
 */
export interface Settlement {
  /** UUID. */
  readonly transaction: string;
  /** UUID. */
  readonly organisation: string;
  readonly state: "cleared" | "reverted";
}

/** One stream message: the settlements of one batch. */
export interface SettlementMessage {
  readonly v: 1;
  readonly settlements: readonly Settlement[];
}
