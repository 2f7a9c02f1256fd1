import { findMerchantConflict, type MerchantConflict, type RetailerRoutes } from "#domain";
import type { Sql } from "#postgres";
import type { RetailerFields } from "./retailer.ts";

/** A merchant id of a retailer is another one's (contract, section 8). */
export class MerchantIdTakenError extends Error {
  readonly conflict: MerchantConflict;

  constructor(conflict: MerchantConflict) {
    super(`retailer ${conflict.retailerId} has the merchant id`);
    this.conflict = conflict;
  }
}

/** Retailers change one after the other: two that look at the same moment would both find a merchant id free. */
export async function lockRetailers(sql: Sql): Promise<void> {
  await sql`lock table platform.retailers in share row exclusive mode`;
}

/**
 * To be called with the lock. All are read: they are thousands at most, and how merchant ids compare is said once, in the
 * domain.
 * @throws MerchantIdTakenError
 */
export async function assertMerchantIdsFree(sql: Sql, retailer: RetailerFields): Promise<void> {
  const others = await sql<RetailerRoutes[]>`
    select id, merchant_ids as "merchantIds", statement_descriptors as "statementDescriptors"
    from platform.retailers where id <> ${retailer.id} order by id`;
  const conflict = findMerchantConflict(retailer, others);
  if (conflict !== undefined) throw new MerchantIdTakenError(conflict);
}
