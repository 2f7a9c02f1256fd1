import type { Sql } from "#postgres";
import { assertPublisherSchema } from "./publisher-schema.ts";

/**
 * The 32 bytes that sign this installation's list cursors. First calls `assertPublisherSchema`. In a separate
 * file, because roles get rights by file: a service without lists may not read this table.
 */
export async function readCursorKey(sql: Sql): Promise<Uint8Array> {
  await assertPublisherSchema(sql);
  const [row] = await sql<{ cursorKey: Uint8Array }[]>`select cursor_key as "cursorKey" from installation`;
  if (row === undefined) throw new Error("the installation row is missing: the database was not migrated");
  return row.cursorKey;
}
