import type { TransactionState } from "#domain";

/** The columns of `transactions` that both peers read. */
export interface StoredRow {
  readonly external_id: string;
  readonly member_id: string | null;
  readonly state: TransactionState;
  readonly network: string;
  readonly merchant_id: string;
  readonly statement_descriptor: string | null;
  /** bigint: postgres.js gives its text. */
  readonly amount: string | null;
  readonly currency: string | null;
  readonly authed_at: Date;
  readonly cleared_at: Date | null;
  readonly reverted_at: Date | null;
  readonly identifier_6: Buffer;
  readonly identifier_8: Buffer | null;
}
