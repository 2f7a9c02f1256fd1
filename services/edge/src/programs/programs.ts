import { type AnswerOf, ApiError } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, jsonResponse, readPage, writePage } from "#http";
import { keyset, type Page, type PageRequest, type Sql, type Store, toPage } from "#postgres";
import { type Program, programColumns } from "#publisher-db";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";

/** The platform configures programs and every organisation sees the same; a cursor is one organisation's all the same. */
export function programEndpoints(store: Store, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("loyalty-program/get", async ({ body }) => {
      const id = decodeId("lp", body.id);
      const program = id === undefined ? undefined : await getProgram(store, id);
      if (program === undefined) throw unknownProgram();
      return jsonResponse(200, writeProgram(program));
    }),

    defineEndpoint("loyalty-program/list", async ({ body, caller }) => {
      const scope = "loyalty-program/list";
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listPrograms(store, request);
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeProgram));
    }),
  ];
}

export function unknownProgram(): ApiError {
  return new ApiError("not_found", "no such loyalty program", { resource: "loyalty_program" });
}

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

/** By id, without the removed ones. */
export async function listPrograms(sql: Sql, page: PageRequest): Promise<Page<Program>> {
  const rows = await sql<Program[]>`
    select ${programColumns(sql)} from loyalty_programs where removed_at is null ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
