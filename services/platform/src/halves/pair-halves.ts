import {
  type Half,
  PAIRING_WINDOW_MICROSECONDS,
  pairByNearestTime,
  type RetailerPayment,
} from "#domain/platform";
import type { Sql, Store } from "#postgres";
import { addJudged, emptyJudged, type Judge, type Judged, takeUp } from "./judge.ts";
import { queueOutcomes } from "./outcome-queue.ts";
import {
  deletePaymentKeys,
  deleteRecordKeys,
  microseconds,
  type RecordRow,
  recordColumns,
  splitIdentifiers,
  toRecord,
} from "./record-rows.ts";

/** What came of looking for other halves. */
export interface Pairing extends Judged {
  readonly pairs: number;
}

interface PaymentRow extends RetailerPayment {
  readonly id: string;
  readonly retailerId: string;
  readonly identifiers: Uint8Array;
}

interface Round {
  readonly paired: ReadonlySet<string>;
  readonly judged: Judged;
}

/**
 * Looks for the other halves of the given ones that are open, until none of them can find one any more; pairs them, decides
 * what they earn, and queues the outcomes. Each round is a database transaction of its own.
 *
 * The database transaction that stored the given halves must have committed. So no pair is missed when both halves come at
 * once: the one that commits later looks when both are there. A crash before or during the look leaves open halves that
 * could be a pair. They are found when either half comes again, and one does: the stream hands out a record again that was
 * not acknowledged, and a retailer that got no answer sends its payments again.
 *
 * Two calls at the same time may find the same halves. Each locks what it found, records by id and then payments by id, and
 * pairs what is still open under the lock; the call that came too late looks again.
 * @param traceparent of the span that looks: outcomes are traced from the half that came second
 */
export async function pairHalves(
  store: Store,
  side: Side,
  ids: readonly string[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<Pairing> {
  const judged = emptyJudged();
  let pairs = 0;
  let seekers = ids;
  let before = "";
  while (seekers.length > 0) {
    const candidates = await findPartners(store, side, seekers);
    // Nearly always so: the half that comes first finds no other.
    if (candidates[side].length === 0) break;
    const round = await store.begin((sql) => pairCandidates(sql, candidates, judge, traceparent));
    addJudged(judged, round.judged);
    pairs += round.paired.size / 2;
    // Without this, halves that share a key and no identifier would be found for ever.
    const found = JSON.stringify(candidates);
    if (round.paired.size === 0 && found === before) break;
    before = found;
    // Another call may have taken all the halves that one of these found, but there may be more for it.
    seekers = candidates[side].filter((id) => !round.paired.has(id));
  }
  return { ...judged, pairs };
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
  const rows = pairs.map(({ recordId, paymentId }) => {
    const row = records.get(recordId) as RecordRow;
    const { amount, currency, paidAt } = payments.get(paymentId) as PaymentRow;
    const judgement = judge.onPayment(toRecord(row), { amount, currency, paidAt });
    const outcomes = takeUp(judged, judgement, row.outcomes ?? []);
    return {
      transaction_id: recordId,
      payment_id: paymentId,
      outcomes: outcomes.length === 0 ? null : outcomes,
    };
  });
  if (rows.length > 0) await writePairs(sql, rows);
  await queueOutcomes(sql, judged.outcomes, traceparent);
  return { paired: new Set(pairs.flatMap(({ recordId, paymentId }) => [recordId, paymentId])), judged };
}

async function lockOpenRecords(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, RecordRow>> {
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
      id, retailer_id as "retailerId", identifiers, amount, currency,
      ${microseconds(sql, "paid_at")} as "paidAt"
    from platform.payments
    where id = any(${ids}::uuid[]) and is_open
    order by id
    for update`;
  return new Map(rows.map((row) => [row.id, row]));
}

async function writePairs(
  sql: Sql,
  pairs: ReadonlyArray<{ transaction_id: string; payment_id: string; outcomes: readonly string[] | null }>,
): Promise<void> {
  const input = JSON.stringify(pairs);
  await deleteRecordKeys(
    sql,
    pairs.map((pair) => pair.transaction_id),
  );
  await deletePaymentKeys(
    sql,
    pairs.map((pair) => pair.payment_id),
  );
  await sql`
    with pair as materialized (
      select * from json_to_recordset(${input}::text::json) as input (
        transaction_id uuid, payment_id uuid, outcomes uuid[]
      )
    ),
    payments as (
      update platform.payments p set transaction_id = pair.transaction_id, is_open = false
      from pair where p.id = pair.payment_id
    )
    update platform.records r set payment_id = pair.payment_id, outcomes = pair.outcomes, is_open = false
    from pair where r.transaction_id = pair.transaction_id`;
}

function recordHalf({ transactionId, retailerId, identifiers, authedAt }: RecordRow): Half {
  return { id: transactionId, retailerId, identifiers: splitIdentifiers(identifiers), at: authedAt };
}

function paymentHalf({ id, retailerId, identifiers, paidAt }: PaymentRow): Half {
  return { id, retailerId, identifiers: splitIdentifiers(identifiers), at: paidAt };
}

/** Which of the two kinds of halves looks for the other. */
type Side = "records" | "payments";

/** Open halves that may belong together, and perhaps some that do not: keys are only 64 bits of a hash. */
interface Candidates {
  readonly records: readonly string[];
  readonly payments: readonly string[];
}

/**
 * How many halves of a key are looked at, before and after the time of the half that seeks. Somebody may send hundreds of
 * thousands of halves under one key; the index gives the nearest ones without reading the others. Nothing is lost by this:
 * the nearest half is among them, and a call that finds all of them taken looks again (`pairHalves`).
 */
export const NEAREST_PER_KEY = 8;

/**
 * Those of the given halves that are open and have open halves of the other kind under one of their keys, at most 30 days
 * apart; and these others. Nothing is locked.
 */
async function findPartners(sql: Sql, side: Side, ids: readonly string[]): Promise<Candidates> {
  const halves =
    side === "records"
      ? sql`select transaction_id as id, authed_at as at, retailer_id, identifiers, is_open from platform.records`
      : sql`select id, paid_at as at, retailer_id, identifiers, is_open from platform.payments`;
  const others =
    side === "records"
      ? sql`select key, paid_at as at, payment_id as id from platform.open_payments`
      : sql`select key, authed_at as at, transaction_id as id from platform.open_records`;
  const reach = sql`${PAIRING_WINDOW_MICROSECONDS} * interval '1 microsecond'`;
  // Materialised, since each key is a hash, and would otherwise be computed again for each look-up.
  const [found] = await sql<[{ seekers: string[]; partners: string[] }]>`
    with seeker as materialized (
      select half.id, half.at, k.key
      from (${halves}) as half
      cross join lateral platform.half_keys(half.retailer_id, half.identifiers) as k (key)
      where half.id = any(${ids}::uuid[]) and half.is_open
    )
    select
      coalesce(array_agg(distinct seeker.id), '{}') as seekers,
      coalesce(array_agg(distinct near.id), '{}') as partners
    from seeker
    cross join lateral (
      (
        select other.id from (${others}) as other
        where other.key = seeker.key and other.at between seeker.at - ${reach} and seeker.at
        order by other.at desc
        limit ${NEAREST_PER_KEY}
      )
      union all
      (
        select other.id from (${others}) as other
        where other.key = seeker.key and other.at > seeker.at and other.at <= seeker.at + ${reach}
        order by other.at
        limit ${NEAREST_PER_KEY}
      )
    ) as near`;
  return side === "records"
    ? { records: found.seekers, payments: found.partners }
    : { records: found.partners, payments: found.seekers };
}
