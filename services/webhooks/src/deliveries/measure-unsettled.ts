import type { Sql } from "#postgres";
import { ageSeconds } from "./age-seconds.ts";

/**
 * How long ago the oldest event happened that the horizon has not passed, so that no webhook was told of it; 0: it has passed
 * all. A writer that hangs between its insert and its commit keeps it from moving. One look-up by index.
 */
export async function unsettledSeconds(sql: Sql): Promise<number> {
  const [oldest] = await sql<{ age: number }[]>`
    select ${ageSeconds(sql, sql`at`)} as age from events
    where sequence > (select sequence from webhook_horizon)
    order by sequence
    limit 1`;
  return oldest?.age ?? 0;
}
