import type { AnswerOf } from "#contract";
import { encodeId } from "#domain";
import { type CursorKey, notFound } from "#http";
import {
  keyset,
  type MeasuredRow,
  type Page,
  type PageRequest,
  type SharedStore,
  type Sql,
  toMeasuredPage,
  withinBytes,
} from "#postgres";
import { type Program, programColumns } from "#publisher-db";
import { defineById, defineList, type PublisherEndpoint } from "../endpoint.ts";

/** The platform configures programs, and every organisation sees the same ones. Cursors belong to one organisation even so. */
export function programEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  const kind = { store, prefix: "lp", unknown: unknownProgram } as const;
  return [
    defineById("loyalty-program/get", kind, (sql, _, id) => getProgram(sql, id), writeProgram),
    defineList(
      "loyalty-program/list",
      { store, cursors },
      (sql, _, page) => listPrograms(sql, page),
      writeProgram,
    ),
  ];
}

export const unknownProgram = () => notFound("loyalty program", "loyalty_program");

function writeProgram(program: Program): AnswerOf<"loyalty-program/get"> {
  return {
    id: encodeId("lp", program.id),
    name: program.name,
    qualifying_threshold: program.qualifyingThreshold,
    reward_config: program.rewardConfig,
    display_content: program.displayContent,
    created_at: program.createdAt.toISOString(),
    updated_at: program.updatedAt.toISOString(),
  };
}

/** undefined: there is no such program, or the platform has removed it. */
export async function getProgram(sql: Sql, programId: string): Promise<Program | undefined> {
  const [program] = await sql<Program[]>`
    select ${programColumns(sql)} from loyalty_programs where id = ${programId} and removed_at is null`;
  return program;
}

/** In the order of ids, without removed programs. */
export async function listPrograms(sql: Sql, page: PageRequest): Promise<Page<Program>> {
  const listed = sql`
    select ${programColumns(sql)} from loyalty_programs where removed_at is null ${keyset(sql, page)}`;
  const rows = await sql<(Program & MeasuredRow)[]>`
    ${withinBytes(sql, { rows: listed, order: sql`id`, long: [sql`"displayContent"`] })}`;
  return toMeasuredPage(rows, page.limit);
}
