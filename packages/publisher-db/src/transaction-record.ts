import { type ColumnType, TRANSACTION_COLUMNS } from "#contract/codec";
import type { Network, StoredTransaction, TransactionState } from "#domain";
import { constantText, type Fragment, type Sql } from "#postgres";
import {
  type CashbackJson,
  cashbacksOfTransaction,
  type TransactionCashback,
  toCashback,
  unlinked,
} from "./cashback.ts";

interface TransactionRecord {
  readonly id: string;
  readonly externalId: string;
  /** Null once the member was deleted. */
  readonly memberId: string | null;
  readonly state: TransactionState;
  readonly network: Network;
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authedAt: Date;
  readonly clearedAt: Date | null;
  readonly revertedAt: Date | null;
  /** SHA-256 in lower-case hex; the one over six BIN digits first. */
  readonly identifiers: readonly string[];
}

/** A transaction with its rewards, oldest first. Once the member is deleted they do not name card or clip any more. */
export interface RewardedTransaction extends TransactionRecord {
  readonly rewards: readonly TransactionCashback[];
}

/** Columns of `transactions t` left joined with `members m`. */
function transactionColumns(sql: Sql): Fragment {
  return sql`
    t.id, t.external_id as "externalId", m.id as "memberId", t.state, t.network, t.merchant_id as "merchantId",
    t.statement_descriptor as "statementDescriptor", t.amount, t.currency, t.authed_at as "authedAt",
    t.cleared_at as "clearedAt", t.reverted_at as "revertedAt",
    array_remove(array[encode(t.identifier_6, 'hex'), encode(t.identifier_8, 'hex')], null) as identifiers`;
}

/** A row with `transactionColumns` and the cashbacks of the transaction, null if there are none. */
export interface RewardedRow extends TransactionRecord {
  readonly cashbacks: readonly CashbackJson[] | null;
}

/** The columns of a `RewardedRow`. The cashbacks take one index look-up for each transaction. */
export function rewardedColumns(sql: Sql): Fragment {
  return sql`${transactionColumns(sql)}, ${cashbacksOfTransaction(sql)} as cashbacks`;
}

export function toRewarded(row: RewardedRow): RewardedTransaction {
  const cashbacks = (row.cashbacks ?? []).map(toCashback);
  return Object.assign(row, { rewards: row.memberId === null ? cashbacks.map(unlinked) : cashbacks });
}

/** How to read a column of the row `t`. Timestamps are texts: a Date would lose microseconds. */
const READ: Readonly<Record<ColumnType, (name: string) => string>> = {
  uuid: (name) => `t.${name}`,
  text: (name) => `t.${name}`,
  int8: (name) => `t.${name}`,
  timestamptz: (name) => `(t.${name} at time zone 'UTC')::text`,
  bytea: (name) => `encode(t.${name}, 'hex')`,
};

/** The columns of a `StoredRow`. A row as JSON cost the server twice as much. */
export const storedColumns = constantText(
  TRANSACTION_COLUMNS.map(({ field, name, type }) => `${READ[type](name)} as "${field}"`).join(", "),
);

/** A row with `storedColumns`; it may have others. */
export type StoredRow = { readonly [Field in keyof StoredTransaction]: StoredTransaction[Field] };

export function toStored(row: StoredRow): StoredTransaction {
  const stored: Record<string, string | number | null> = {};
  for (const { field, type } of TRANSACTION_COLUMNS) {
    const value = row[field];
    stored[field] = type === "timestamptz" && value !== null ? toUtc(value as string) : value;
  }
  return stored as unknown as StoredTransaction;
}

/** @param text in PostgreSQL's form: `2026-01-31 09:30:00.12` */
function toUtc(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20).padEnd(6, "0")}Z`;
}
