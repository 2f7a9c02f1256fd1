import { assertPlatformSchema } from "#platform-db";
import type { Sql } from "#postgres";

/** The 32 bytes that sign the platform's list cursors, once its schema is there: throws like `assertPlatformSchema`. */
export async function readPlatformCursorKey(sql: Sql): Promise<Uint8Array> {
  await assertPlatformSchema(sql);
  const [row] = await sql<{ cursorKey: Uint8Array }[]>`
    select cursor_key as "cursorKey" from platform.configuration`;
  if (row === undefined) throw new Error("the configuration row is missing: the database was not migrated");
  return row.cursorKey;
}
