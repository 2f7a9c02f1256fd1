import type { Sql } from "#postgres";
import type { Organisation } from "./create-organisation.ts";

/**
 * Organisations of that name, oldest first: names need not be unique. Without a name, all of them. At most
 * `limit`.
 */
export async function findOrganisations(
  sql: Sql,
  by: { readonly name?: string; readonly limit: number },
): Promise<Organisation[]> {
  const named = by.name === undefined ? sql`` : sql`where name = ${by.name}`;
  return sql<Organisation[]>`
    select id, name, created_at as "createdAt" from organisations ${named} order by id limit ${by.limit}`;
}
