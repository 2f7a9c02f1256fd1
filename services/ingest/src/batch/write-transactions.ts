import {
  COPY_HEADER,
  COPY_TRAILER,
  type ColumnType,
  packRows,
  TRANSACTION_COLUMNS,
  type TransactionColumn,
  takeRuns,
} from "#contract/codec";
import { type FoldedTransaction, keyOf, type StoredTransaction } from "#domain";
import { constantText, type Fragment, type Sql } from "#postgres";
import type { EventBatch } from "./event-batch.ts";

const COLUMNS: readonly TransactionColumn[] = TRANSACTION_COLUMNS;
const COPY = `copy transactions (${COLUMNS.map(({ name }) => name).join(", ")}) from stdin (format binary)`;

/**
 * Copies rows that do not exist yet. If one exists after all, the primary key refuses them all; the caller
 * then reads the stored state again and repeats the batch.
 * @param plain events whose rows equal them
 * @param created rows that fold several events
 */
export async function copyTransactions(
  sql: Sql,
  batch: EventBatch,
  plain: readonly number[],
  created: readonly FoldedTransaction[],
): Promise<void> {
  if (plain.length + created.length === 0) return;
  const folded = packRows(created.map(({ transaction }) => transaction));
  await sql.copyIn(
    COPY,
    Buffer.concat([
      COPY_HEADER,
      ...takeRuns(batch.rows, plain).map(({ piece }) => piece),
      folded.bytes,
      COPY_TRAILER,
    ]),
  );
}

/** The formats that JSON and PostgreSQL share; only bytes are written differently. */
const AS_JSON: Readonly<Record<ColumnType, (value: string | number) => string | number>> = {
  uuid: (value) => value,
  text: (value) => value,
  int8: (value) => value,
  timestamptz: (value) => value,
  bytea: (value) => `\\x${value}`,
};

/**
 * Rows as JSON with one-letter keys. Null columns are absent, because the database spends its time on
 * parsing. Cast the parameter to text first: postgres.js would encode a json parameter a second time.
 */
export function writeRows(transactions: readonly StoredTransaction[]): string {
  return JSON.stringify(transactions.map((transaction) => toJson(COLUMNS, transaction)));
}

function toJson(columns: readonly TransactionColumn[], transaction: StoredTransaction): object {
  const row: Record<string, string | number> = {};
  for (const [i, { field, type }] of columns.entries()) {
    const value = transaction[field];
    if (value !== null) row[letter(i)] = AS_JSON[type](value);
  }
  return row;
}

function letter(index: number): string {
  return String.fromCharCode("a".charCodeAt(0) + index);
}

/** The column list after `json_to_recordset(…) as i`, and the values in the order of `NAMES`. */
export const RECORD = constantText(COLUMNS.map(({ type }, i) => `${letter(i)} ${type}`).join(", "));
export const VALUES = constantText(COLUMNS.map((_column, i) => `i.${letter(i)}`).join(", "));
export const NAMES = constantText(COLUMNS.map(({ name }) => name).join(", "));

/** The column `name` of the row `i`. */
export function columnOf(name: (typeof TRANSACTION_COLUMNS)[number]["name"]): string {
  return `i.${letter(COLUMNS.findIndex((column) => column.name === name))}`;
}

const CHANGES = COLUMNS.filter(({ changes }) => changes);
const UPSERT_ASSIGNMENTS = constantText(
  assignments(
    CHANGES.map((column) => [column, `excluded.${column.name}`]),
    "nextval('transactions_settled_order')",
  ),
);

/**
 * Writes decided changes to transactions that are stored and not locked yet. Uses an upsert for two reasons:
 * it finds each row by its key, even if the planner's statistics are wrong; and it evaluates its expressions
 * while it holds the row's lock, on which the order of settlings rests (decision 20). Gives a row for each,
 * true if the transaction existed.
 *
 * Several rows are locked first, in the order of their keys. All services lock transactions in this order:
 * rewards waits for one while it holds those before it. They are written in the order of their events, which
 * is the order of their settlings.
 */
export function updating(sql: Sql, updated: readonly FoldedTransaction[]): Fragment {
  const isOne = updated.length === 1;
  return sql`
    ${isOne ? sql`` : sql`with locked as materialized (${locking(sql, updated)})`}
    insert into transactions as t (${NAMES(sql)})
    select ${VALUES(sql)}
    from json_to_recordset(${writeRows(updated.map(({ transaction }) => transaction))}::text::json) as i (${RECORD(sql)})
    where ${isOne ? sql`true` : sql`(select count(*) from locked) is not null`}
    on conflict (organisation_id, external_id) do update set ${UPSERT_ASSIGNMENTS(sql)}
    returning t.xmax <> 0 as was_there`;
}

/** Takes the lock that the upsert would take. Looks each row up by the primary key, as in `loadForEvents`. */
function locking(sql: Sql, updated: readonly FoldedTransaction[]): Fragment {
  return sql`
    select
    from (
      select * from unnest(
        ${updated.map(({ transaction }) => transaction.organisationId)}::uuid[],
        ${updated.map(({ transaction }) => transaction.externalId)}::text[]
      ) as key (organisation_id, external_id)
      order by organisation_id, external_id collate "C"
    ) as key
    cross join lateral (
      select from transactions t
      where t.organisation_id = key.organisation_id and t.external_id = key.external_id
      offset 0 for no key update of t
    ) as t`;
}

const CHANGE = constantText(`place tid, ${CHANGES.map(({ type }, i) => `${letter(i)} ${type}`).join(", ")}`);
const CHANGE_ASSIGNMENTS = constantText(
  assignments(
    CHANGES.map((column, i) => [column, `i.${letter(i)}`]),
    "i.number",
  ),
);

/**
 * Writes decided changes to transactions that `loadForEvents` has locked. Finds each row by its place, which
 * is valid while the row is locked, and writes only the columns that may change: half the work of the upsert,
 * whose lock it does not need. Draws the numbers of settlings before the join, which has no order.
 * @param places by `keyOf`
 */
export async function updateTransactions(
  sql: Sql,
  updated: readonly FoldedTransaction[],
  places: ReadonlyMap<string, string>,
): Promise<void> {
  if (updated.length === 0) return;
  const rows = updated.map(({ transaction }) => ({
    place: places.get(keyOf(transaction)),
    ...toJson(CHANGES, transaction),
  }));
  const written = await sql`
    with i as materialized (
      select *, nextval('transactions_settled_order') as number
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as i (${CHANGE(sql)})
    )
    update transactions t set ${CHANGE_ASSIGNMENTS(sql)}
    from i
    where t.ctid = i.place
    returning 1`;
  if (written.length !== updated.length) {
    throw new Error(`of ${updated.length} locked transactions ${written.length} were there`);
  }
}

/**
 * Assigns these expressions to these columns. A transaction that becomes final gets its place in the order of
 * settlings: `number`.
 */
function assignments(values: readonly (readonly [TransactionColumn, string])[], number: string): string {
  const state = values.find(([{ name }]) => name === "state")?.[1];
  return `
    updated_at = now(),
    ${values.map(([{ name }, value]) => `${name} = ${value}`).join(", ")},
    settled_order = case when t.state = 'authorized' and ${state} <> 'authorized'
      then ${number} else t.settled_order end`;
}
