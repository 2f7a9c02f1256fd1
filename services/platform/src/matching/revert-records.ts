import { NIL_UUID } from "#domain";
import type { Sql, Store } from "#postgres";
import { findPartnersOfReverted } from "./find-partners.ts";
import type { Judge } from "./judge.ts";
import { type Pairing, pairHalves } from "./pair-halves.ts";
import { compareIds, deleteRecordKeys, type RecordRow, recordColumns, timestampOf } from "./record-rows.ts";

/** A transaction that was reverted by a record without a retailer. */
export interface RevertedElsewhere {
  /** UUID. */
  readonly transactionId: string;
  /** Microseconds since 1970. */
  readonly authedAt: number;
  /** Whether another record of the transaction, with another descriptor, may be routed. */
  readonly mayBeRouted: boolean;
}

/**
 * Marks transactions as reverted, and gives back their payments. A record that was routed before must not
 * find a payment any more. Neither must a record that comes after its reversal: if nothing is stored, this
 * stores a closed record that only says that the transaction is reverted. It belongs to no retailer, and is
 * swept like all closed records.
 * @returns UUIDs of all that were ever routed, and so may have given a payment back, even if they were
 * reverted before
 */
export async function revertRecords(store: Store, reverted: readonly RevertedElsewhere[]): Promise<string[]> {
  if (reverted.length === 0) return [];
  const inOrder = [...reverted].sort((a, b) => compareIds(a.transactionId, b.transactionId));
  return store.begin(async (sql) => {
    const ahead = inOrder.filter(({ mayBeRouted }) => mayBeRouted);
    // Before the select: this waits for a record that another session is storing, and the select then sees
    // it.
    if (ahead.length > 0) await insertClosed(sql, ahead);
    const found = await sql<RevertedRow[]>`
      select ${recordColumns(sql)}, r.is_open as "isOpen", r.payment_id as "paymentId"
      from platform.records r
      where transaction_id = any(${inOrder.map(({ transactionId }) => transactionId)}::uuid[])
      order by transaction_id
      for update`;
    const routed = found.flatMap(({ retailerId, transactionId }) =>
      retailerId === NO_RETAILER ? [] : transactionId,
    );
    const rows = found.flatMap(({ transactionId: id, ...row }) =>
      row.state === "reverted" ? [] : { id, ...row },
    );
    if (rows.length === 0) return routed;
    const open = rows.filter(({ isOpen }) => isOpen).map(({ id }) => id);
    if (open.length > 0) await deleteRecordKeys(sql, open);
    const ids = rows.map(({ id }) => id);
    await sql`
      update platform.records set state = 'reverted', is_open = false where transaction_id = any(${ids}::uuid[])`;
    await releasePayments(
      sql,
      rows.flatMap(({ id, paymentId }) => (paymentId === null ? [] : { transactionId: id, paymentId })),
    );
    return routed;
  });
}

interface RevertedRow extends RecordRow {
  readonly isOpen: boolean;
  readonly paymentId: string | null;
}

/** The retailer of a record that only says that its transaction is reverted. */
export const NO_RETAILER = NIL_UUID;

/** Inserts closed records without a retailer; no card has their identifier. */
async function insertClosed(sql: Sql, ahead: readonly RevertedElsewhere[]): Promise<void> {
  const rows = ahead.map(({ transactionId, authedAt }) => ({
    transaction_id: transactionId,
    authed_at: authedAt,
  }));
  await sql`
    insert into platform.records (
      transaction_id, retailer_id, shared, state, merchant_id, authed_at, identifiers, is_open
    )
    select transaction_id, ${NO_RETAILER}::uuid, false, 'reverted', '',
           ${timestampOf(sql, "authed_at")}, decode(repeat('00', 32), 'hex'), false
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (transaction_id uuid, authed_at bigint)
    order by transaction_id
    on conflict do nothing`;
}

/** A reverted record and the payment that it had. UUIDs. */
export interface ReleasedPair {
  readonly transactionId: string;
  readonly paymentId: string;
}

/**
 * Gives back the payments of reverted records (contract, section 8): each is open again, and may belong to
 * another purchase, for example a repetition with the same authorization code. Its wait counts from its
 * arrival. The caller has locked the records; all functions lock records before payments.
 *
 * `pairReleased` searches for the other purchase after the commit, for every reverted record, even for one
 * that comes again after a crash.
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
 * Looks for other purchases of the payments that reverted records gave back, after the commit. Call it for
 * every reverted record that comes, and not only for new reversals: there may have been a crash in between.
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
