import type { Sql } from "#postgres";
import { type Program, programColumns } from "#publisher-db";

/** undefined: there is no such program, or the platform has removed it. */
export async function getProgram(sql: Sql, programId: string): Promise<Program | undefined> {
  const [program] = await sql<Program[]>`
    select ${programColumns(sql)} from loyalty_programs where id = ${programId} and removed_at is null`;
  return program;
}
