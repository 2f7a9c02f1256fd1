import { nameUuid } from "#domain";
import type { RetailerPayment } from "#domain/platform";
import type { Store } from "#postgres";
import { compareIds, joinIdentifiers, timestampOf } from "./record-rows.ts";

/** A payment as a retailer sends it. */
export interface NewPayment extends RetailerPayment {
  /** The retailer's own id of the payment. */
  readonly paymentId: string;
  /** SHA-256 in lower-case hex. */
  readonly identifiers: readonly string[];
}

interface StoredPayments {
  /** UUIDs of all that were given, for `pairHalves`. */
  readonly ids: readonly string[];
  /** How many of them are new. */
  readonly created: number;
}

/** The same UUID for the same payment, whenever it comes: so it is stored once. */
function paymentUuid(retailerId: string, paymentId: string): string {
  return nameUuid(`payment:${retailerId}:${paymentId}`);
}

/**
 * Stores a retailer's payments. The first payment with a `paymentId` stands; a later one with the same changes nothing.
 *
 * This does not look for records: `pairHalves` does, in another database transaction, after this one has committed.
 */
export async function storePayments(
  store: Store,
  retailerId: string,
  payments: readonly NewPayment[],
): Promise<StoredPayments> {
  const rows = new Map<string, Record<string, unknown>>();
  for (const payment of payments) {
    const id = paymentUuid(retailerId, payment.paymentId);
    if (!rows.has(id)) rows.set(id, writePaymentRow(id, payment));
  }
  const ids = [...rows.keys()].sort(compareIds);
  const input = JSON.stringify(ids.map((id) => rows.get(id)));
  const [{ created }] = await store<[{ created: number }]>`
    with made as (
      insert into platform.payments (id, retailer_id, payment_id, amount, currency, paid_at, identifiers)
      select id, ${retailerId}::uuid, payment_id, amount, currency, ${timestampOf(store, "paid_at")}, identifiers
      from json_to_recordset(${input}::text::json) as input (
        id uuid, payment_id text, amount bigint, currency text, paid_at bigint, identifiers bytea
      )
      on conflict do nothing
      returning id, retailer_id, paid_at, identifiers
    ),
    keys as (
      insert into platform.open_payments (key, paid_at, payment_id)
      select key, paid_at, id
      from made cross join lateral platform.half_keys(retailer_id, identifiers) as key
    )
    select count(*) as created from made`;
  return { ids, created };
}

function writePaymentRow(id: string, payment: NewPayment): Record<string, unknown> {
  return {
    id,
    payment_id: payment.paymentId,
    amount: payment.amount,
    currency: payment.currency,
    paid_at: payment.paidAt,
    identifiers: joinIdentifiers([...new Set(payment.identifiers)]),
  };
}
