import type { Sql, Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { type ProgramFields, programColumns, type StoredProgram } from "./program.ts";

export async function createProgram(store: Store | Sql, program: ProgramFields): Promise<StoredProgram> {
  const created = await changeConfiguration(store, async (sql) => {
    const rows = await sql<StoredProgram[]>`
      insert into platform.loyalty_programs
        (id, name, qualifying_threshold, reward_config, display_content, rules)
      values (
        ${program.id}, ${program.name}, ${program.qualifyingThreshold},
        ${JSON.stringify(program.rewardConfig)}::text::jsonb,
        ${JSON.stringify(program.displayContent)}::text::jsonb, ${JSON.stringify(program.rules)}::text::jsonb
      )
      returning ${programColumns(sql)}`;
    return rows[0];
  });
  return created as StoredProgram;
}
