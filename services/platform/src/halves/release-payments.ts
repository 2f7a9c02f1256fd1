import type { Sql, Store } from "#postgres";
import { findPartnersOfReverted } from "./find-partners.ts";
import type { Judge } from "./judge.ts";
import { type Pairing, pairHalves } from "./pair-halves.ts";

/** A record that is reverted, and the payment that it had. UUIDs. */
export interface ReleasedPair {
  readonly transactionId: string;
  readonly paymentId: string;
}

/**
 * Gives back the payments of records that are reverted (contract, section 8): each is open again, and may be that of another
 * purchase, such as one that was made again with the same authorization code. Its wait goes on from when it came. The caller has
 * locked the records; whoever locks both locks records first.
 *
 * Nobody looks for the other purchase here. That is done after the commit, for every record that is reverted (`pairReleased`):
 * also for one that comes again because of a crash in between.
 */
export async function releasePayments(sql: Sql, pairs: readonly ReleasedPair[]): Promise<void> {
  if (pairs.length === 0) return;
  const transactionIds = pairs.map(({ transactionId }) => transactionId);
  const paymentIds = pairs.map(({ paymentId }) => paymentId);
  await sql`select from platform.payments where id = any(${paymentIds}::uuid[]) order by id for update`;
  await sql`
    with released as (
      update platform.payments p set transaction_id = null, is_open = true, released_from = pair.transaction_id
      from unnest(${transactionIds}::uuid[], ${paymentIds}::uuid[]) as pair (transaction_id, payment_id)
      where p.id = pair.payment_id and p.transaction_id = pair.transaction_id
      returning p.id, p.retailer_id, p.paid_at, p.arrived_at, p.identifiers, p.bin_digits
    )
    insert into platform.open_payments (key, paid_at, arrived_at, payment_id)
    select key, paid_at, arrived_at, id
    from released cross join lateral platform.open_keys(retailer_id, identifiers, bin_digits) as key`;
  await sql`update platform.records set payment_id = null where transaction_id = any(${transactionIds}::uuid[])`;
}

/**
 * Looks for other purchases of the payments that reverted records have given back, after the commit. It is asked of every record
 * that comes reverted, and not only of those that were reverted just now: a crash may have come between.
 * @param reverted UUIDs of transactions
 * @returns undefined if no payment is open under one of their identifiers
 */
export async function pairReleased(
  store: Store,
  reverted: readonly string[],
  judge: Judge,
  traceparent?: string | undefined,
): Promise<Pairing | undefined> {
  if (reverted.length === 0) return undefined;
  const { payments } = await findPartnersOfReverted(store, reverted);
  return payments.length === 0 ? undefined : pairHalves(store, "payments", payments, judge, traceparent);
}
