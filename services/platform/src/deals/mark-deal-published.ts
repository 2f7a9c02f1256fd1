import type { Sql } from "#postgres";

/** A revision is where the publishers find it. Nothing is changed if a newer one was there before. */
export async function markDealPublished(
  sql: Sql,
  { id, revision }: { readonly id: string; readonly revision: number },
): Promise<void> {
  await sql`
    update platform.deals set published_revision = ${revision}
    where id = ${id} and published_revision < ${revision}`;
}
