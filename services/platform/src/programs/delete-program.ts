import type { Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { programColumns, type StoredProgram } from "./program.ts";

/** For good; as it was last. undefined: there is no such program, or it was deleted before. */
export async function deleteProgram(store: Store, programId: string): Promise<StoredProgram | undefined> {
  return changeConfiguration(store, async (sql) => {
    const [deleted] = await sql<StoredProgram[]>`
      update platform.loyalty_programs set deleted_at = now(), revision = revision + 1
      where id = ${programId} and deleted_at is null
      returning ${programColumns(sql)}`;
    return deleted;
  });
}
