import type { Sql } from "#postgres";
import type { Organisation } from "./create-organisation.ts";

export async function getOrganisation(sql: Sql, id: string): Promise<Organisation | undefined> {
  const [organisation] = await sql<Organisation[]>`
    select id, name, created_at as "createdAt" from organisations where id = ${id}`;
  return organisation;
}
