import type { Sql } from "#postgres";

/**
 * Gives open records the keys under which payments find them. The caller holds their locks. They have waited since the
 * record came, however new its keys are.
 */
export async function addRecordKeys(sql: Sql, transactionIds: readonly string[]): Promise<void> {
  await sql`
    insert into platform.open_records (key, authed_at, arrived_at, transaction_id)
    select key, authed_at, arrived_at, transaction_id
    from platform.records cross join lateral platform.half_keys(retailer_id, identifiers) as key
    where transaction_id = any(${transactionIds}::uuid[]) and is_open`;
}

/** Takes records' keys away, as their rows say them now. The caller holds their locks. */
export async function deleteRecordKeys(sql: Sql, transactionIds: readonly string[]): Promise<void> {
  await sql`
    delete from platform.open_records o
    using platform.records r cross join lateral platform.half_keys(r.retailer_id, r.identifiers) as k (key)
    where r.transaction_id = any(${transactionIds}::uuid[])
      and o.key = k.key and o.authed_at = r.authed_at and o.transaction_id = r.transaction_id`;
}

/** Likewise for payments. */
export async function deletePaymentKeys(sql: Sql, paymentIds: readonly string[]): Promise<void> {
  await sql`
    delete from platform.open_payments o
    using platform.payments p cross join lateral platform.half_keys(p.retailer_id, p.identifiers) as k (key)
    where p.id = any(${paymentIds}::uuid[])
      and o.key = k.key and o.paid_at = p.paid_at and o.payment_id = p.id`;
}
