import type { Sql } from "#postgres";

/** The 32 bytes that sign list cursors in this installation. */
export async function readCursorKey(sql: Sql): Promise<Uint8Array> {
  const [row] = await sql<{ cursorKey: Uint8Array }[]>`select cursor_key as "cursorKey" from installation`;
  if (row === undefined) throw new Error("the installation row is missing: the database was not migrated");
  return row.cursorKey;
}
