import type { Sql } from "#postgres";

/** The processes of this version in pg_stat_activity. Those before it, which know no put off announcements, have the other. */
export const APPLICATION_NAME = "stampede-webhooks-2";
const OLDER_NAME = "stampede-webhooks";

/**
 * Whether a process that does not know `webhook_announcements` is connected. Where an announcement was put off, such a process
 * would announce what comes later and pass over what came before, and the webhook would never be told of it. Each keeps
 * connections open, since it looks for events four times a second.
 */
export async function isOlderConnected(sql: Sql): Promise<boolean> {
  const [{ is }] = await sql<[{ is: boolean }]>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = ${OLDER_NAME}
    ) as is`;
  return is;
}
