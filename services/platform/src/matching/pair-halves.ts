import { type Fragment, microsecondsSince1970, type Sql, type Store } from "#postgres";
import { type Half, type Pair, pairByNearestTime } from "../rules/pair-by-nearest-time.ts";
import type { RetailerPayment } from "../rules/rules.ts";
import { type Candidates, findPartners, type Side } from "./find-partners.ts";
import { addJudged, addNew, emptyJudged, type Judge, type Judged } from "./judge.ts";
import { type Decided, type QueuedOutcomes, queueOutcomes } from "./outcome-queue.ts";
import {
  deletePaymentKeys,
  deleteRecordKeys,
  type RecordRow,
  recordColumns,
  splitIdentifiers,
  toRecord,
} from "./record-rows.ts";

/** The result of a search for other halves. */
export interface Pairing extends Decided {
  readonly pairs: number;
}

interface PaymentRow extends RetailerPayment {
  readonly id: string;
  readonly retailerId: string;
  readonly identifiers: Uint8Array;
  readonly binDigits: string | null;
}

interface Round extends Decided {
  readonly paired: ReadonlySet<string>;
}

/** A pair as a row of JSON, for statements. */
interface PairRow {
  readonly transaction_id: string;
  readonly payment_id: string;
  /** All outcomes that were emitted for the record; null: none. */
  readonly outcomes: readonly string[] | null;
}

/**
 * Looks for the other halves of the given open halves, until none finds one any more; pairs them, decides
 * their outcomes, and queues these. Each round is one database transaction.
 *
 * The database transaction that stored the given halves must have committed. So no pair is missed when both
 * halves come at the same time: the half that commits later searches when both are stored. The search of
 * `storePayments` before a payment is stored does not replace this one. A crash before or during the search
 * leaves open halves that could be a pair. They are found when either half comes again, and one does: a
 * record stays in its stream until its search is done, and a retailer without an answer sends its payments
 * again.
 *
 * Two simultaneous calls may find the same halves. Each locks what it found, records by id and then payments
 * by id, and pairs the halves that are still open under the lock; the later call searches again.
 * @param traceparent of the searching span: outcomes are traced from the half that came second
 */
export async function pairHalves(
  store: Store,
  side: Side,
  ids: readonly string[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<Pairing> {
  const judged = emptyJudged();
  const queued: QueuedOutcomes[] = [];
  let pairs = 0;
  let seekers = ids;
  let before = "";
  while (seekers.length > 0) {
    const candidates = await findPartners(store, side, seekers);
    // The usual case: the half that comes first finds no other.
    if (candidates[side].length === 0) break;
    const round = await store.begin((sql) => pairCandidates(sql, candidates, judge, traceparent));
    addJudged(judged, round);
    queued.push(...round.queued);
    pairs += round.paired.size / 2;
    // Otherwise halves that share a key and no identifier would be found again and again.
    const found = JSON.stringify(candidates);
    if (round.paired.size === 0 && found === before) break;
    before = found;
    // If another call has paired all the halves that one of these found, there may be more halves for it.
    seekers = candidates[side].filter((id) => !round.paired.has(id));
  }
  return { ...judged, queued, pairs };
}

async function pairCandidates(
  sql: Sql,
  candidates: Candidates,
  judge: Judge,
  traceparent: string | undefined,
): Promise<Round> {
  const records = await lockOpenRecords(sql, candidates.records);
  const payments = await lockOpenPayments(sql, candidates.payments);
  const pairs = pairByNearestTime(
    [...payments.values()].map(paymentHalf),
    [...records.values()].map(recordHalf),
  );
  const judged = emptyJudged();
  const rows = judgePairs(pairs, records, payments, judge, judged);
  if (rows.length > 0) {
    await closeRecords(sql, rows);
    await closePayments(sql, rows);
  }
  const queued = await queueOutcomes(sql, judged.outcomes, traceparent);
  const paired = new Set(pairs.flatMap(({ recordId, paymentId }) => [recordId, paymentId]));
  return { ...judged, queued, paired };
}

/**
 * Decides the outcomes of pairs, and adds them to `judged`.
 * @param records by id, locked
 * @param payments by id
 */
export function judgePairs(
  pairs: readonly Pair[],
  records: ReadonlyMap<string, RecordRow>,
  payments: ReadonlyMap<string, RetailerPayment>,
  judge: Judge,
  judged: Judged,
): PairRow[] {
  return pairs.map(({ recordId, paymentId }) => {
    const row = records.get(recordId) as RecordRow;
    const { amount, currency, paidAt } = payments.get(paymentId) as RetailerPayment;
    const judgement = judge.onPayment(toRecord(row), { amount, currency, paidAt });
    const outcomes = addNew(judged, judgement, row.outcomes ?? []);
    return {
      transaction_id: recordId,
      payment_id: paymentId,
      outcomes: outcomes.length === 0 ? null : outcomes,
    };
  });
}

/** Locks the open ones of these records, in the order of their ids. */
export async function lockOpenRecords(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RecordRow>> {
  const rows = await sql<RecordRow[]>`
    select ${recordColumns(sql)} from platform.records r
    where transaction_id = any(${ids}::uuid[]) and is_open
    order by transaction_id
    for update`;
  return new Map(rows.map((row) => [row.transactionId, row]));
}

async function lockOpenPayments(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, PaymentRow>> {
  const rows = await sql<PaymentRow[]>`
    select
      id, retailer_id as "retailerId", identifiers, bin_digits as "binDigits", amount, currency,
      ${microsecondsSince1970(sql, "paid_at")} as "paidAt"
    from platform.payments
    where id = any(${ids}::uuid[]) and is_open
    order by id
    for update`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Closes locked, open records with their payments, and removes their keys. */
export async function closeRecords(sql: Sql, pairs: readonly PairRow[]): Promise<void> {
  await deleteRecordKeys(
    sql,
    pairs.map((pair) => pair.transaction_id),
  );
  await sql`
    update platform.records r set payment_id = pair.payment_id, outcomes = pair.outcomes, is_open = false
    from ${pairInput(sql, pairs)}
    where r.transaction_id = pair.transaction_id`;
}

/** The same for payments. */
async function closePayments(sql: Sql, pairs: readonly PairRow[]): Promise<void> {
  await deletePaymentKeys(
    sql,
    pairs.map((pair) => pair.payment_id),
  );
  await sql`
    update platform.payments p set transaction_id = pair.transaction_id, is_open = false
    from ${pairInput(sql, pairs)}
    where p.id = pair.payment_id`;
}

function pairInput(sql: Sql, pairs: readonly PairRow[]): Fragment {
  return sql`
    json_to_recordset(${JSON.stringify(pairs)}::text::json) as pair (
      transaction_id uuid, payment_id uuid, outcomes uuid[]
    )`;
}

export function recordHalf({ transactionId, retailerId, identifiers, authedAt }: RecordRow): Half {
  return { id: transactionId, retailerId, identifiers: splitIdentifiers(identifiers), at: authedAt };
}

function paymentHalf({ id, retailerId, identifiers, binDigits, paidAt }: PaymentRow): Half {
  return { id, retailerId, identifiers: splitIdentifiers(identifiers), binDigits, at: paidAt };
}
