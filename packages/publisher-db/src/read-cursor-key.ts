import type { Sql } from "#postgres";
import { assertPublisherSchema } from "./migrate-publisher.ts";

/**
 * The 32 bytes that sign list cursors in this installation. Throws like `assertPublisherSchema`, which it
 * calls first.
 */
export async function readCursorKey(sql: Sql): Promise<Uint8Array> {
  await assertPublisherSchema(sql);
  const [row] = await sql<{ cursorKey: Uint8Array }[]>`select cursor_key as "cursorKey" from installation`;
  if (row === undefined) throw new Error("the installation row is missing: the database was not migrated");
  return row.cursorKey;
}
