import type { PurchaseRecord } from "#domain";
import type { Sql, Store } from "#postgres";
import { compareIds } from "./compare-ids.ts";
import { addJudged, emptyJudged, type Judge, type Judged, takeUp } from "./judge.ts";
import { mergeKnownRecords } from "./merge-known-records.ts";
import { queueOutcomes } from "./queue-outcomes.ts";
import { recordInput, timestampOf, writeRecordRow } from "./record-row.ts";

/**
 * Stores records, merged with what is known of their transactions, and decides what needs no payment, in one
 * transaction. What says nothing new changes nothing.
 *
 * It does not look for payments: that is for a second transaction, after this one has committed (`pairHalves`).
 * @param records at most one for each transaction
 * @param traceparent of the span that this is part of, where it is traced
 * @returns what was decided and queued
 */
export async function storeRecords(
  store: Store,
  records: readonly PurchaseRecord[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<Judged> {
  const inOrder = [...records].sort((a, b) => compareIds(a.transactionId, b.transactionId));
  return store.begin(async (sql) => {
    const judged = emptyJudged();
    const known = await insertRecords(sql, inOrder, judge, judged);
    if (known.length > 0) await mergeKnownRecords(sql, known, judge, judged);
    await queueOutcomes(sql, judged.outcomes, traceparent);
    return judged;
  });
}

/** Inserts those that are new, with their keys, and returns the others. */
async function insertRecords(
  sql: Sql,
  records: readonly PurchaseRecord[],
  judge: Judge,
  judged: Judged,
): Promise<PurchaseRecord[]> {
  const asNew = records.map((record) => {
    const own = emptyJudged();
    const outcomes = takeUp(own, judge.onArrival(record), []);
    return {
      record,
      own,
      row: { ...writeRecordRow(record, outcomes), is_open: record.state !== "reverted" },
    };
  });
  const inserted = await insertRows(
    sql,
    asNew.map(({ row }) => row),
  );
  const known: PurchaseRecord[] = [];
  for (const { record, own } of asNew) {
    if (inserted.has(record.transactionId)) addJudged(judged, own);
    else known.push(record);
  }
  return known;
}

/** @returns the transactions that were not there */
async function insertRows(sql: Sql, rows: readonly Record<string, unknown>[]): Promise<ReadonlySet<string>> {
  const made = await sql<{ id: string }[]>`
    with made as (
      insert into platform.records (
        transaction_id, retailer_id, shared, state, merchant_id, statement_descriptor, authed_at, identifiers,
        clips, enrolments, outcomes, is_open
      )
      select
        transaction_id, retailer_id, shared, state, merchant_id, statement_descriptor,
        ${timestampOf(sql, "authed_at")}, identifiers, clips, enrolments, outcomes, is_open
      from ${recordInput(sql, rows)}
      on conflict do nothing
      returning transaction_id, retailer_id, authed_at, identifiers, is_open
    ),
    keys as (
      insert into platform.open_records (key, authed_at, transaction_id)
      select key, authed_at, transaction_id
      from made cross join lateral platform.half_keys(retailer_id, identifiers) as key
      where is_open
    )
    select transaction_id as id from made`;
  return new Set(made.map(({ id }) => id));
}
