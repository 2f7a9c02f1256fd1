import { microsecondsSince1970, type Sql, type Store } from "#postgres";
import { mergeRecord, type PurchaseRecord } from "../rules/merge-record.ts";
import type { RetailerPayment } from "../rules/rules.ts";
import { addJudged, addNew, emptyJudged, type Judge, type Judged } from "./judge.ts";
import { type Decided, queueOutcomes } from "./outcome-queue.ts";
import {
  addRecordKeys,
  compareIds,
  deleteRecordKeys,
  type RecordInput,
  type RecordRow,
  recordColumns,
  recordInput,
  recordNames,
  recordUpdates,
  recordValues,
  toRecord,
  writeRecordRow,
} from "./record-rows.ts";
import { type ReleasedPair, releasePayments } from "./revert-records.ts";

/**
 * Stores records, merged with the stored records of their transactions, and decides the outcomes that need no
 * payment, in one database transaction. A record without new content changes nothing.
 *
 * `pairHalves` searches for payments in another database transaction, after this one has committed.
 * @param records at most one for each transaction
 * @param traceparent of the surrounding span, if it is traced
 */
export async function storeRecords(
  store: Store,
  records: readonly PurchaseRecord[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<Decided> {
  const inOrder = [...records].sort((a, b) => compareIds(a.transactionId, b.transactionId));
  return store.begin(async (sql) => {
    const judged = emptyJudged();
    const known = await insertRecords(sql, inOrder, judge, judged);
    if (known.length > 0) await mergeKnownRecords(sql, known, judge, judged);
    return { ...judged, queued: await queueOutcomes(sql, judged.outcomes, traceparent) };
  });
}

/** Inserts the new records with their keys, and returns the others. */
async function insertRecords(
  sql: Sql,
  records: readonly PurchaseRecord[],
  judge: Judge,
  judged: Judged,
): Promise<PurchaseRecord[]> {
  const asNew = records.map((record) => {
    const own = emptyJudged();
    const outcomes = addNew(own, judge.onArrival(record), []);
    return {
      record,
      own,
      row: writeRecordRow(record, outcomes, record.state !== "reverted"),
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

/** @returns the new transactions */
async function insertRows(sql: Sql, rows: readonly RecordInput[]): Promise<ReadonlySet<string>> {
  const made = await sql<{ id: string }[]>`
    with made as (
      insert into platform.records (${recordNames(sql)}, is_open)
      select ${recordValues(sql)}, is_open
      from ${recordInput(sql, rows)}
      on conflict do nothing
      returning transaction_id, retailer_id, authed_at, identifiers, is_open
    ),
    keys as (
      insert into platform.open_records (key, authed_at, transaction_id)
      select key, authed_at, transaction_id
      from made cross join lateral platform.open_keys(retailer_id, identifiers, null) as key
      where is_open
    )
    select transaction_id as id from made`;
  return new Set(made.map(({ id }) => id));
}

interface KnownRow extends RecordRow {
  readonly paymentId: string | null;
  readonly isOpen: boolean;
}

interface PaymentRow extends RetailerPayment {
  readonly id: string;
}

/**
 * Merges records into the stored ones. A reverted record is no half any more, and gives its payment back; any
 * other paired record keeps its payment and its retailer.
 * @throws ConcurrentSweepError if a record was swept after the insert had found it
 */
async function mergeKnownRecords(
  sql: Sql,
  records: readonly PurchaseRecord[],
  judge: Judge,
  judged: Judged,
): Promise<void> {
  const stored = await lockRecords(
    sql,
    records.map(({ transactionId }) => transactionId),
  );
  const payments = await loadPayments(sql, [...stored.values()]);
  const changed: RecordInput[] = [];
  const rekeyed: string[] = [];
  const released: ReleasedPair[] = [];
  for (const incoming of records) {
    const row = stored.get(incoming.transactionId);
    if (row === undefined) throw new ConcurrentSweepError();
    const known = toRecord(row);
    const merged = mergeRecord(known, incoming, row.paymentId !== null);
    if (merged === known) continue;
    const payment = row.paymentId === null ? undefined : payments.get(row.paymentId);
    const outcomes = rejudge(merged, payment, row.outcomes ?? [], judge, judged);
    const isOpen = row.isOpen && merged.state !== "reverted";
    if (merged.state === "reverted" && row.paymentId !== null) {
      released.push({ transactionId: merged.transactionId, paymentId: row.paymentId });
    }
    changed.push(writeRecordRow(merged, outcomes, isOpen));
    if (row.isOpen && (!isOpen || hasOtherKeys(known, merged))) rekeyed.push(merged.transactionId);
  }
  // Keys follow from the rows: the old ones are removed before the update, and the new ones added after it.
  if (rekeyed.length > 0) await deleteRecordKeys(sql, rekeyed);
  if (changed.length > 0) await updateRecords(sql, changed);
  if (rekeyed.length > 0) await addRecordKeys(sql, rekeyed);
  await releasePayments(sql, released);
}

/**
 * The links and the retailer of the record may be new, so it is judged like a new record.
 * @param payment undefined: there is none, or it was swept, long after the pairing
 */
function rejudge(
  merged: PurchaseRecord,
  payment: RetailerPayment | undefined,
  before: readonly string[],
  judge: Judge,
  judged: Judged,
): readonly string[] {
  const emitted = addNew(judged, judge.onArrival(merged), before);
  return payment === undefined ? emitted : addNew(judged, judge.onPayment(merged, payment), emitted);
}

function hasOtherKeys(before: PurchaseRecord, after: PurchaseRecord): boolean {
  return (
    before.route.retailerId !== after.route.retailerId ||
    before.identifiers.length !== after.identifiers.length
  );
}

async function lockRecords(
  sql: Sql,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const rows = await sql<KnownRow[]>`
    select ${recordColumns(sql)}, r.payment_id as "paymentId", r.is_open as "isOpen"
    from platform.records r
    where transaction_id = any(${transactionIds}::uuid[])
    order by transaction_id
    for update`;
  return new Map(rows.map((row) => [row.transactionId, row]));
}

/**
 * Not part of the locking statement: if that waited for a pairing to commit, it would see the record with its
 * payment's id, but its snapshot may be too old for the payment's row.
 */
async function loadPayments(
  sql: Sql,
  records: readonly KnownRow[],
): Promise<ReadonlyMap<string, RetailerPayment>> {
  const ids = records.map(({ paymentId }) => paymentId).filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const rows = await sql<PaymentRow[]>`
    select id, amount, currency, ${microsecondsSince1970(sql, "paid_at")} as "paidAt"
    from platform.payments
    where id = any(${ids}::uuid[])`;
  return new Map(rows.map(({ id, ...payment }) => [id, payment]));
}

async function updateRecords(sql: Sql, rows: readonly RecordInput[]): Promise<void> {
  await sql`
    update platform.records r
    set ${recordUpdates(sql)}, is_open = input.is_open
    from ${recordInput(sql, rows)}
    where r.transaction_id = input.transaction_id`;
}

/** The sweep deleted a record between two reads of it. The batch can be repeated safely. */
class ConcurrentSweepError extends Error {
  readonly code = "concurrent_sweep";

  constructor() {
    super("a record was swept between two looks at it");
    this.name = "ConcurrentSweepError";
  }
}
