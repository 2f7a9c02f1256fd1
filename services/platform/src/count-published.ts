import type { Sql } from "#postgres";

/** Programs and deals, the deleted ones too, of which some revision was published. */
export async function countPublished(sql: Sql): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select
      (select count(*) from platform.loyalty_programs where published_revision > 0)
      + (select count(*) from platform.deals where published_revision > 0) as count`;
  return count;
}
