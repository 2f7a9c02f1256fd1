import type { Fragment, Sql } from "#postgres";

/** Whose transactions carry these merchant ids. Where several retailers share one, the descriptor's beginning decides. */
export interface StoredRetailer {
  readonly id: string;
  readonly name: string;
  readonly merchantIds: readonly string[];
  readonly statementDescriptors: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a caller says of a retailer. */
export type RetailerFields = Pick<StoredRetailer, "id" | "name" | "merchantIds" | "statementDescriptors">;

export function retailerColumns(sql: Sql): Fragment {
  return sql`
    id, name, merchant_ids as "merchantIds", statement_descriptors as "statementDescriptors",
    created_at as "createdAt", updated_at as "updatedAt"`;
}
