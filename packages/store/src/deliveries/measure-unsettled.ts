import type { Sql } from "../connect.ts";

/**
 * When the oldest event happened that the horizon has not passed, so that no webhook was told of it; null: it has passed all. A
 * writer that hangs between its insert and its commit keeps it from moving. One look-up by index.
 */
export async function oldestUnsettled(sql: Sql): Promise<Date | null> {
  const [oldest] = await sql<{ at: Date }[]>`
    select at from events
    where sequence > (select sequence from webhook_horizon)
    order by sequence
    limit 1`;
  return oldest?.at ?? null;
}
