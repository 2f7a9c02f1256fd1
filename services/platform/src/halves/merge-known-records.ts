import { mergeRecord, type PurchaseRecord, type RetailerPayment } from "#domain";
import type { Sql } from "#postgres";
import { type Judge, type Judged, takeUp } from "./judge.ts";
import { addRecordKeys, deleteRecordKeys } from "./open-keys.ts";
import {
  microseconds,
  type RecordRow,
  recordColumns,
  recordInput,
  toRecord,
  writeRecordRow,
} from "./record-row.ts";

interface KnownRow extends RecordRow {
  readonly paymentId: string | null;
  readonly isOpen: boolean;
}

interface PaymentRow extends RetailerPayment {
  readonly id: string;
}

/**
 * Merges records into those that are stored. A reverted one that has no payment is no half any more; one that is paired
 * keeps its payment, and its retailer.
 * @throws ConcurrentSweepError when one of them was swept since it was found to be there
 */
export async function mergeKnownRecords(
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
  const changed: Record<string, unknown>[] = [];
  const rekeyed: string[] = [];
  for (const incoming of records) {
    const row = stored.get(incoming.transactionId);
    if (row === undefined) throw new ConcurrentSweepError();
    const known = toRecord(row);
    const merged = mergeRecord(known, incoming, row.paymentId !== null);
    if (merged === known) continue;
    const payment = row.paymentId === null ? undefined : payments.get(row.paymentId);
    const outcomes = rejudge(merged, payment, row.outcomes ?? [], judge, judged);
    const isOpen = row.isOpen && merged.state !== "reverted";
    changed.push({ ...writeRecordRow(merged, outcomes), is_open: isOpen });
    if (row.isOpen && (!isOpen || hasOtherKeys(known, merged))) rekeyed.push(merged.transactionId);
  }
  // Taken away by what the rows say before, and given by what they say after.
  if (rekeyed.length > 0) await deleteRecordKeys(sql, rekeyed);
  if (changed.length > 0) await updateRecords(sql, changed);
  if (rekeyed.length > 0) await addRecordKeys(sql, rekeyed);
}

/**
 * Its links and where it belongs may be new, so it is judged as if it came first.
 * @param payment also undefined if it was forgotten, long after they were paired
 */
function rejudge(
  merged: PurchaseRecord,
  payment: RetailerPayment | undefined,
  before: readonly string[],
  judge: Judge,
  judged: Judged,
): readonly string[] {
  const emitted = takeUp(judged, judge.onArrival(merged), before);
  return payment === undefined ? emitted : takeUp(judged, judge.onPayment(merged, payment), emitted);
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
 * Not joined to the statement that locks: one that had to wait for a pairing to commit would see the record with its
 * payment, and the payment's row as it was before, which is none.
 */
async function loadPayments(
  sql: Sql,
  records: readonly KnownRow[],
): Promise<ReadonlyMap<string, RetailerPayment>> {
  const ids = records.map(({ paymentId }) => paymentId).filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const rows = await sql<PaymentRow[]>`
    select id, amount, currency, ${microseconds(sql, "paid_at")} as "paidAt"
    from platform.payments
    where id = any(${ids}::uuid[])`;
  return new Map(rows.map(({ id, ...payment }) => [id, payment]));
}

async function updateRecords(sql: Sql, rows: readonly Record<string, unknown>[]): Promise<void> {
  await sql`
    update platform.records r
    set
      retailer_id = input.retailer_id, shared = input.shared, state = input.state,
      merchant_id = input.merchant_id, statement_descriptor = input.statement_descriptor,
      identifiers = input.identifiers, clips = input.clips, enrolments = input.enrolments,
      outcomes = input.outcomes, is_open = input.is_open
    from ${recordInput(sql, rows)}
    where r.transaction_id = input.transaction_id`;
}

/** A record was there and is not: the sweep took it in between. The whole batch is safe to repeat. */
class ConcurrentSweepError extends Error {
  readonly code = "concurrent_sweep";

  constructor() {
    super("a record was swept between two looks at it");
    this.name = "ConcurrentSweepError";
  }
}
