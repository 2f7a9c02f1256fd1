import type { Sql } from "#postgres";
import { programColumns, type StoredProgram } from "./program.ts";

/** undefined: there is no such program, or it was deleted. */
export async function getProgram(sql: Sql, programId: string): Promise<StoredProgram | undefined> {
  const [program] = await sql<StoredProgram[]>`
    select ${programColumns(sql)} from platform.loyalty_programs
    where id = ${programId} and deleted_at is null`;
  return program;
}
