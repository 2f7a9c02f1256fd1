import { nameUuid } from "#domain";
import type { Sql, Store } from "#postgres";
import { type Half, pairByNearestTime } from "../rules/pair-by-nearest-time.ts";
import type { RetailerPayment } from "../rules/rules.ts";
import { findPartnersOfGiven } from "./find-partners.ts";
import { emptyJudged, type Judge } from "./judge.ts";
import { queueOutcomes } from "./outcome-queue.ts";
import { closeRecords, judgePairs, lockOpenRecords, type Pairing, recordHalf } from "./pair-halves.ts";
import { compareIds, joinIdentifiers, timestampOf } from "./record-rows.ts";

/** A payment from a retailer. */
export interface NewPayment extends RetailerPayment {
  /** The retailer's own id of the payment. */
  readonly paymentId: string;
  /** SHA-256 in lower-case hex. */
  readonly identifiers: readonly string[];
  /** `6` or `8` for each identifier, in their order; null: not given. */
  readonly binDigits: string | null;
}

interface StoredPayments {
  /** The number of new payments. */
  readonly created: number;
  /** Pairs of new payments with stored records. */
  readonly pairing: Pairing;
  /** UUIDs of the other payments, for `pairHalves`: newly stored and open, or known before. */
  readonly unpaired: readonly string[];
}

/**
 * Stores a retailer's payments. The first payment with a `paymentId` counts; a later one changes nothing.
 *
 * A payment whose record is stored already is stored together with the pair, in one database transaction that
 * also queues the outcomes: it never waits, so it never has keys. The search before that takes no locks, so
 * the records it finds are read again under a lock. The other payments are stored open; `pairHalves` looks
 * for their records after the commit.
 *
 * Races considered:
 * - A record that is stored between the search and the commit may have searched for its payment in vain.
 *   `pairHalves` finds it.
 * - A found record is paired, reverted or swept before it is locked: it is not open under the lock, and the
 *   payment waits.
 * - A payment is known, or another call stores it meanwhile: its row is not inserted, and only pairs of
 *   inserted payments are
 *   written. Its record stays open for the other payments of this call (`pairHalves`).
 * - Two calls never deadlock: each locks records by id, and then inserts payments by id, where it waits for
 *   another call that
 *   inserts the same payment.
 */
export async function storePayments(
  store: Store,
  retailerId: string,
  payments: readonly NewPayment[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<StoredPayments> {
  const given = nameAndSort(retailerId, payments);
  const { records } = await findPartnersOfGiven(store, given);
  if (records.length > 0) {
    return store.begin((sql) => storeWithRecords(sql, { given, records, judge, traceparent }));
  }
  const { created } = await insertPayments(store, given, new Map());
  const pairing = { ...emptyJudged(), queued: [], pairs: 0 };
  return { created, pairing, unpaired: given.map(({ id }) => id) };
}

/**
 * A payment with its UUID. It has its time twice: as a half, and as the payment by which a record is judged.
 */
interface GivenPayment extends NewPayment, Omit<Half, "binDigits"> {}

interface FoundRecords {
  /** In the order of their UUIDs. */
  readonly given: readonly GivenPayment[];
  /** UUIDs of records that may belong to them. */
  readonly records: readonly string[];
  readonly judge: Judge;
  readonly traceparent: string | undefined;
}

async function storeWithRecords(
  sql: Sql,
  { given, records, judge, traceparent }: FoundRecords,
): Promise<StoredPayments> {
  const locked = await lockOpenRecords(sql, records);
  const found = pairByNearestTime(given, [...locked.values()].map(recordHalf));
  const recordOf = new Map(found.map(({ paymentId, recordId }) => [paymentId, recordId]));
  const { created, paired } = await insertPayments(sql, given, recordOf);
  const isPaired = new Set(paired);
  const pairs = found.filter(({ paymentId }) => isPaired.has(paymentId));
  const byId = new Map(given.map((payment) => [payment.id, payment]));
  const judged = emptyJudged();
  const rows = judgePairs(pairs, locked, byId, judge, judged);
  if (rows.length > 0) await closeRecords(sql, rows);
  const queued = await queueOutcomes(sql, judged.outcomes, traceparent);
  const unpaired = given.map(({ id }) => id).filter((id) => !isPaired.has(id));
  return { created, pairing: { ...judged, queued, pairs: pairs.length }, unpaired };
}

/** The payments with their UUIDs, sorted by these; the first of several with one `paymentId`. */
function nameAndSort(retailerId: string, payments: readonly NewPayment[]): GivenPayment[] {
  const named = new Map<string, GivenPayment>();
  for (const { paymentId, amount, currency, paidAt, ...given } of payments) {
    const id = paymentUuid(retailerId, paymentId);
    if (named.has(id)) continue;
    const { identifiers, binDigits } = eachOnce(given);
    named.set(id, {
      id,
      retailerId,
      paymentId,
      identifiers,
      binDigits,
      amount,
      currency,
      paidAt,
      at: paidAt,
    });
  }
  return [...named.values()].sort((a, b) => compareIds(a.id, b.id));
}

function eachOnce({ identifiers, binDigits }: Pick<NewPayment, "identifiers" | "binDigits">) {
  const places = identifiers.flatMap((one, i) => (identifiers.indexOf(one) === i ? [i] : []));
  return {
    identifiers: places.map((i) => identifiers[i] as string),
    binDigits: binDigits && places.map((i) => binDigits[i]).join(""),
  };
}

/** Derived from the payment's id, so that a payment is stored once. */
export function paymentUuid(retailerId: string, paymentId: string): string {
  return nameUuid(`payment:${retailerId}:${paymentId}`);
}

/**
 * Inserts the unknown payments: with their record, or open and with keys.
 * @param recordOf UUIDs of records by UUIDs of payments
 * @returns created: their number; paired: the UUIDs of those with a record
 */
async function insertPayments(
  sql: Sql,
  given: readonly GivenPayment[],
  recordOf: ReadonlyMap<string, string>,
): Promise<{ readonly created: number; readonly paired: readonly string[] }> {
  const input = JSON.stringify(given.map((payment) => writePaymentRow(payment, recordOf.get(payment.id))));
  const [made] = await sql<[{ created: number; paired: string[] }]>`
    with made as (
      insert into platform.payments (
        id, retailer_id, payment_id, amount, currency, paid_at, identifiers, bin_digits, transaction_id, is_open
      )
      select
        id, retailer_id, payment_id, amount, currency, ${timestampOf(sql, "paid_at")}, identifiers, bin_digits,
        transaction_id, transaction_id is null
      from json_to_recordset(${input}::text::json) as input (
        id uuid, retailer_id uuid, payment_id text, amount bigint, currency text, paid_at bigint, identifiers bytea,
        bin_digits text, transaction_id uuid
      )
      on conflict do nothing
      returning id, retailer_id, paid_at, identifiers, bin_digits, is_open
    ),
    keys as (
      insert into platform.open_payments (key, paid_at, payment_id)
      select key, paid_at, id
      from made cross join lateral platform.open_keys(retailer_id, identifiers, bin_digits) as key
      where is_open
    )
    select count(*) as created, coalesce(array_agg(id) filter (where not is_open), '{}') as paired
    from made`;
  return made;
}

function writePaymentRow(payment: GivenPayment, transactionId: string | undefined): Record<string, unknown> {
  return {
    id: payment.id,
    retailer_id: payment.retailerId,
    payment_id: payment.paymentId,
    amount: payment.amount,
    currency: payment.currency,
    paid_at: payment.at,
    identifiers: joinIdentifiers(payment.identifiers),
    bin_digits: payment.binDigits,
    transaction_id: transactionId ?? null,
  };
}
