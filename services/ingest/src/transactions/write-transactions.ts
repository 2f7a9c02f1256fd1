import {
  COPY_HEADER,
  COPY_TRAILER,
  type ColumnType,
  packRows,
  TRANSACTION_COLUMNS,
  type TransactionColumn,
  tuplesAt,
} from "#contract/codec";
import type { FoldedTransaction, StoredTransaction } from "#domain";
import { constantText, type Sql } from "#postgres";
import type { EventBatch } from "./event-batch.ts";

const COLUMNS: readonly TransactionColumn[] = TRANSACTION_COLUMNS;
const COPY = `copy transactions (${COLUMNS.map(({ name }) => name).join(", ")}) from stdin (format binary)`;

/**
 * Makes rows that are not there. Should one be there after all, the primary key refuses them all: the batch is tried again,
 * and what it is decided by is read again.
 * @param plain events whose rows are just what they say
 * @param created and rows that came of several events
 */
export async function copyTransactions(
  sql: Sql,
  batch: EventBatch,
  plain: readonly number[],
  created: readonly FoldedTransaction[],
): Promise<void> {
  if (plain.length + created.length === 0) return;
  const folded = packRows(created.map(({ transaction }) => transaction));
  await sql.copyIn(COPY, Buffer.concat([COPY_HEADER, ...tuples(batch, plain), folded.bytes, COPY_TRAILER]));
}

/** Neighbours in one piece: nearly all of them are. */
function tuples({ rows }: EventBatch, ords: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let i = 0; i < ords.length; ) {
    const first = ords[i++] as number;
    let last = first;
    while (ords[i] === last + 1) last = ords[i++] as number;
    pieces.push(tuplesAt(rows, first, last));
  }
  return pieces;
}

const CHANGING = COLUMNS.filter(({ changes }) => changes);
const KEY = COLUMNS.filter(({ name }) => name === "organisation_id" || name === "external_id");
const WRITTEN = [...KEY, ...CHANGING];

/** Texts that JSON and PostgreSQL read alike, but for the notation of bytes. */
const AS_JSON: Readonly<Record<ColumnType, (value: string | number) => string | number>> = {
  uuid: (value) => value,
  text: (value) => value,
  int8: (value) => value,
  timestamptz: (value) => value,
  bytea: (value) => `\\x${value}`,
};

/**
 * Rows as JSON with one-letter keys, absent where null, because this is where the database's time goes. It is cast twice
 * because postgres.js would encode a json parameter a second time.
 */
function writeChanges(transactions: readonly StoredTransaction[]): string {
  return JSON.stringify(
    transactions.map((transaction) => {
      const written: Record<string, string | number> = {};
      for (const [i, { field, type }] of WRITTEN.entries()) {
        const value = transaction[field];
        if (value !== null) written[letter(i)] = AS_JSON[type](value);
      }
      return written;
    }),
  );
}

function letter(index: number): string {
  return String.fromCharCode("a".charCodeAt(0) + index);
}

const RECORD = constantText(WRITTEN.map(({ type }, i) => `${letter(i)} ${type}`).join(", "));
const MATCHES = constantText(KEY.map(({ name }, i) => `t.${name} = i.${letter(i)}`).join(" and "));
const ASSIGNMENTS = constantText(
  CHANGING.map(({ name }, i) => `${name} = i.${letter(KEY.length + i)}`).join(", "),
);
const NEW_STATE = constantText(`i.${letter(WRITTEN.findIndex(({ name }) => name === "state"))}`);

/** Writes transactions that `loadForEvents` has locked as they were decided. */
export async function updateTransactions(sql: Sql, updated: readonly FoldedTransaction[]): Promise<void> {
  if (updated.length === 0) return;
  const json = writeChanges(updated.map(({ transaction }) => transaction));
  await sql`
    update transactions t set
      updated_at = now(), ${ASSIGNMENTS(sql)},
      -- The rows are locked, on which the order rests (decision 20).
      settled_order = case when t.state = 'authorized' and ${NEW_STATE(sql)} <> 'authorized'
        then nextval('transactions_settled_order') else t.settled_order end
    from json_to_recordset(${json}::text::json) as i (${RECORD(sql)})
    where ${MATCHES(sql)}
  `;
}
