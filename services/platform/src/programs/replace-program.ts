import type { Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { type ProgramFields, programColumns, type StoredProgram } from "./program.ts";

/** The whole of it. undefined: there is no such program, or it was deleted. */
export async function replaceProgram(
  store: Store,
  program: ProgramFields,
): Promise<StoredProgram | undefined> {
  return changeConfiguration(store, async (sql) => {
    const [replaced] = await sql<StoredProgram[]>`
      update platform.loyalty_programs set
        revision = revision + 1, updated_at = now(), name = ${program.name},
        qualifying_threshold = ${program.qualifyingThreshold},
        reward_config = ${JSON.stringify(program.rewardConfig)}::text::jsonb,
        display_content = ${JSON.stringify(program.displayContent)}::text::jsonb,
        rules = ${JSON.stringify(program.rules)}::text::jsonb
      where id = ${program.id} and deleted_at is null
      returning ${programColumns(sql)}`;
    return replaced;
  });
}
