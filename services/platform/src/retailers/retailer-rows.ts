import {
  type Fragment,
  keyset,
  type MeasuredRow,
  type Page,
  type PageRequest,
  type Sql,
  type Store,
  toMeasuredPage,
  withinBytes,
} from "#postgres";
import { changeConfiguration } from "../configuration/configuration.ts";
import {
  findMerchantConflict,
  type MerchantConflict,
  type RetailerRoutes,
} from "../rules/route-transaction.ts";

/**
 * A retailer gets the transactions with its merchant ids. If several retailers share a merchant id, the beginning of the statement
 * descriptor decides.
 */
export interface StoredRetailer {
  readonly id: string;
  readonly name: string;
  readonly merchantIds: readonly string[];
  readonly statementDescriptors: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The fields of a retailer that a caller sets. */
type RetailerFields = Pick<StoredRetailer, "id" | "name" | "merchantIds" | "statementDescriptors">;

function retailerColumns(sql: Sql): Fragment {
  return sql`
    id, name, merchant_ids as "merchantIds", statement_descriptors as "statementDescriptors",
    created_at as "createdAt", updated_at as "updatedAt"`;
}

/** Another retailer has one of the merchant ids already (contract, section 8). */
export class MerchantIdTakenError extends Error {
  readonly conflict: MerchantConflict;

  constructor(conflict: MerchantConflict) {
    super(`retailer ${conflict.retailerId} has the merchant id`);
    this.conflict = conflict;
  }
}

/** Makes changes of retailers wait for each other: two concurrent ones would both find a merchant id free. */
async function lockRetailers(sql: Sql): Promise<void> {
  await sql`lock table platform.retailers in share row exclusive mode`;
}

/**
 * Call it under `lockRetailers`. Reads all retailers, at most thousands, so that the rule for comparing
 * merchant ids exists only once (`findMerchantConflict`).
 * @throws MerchantIdTakenError
 */
async function assertMerchantIdsFree(sql: Sql, retailer: RetailerFields): Promise<void> {
  const others = await sql<RetailerRoutes[]>`
    select id, merchant_ids as "merchantIds", statement_descriptors as "statementDescriptors"
    from platform.retailers where id <> ${retailer.id} order by id`;
  const conflict = findMerchantConflict(retailer, others);
  if (conflict !== undefined) throw new MerchantIdTakenError(conflict);
}

/** undefined: there is no such retailer. */
export async function getRetailer(sql: Sql, retailerId: string): Promise<StoredRetailer | undefined> {
  const [retailer] = await sql<StoredRetailer[]>`
    select ${retailerColumns(sql)} from platform.retailers where id = ${retailerId}`;
  return retailer;
}

/** Oldest first. */
export async function listRetailers(sql: Sql, page: PageRequest): Promise<Page<StoredRetailer>> {
  const listed = sql`
    select ${retailerColumns(sql)} from platform.retailers where true ${keyset(sql, page)}`;
  const long = [sql`"merchantIds"`, sql`"statementDescriptors"`];
  const rows = await sql<(StoredRetailer & MeasuredRow)[]>`
    ${withinBytes(sql, { rows: listed, order: sql`id`, long })}`;
  return toMeasuredPage(rows, page.limit);
}

/**
 * Creates a retailer. Its times are those of the change, after the wait for other changes: since then it is
 * in force (`platform.revisions`).
 * @param tokenHash SHA-256 of the secret for the retailer's software; the secret itself never comes here
 * @throws MerchantIdTakenError
 */
export async function createRetailer(
  store: Store | Sql,
  retailer: RetailerFields & { readonly tokenHash: Uint8Array },
): Promise<StoredRetailer> {
  const insert = async (sql: Sql) => {
    const rows = await sql<StoredRetailer[]>`
      insert into platform.retailers (
        id, name, merchant_ids, statement_descriptors, token_hash, created_at, updated_at
      )
      select ${retailer.id}::uuid, ${retailer.name}::text, ${retailer.merchantIds}::text[],
             ${retailer.statementDescriptors}::text[], ${retailer.tokenHash}::bytea, at, at
      from platform.change_time() as at
      returning ${retailerColumns(sql)}`;
    return rows[0];
  };
  const created = await changeConfiguration(store, insert, async (sql) => {
    await lockRetailers(sql);
    await assertMerchantIdsFree(sql, retailer);
    return true;
  });
  return created as StoredRetailer;
}

/**
 * Sets all fields of a retailer; its tokens stay. undefined: there is no such retailer.
 * @throws MerchantIdTakenError
 */
export async function replaceRetailer(
  store: Store,
  retailer: RetailerFields,
): Promise<StoredRetailer | undefined> {
  const update = async (sql: Sql) => {
    const [replaced] = await sql<StoredRetailer[]>`
      update platform.retailers set
        name = ${retailer.name}, merchant_ids = ${retailer.merchantIds}::text[],
        statement_descriptors = ${retailer.statementDescriptors}::text[], updated_at = platform.change_time()
      where id = ${retailer.id}
      returning ${retailerColumns(sql)}`;
    return replaced;
  };
  return changeConfiguration(store, update, async (sql) => {
    await lockRetailers(sql);
    if ((await getRetailer(sql, retailer.id)) === undefined) return false;
    await assertMerchantIdsFree(sql, retailer);
    return true;
  });
}

/**
 * Deletes a retailer and its tokens, and returns its last state; undefined: there is no such retailer.
 * Records that were routed to it wait until their time is over, and find only payments that it sent before.
 */
export async function deleteRetailer(
  store: Store,
  retailerId: string,
): Promise<(StoredRetailer & { readonly deletedAt: Date }) | undefined> {
  const remove = async (sql: Sql) => {
    const [deleted] = await sql<(StoredRetailer & { deletedAt: Date })[]>`
      delete from platform.retailers where id = ${retailerId}
      returning ${retailerColumns(sql)}, platform.change_time() as "deletedAt"`;
    return deleted;
  };
  return changeConfiguration(store, remove, async (sql) => {
    await lockRetailers(sql);
    return true;
  });
}
