import { type AnswerOf, ApiError } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, jsonResponse, readPage, writePage } from "#http";
import type { Store } from "#postgres";
import type { Program } from "#publisher-db";
import type { PublisherEndpoint } from "../caller.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { getProgram } from "./get-program.ts";
import { listPrograms } from "./list-programs.ts";

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
