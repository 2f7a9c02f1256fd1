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
