import { mergeRecord, type PurchaseRecord, pairByNearestTime, type RetailerPayment } from "#domain/platform";
import type { Sql, Store } from "#postgres";
import { findPartnersOfGiven } from "./find-partners.ts";
import { addJudged, emptyJudged, type Judge, type Judged, takeUp } from "./judge.ts";
import { queueOutcomes } from "./outcome-queue.ts";
import {
  closePayments,
  giveRecordsPayments,
  judgePairs,
  lockOpenPayments,
  type OpenRecord,
  type Pairing,
  paymentHalf,
  recordHalf,
} from "./pair-halves.ts";
import {
  addRecordKeys,
  compareIds,
  deleteRecordKeys,
  microseconds,
  type RecordRow,
  recordColumns,
  recordInput,
  timestampOf,
  toRecord,
  writeRecordRow,
} from "./record-rows.ts";

interface StoredRecords {
  /** What the records earned by themselves, and new ones with payments that were there before. */
  readonly pairing: Pairing;
  /** Transactions of the others, for `pairHalves`: new ones that are open, and all that were known. */
  readonly unpaired: readonly string[];
}

/**
 * Stores records, merged with what is known of their transactions, and decides the outcomes that need no payment, in one
 * database transaction. A record that says nothing new changes nothing.
 *
 * A new record whose payment is there already is paired in the same database transaction, and never has keys. The look
 * before that locks nothing, and what it finds is read again under its lock. For the others `pairHalves` looks after this has
 * committed: a payment that is stored between the look and the commit may have looked for its record in vain.
 *
 * Payments are locked last, after all records, as everywhere. So new records are inserted before it is known which of them
 * get a payment, and those that do are changed once more.
 * @param records at most one for each transaction
 * @param traceparent of the span that this is part of, where it is traced
 */
export async function storeRecords(
  store: Store,
  records: readonly PurchaseRecord[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<StoredRecords> {
  const inOrder = [...records].sort((a, b) => compareIds(a.transactionId, b.transactionId));
  const mayPair = inOrder.filter(({ state }) => state !== "reverted").map(recordHalf);
  const found = await findPartnersOfGiven(store, "records", mayPair);
  return store.begin(async (sql) => {
    const judged = emptyJudged();
    const { known, seekers } = await insertRecords(sql, inOrder, new Set(found.records), judge, judged);
    if (known.length > 0) await mergeKnownRecords(sql, known, judge, judged);
    const paired = await pairInserted(sql, seekers, found.payments, judge, judged);
    const queued = await queueOutcomes(sql, judged.outcomes, traceparent);
    const ids = inOrder.map(({ transactionId }) => transactionId);
    return {
      pairing: { ...judged, queued, pairs: paired.size },
      unpaired: ids.filter((id) => !paired.has(id)),
    };
  });
}

interface Inserted {
  /** Records that are no new ones. */
  readonly known: readonly PurchaseRecord[];
  /** New ones that may have a payment: stored without keys, and closed until `pairInserted` has decided. By transaction. */
  readonly seekers: ReadonlyMap<string, OpenRecord>;
}

/**
 * Inserts the new records, with keys unless they may have a payment.
 * @param mayHave transactions for which a payment was seen
 */
async function insertRecords(
  sql: Sql,
  records: readonly PurchaseRecord[],
  mayHave: ReadonlySet<string>,
  judge: Judge,
  judged: Judged,
): Promise<Inserted> {
  const asNew = records.map((record) => {
    const own = emptyJudged();
    const outcomes = takeUp(own, judge.onArrival(record), []);
    const isOpen = record.state !== "reverted" && !mayHave.has(record.transactionId);
    return { record, own, outcomes, row: { ...writeRecordRow(record, outcomes), is_open: isOpen } };
  });
  const inserted = await insertRows(
    sql,
    asNew.map(({ row }) => row),
  );
  const known: PurchaseRecord[] = [];
  const seekers = new Map<string, OpenRecord>();
  for (const { record, own, outcomes } of asNew) {
    const { transactionId } = record;
    if (!inserted.has(transactionId)) {
      known.push(record);
      continue;
    }
    addJudged(judged, own);
    if (mayHave.has(transactionId)) seekers.set(transactionId, { record, outcomes });
  }
  return { known, seekers };
}

/**
 * Pairs records that were just inserted with those of the payments that are still open; the others wait from now on.
 * @returns the transactions that have a payment
 */
async function pairInserted(
  sql: Sql,
  seekers: ReadonlyMap<string, OpenRecord>,
  paymentIds: readonly string[],
  judge: Judge,
  judged: Judged,
): Promise<ReadonlySet<string>> {
  if (seekers.size === 0) return new Set();
  const payments = await lockOpenPayments(sql, paymentIds);
  const pairs = pairByNearestTime(
    [...payments.values()].map(paymentHalf),
    [...seekers.values()].map(({ record }) => recordHalf(record)),
  );
  const rows = judgePairs(pairs, seekers, payments, judge, judged);
  if (rows.length > 0) {
    await giveRecordsPayments(sql, rows);
    await closePayments(sql, rows);
  }
  const paired = new Set(pairs.map(({ recordId }) => recordId));
  const waiting = [...seekers.keys()].filter((id) => !paired.has(id));
  if (waiting.length > 0) {
    await sql`update platform.records set is_open = true where transaction_id = any(${waiting}::uuid[])`;
    await addRecordKeys(sql, waiting);
  }
  return paired;
}

/** @returns the transactions that were new */
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

interface KnownRow extends RecordRow {
  readonly paymentId: string | null;
  readonly isOpen: boolean;
}

interface PaymentRow extends RetailerPayment {
  readonly id: string;
}

/**
 * Merges records into those that are stored. A reverted record without a payment is no half any more; a paired record keeps
 * its payment and its retailer.
 * @throws ConcurrentSweepError when one of them was swept after the insert had found it
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
  // Keys follow from the rows: the old ones are removed before the update, and the new ones added after it.
  if (rekeyed.length > 0) await deleteRecordKeys(sql, rekeyed);
  if (changed.length > 0) await updateRecords(sql, changed);
  if (rekeyed.length > 0) await addRecordKeys(sql, rekeyed);
}

/**
 * The links and the retailer of the record may be new, so it is judged as if it had just come.
 * @param payment also undefined if the payment was swept, long after they were paired
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
 * Not joined to the statement that locks. After waiting for a pairing to commit, that statement would see the record with
 * its payment's id, but not the payment's row, which its snapshot may be too old for.
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

/** The sweep deleted a record between two looks at it. The whole batch can be repeated safely. */
class ConcurrentSweepError extends Error {
  readonly code = "concurrent_sweep";

  constructor() {
    super("a record was swept between two looks at it");
    this.name = "ConcurrentSweepError";
  }
}
