import type { Sql } from "#postgres";

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Names need not be unique. */
export async function createOrganisation(
  sql: Sql,
  organisation: { readonly id: string; readonly name: string },
): Promise<Organisation> {
  const [created] = await sql<[Organisation]>`
    insert into organisations (id, name)
    values (${organisation.id}, ${organisation.name})
    returning id, name, created_at as "createdAt"`;
  return created;
}

export async function getOrganisation(sql: Sql, id: string): Promise<Organisation | undefined> {
  const [organisation] = await sql<Organisation[]>`
    select id, name, created_at as "createdAt" from organisations where id = ${id}`;
  return organisation;
}

/** Organisations of that name (names need not be unique), or all, oldest first. At most `limit`. */
export async function findOrganisations(
  sql: Sql,
  by: { readonly name?: string; readonly limit: number },
): Promise<Organisation[]> {
  const named = by.name === undefined ? sql`` : sql`where name = ${by.name}`;
  return sql<Organisation[]>`
    select id, name, created_at as "createdAt" from organisations ${named} order by id limit ${by.limit}`;
}
