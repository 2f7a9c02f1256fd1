import { uuidv7 } from "uuidv7";
import { ApiError, type PlatformAnswerOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { jsonResponse, readPage, writePage } from "#http";
import type { PlatformEndpoint } from "../caller.ts";
import { type ConfigurationAccess, LIST_OWNER } from "../configuration-access.ts";
import { definePlatformEndpoint } from "../define-endpoint.ts";
import { refuseContradictions } from "../refuse-contradictions.ts";
import { toStoredRules } from "../stored-rules.ts";
import { writeRules } from "../write-rules.ts";
import { createProgram } from "./create-program.ts";
import { deleteProgram } from "./delete-program.ts";
import { getProgram } from "./get-program.ts";
import { listPrograms } from "./list-programs.ts";
import type { StoredProgram } from "./program.ts";
import { replaceProgram } from "./replace-program.ts";

export function programEndpoints({
  store,
  cursors,
  keys,
  onChange,
}: ConfigurationAccess): PlatformEndpoint[] {
  return [
    definePlatformEndpoint("loyalty-program/upsert", async (call) => {
      const { body, traceparent } = call;
      refuseContradictions(body);
      const fields = {
        name: body.name,
        qualifyingThreshold: body.qualifying_threshold,
        rewardConfig: body.reward_config,
        displayContent: body.display_content,
        rules: toStoredRules(body.rules),
      };
      if (body.id === undefined) {
        const made = await keys.make("loyalty-program/upsert", call, async (sql) =>
          writeProgram(await createProgram(sql, { id: uuidv7(), ...fields })),
        );
        onChange(traceparent);
        return jsonResponse(200, made.record);
      }
      const id = decodeId("lp", body.id);
      const program = id === undefined ? undefined : await replaceProgram(store, { id, ...fields });
      if (program === undefined) throw unknownProgram();
      onChange(traceparent);
      return jsonResponse(200, writeProgram(program));
    }),

    definePlatformEndpoint("loyalty-program/get", async ({ body }) => {
      const id = decodeId("lp", body.id);
      const program = id === undefined ? undefined : await getProgram(store, id);
      if (program === undefined) throw unknownProgram();
      return jsonResponse(200, writeProgram(program));
    }),

    definePlatformEndpoint("loyalty-program/list", async ({ body }) => {
      const scope = "loyalty-program/list";
      const page = await listPrograms(store, readPage(cursors, scope, LIST_OWNER, body.pagination));
      return jsonResponse(200, writePage(cursors, scope, LIST_OWNER, page, writeProgram));
    }),

    definePlatformEndpoint("loyalty-program/delete", async ({ body, traceparent }) => {
      const id = decodeId("lp", body.id);
      const program = id === undefined ? undefined : await deleteProgram(store, id);
      if (program === undefined) throw unknownProgram();
      onChange(traceparent);
      return jsonResponse(200, { ...writeProgram(program), deleted_at: program.deletedAt?.toISOString() });
    }),
  ];
}

function unknownProgram(): ApiError {
  return new ApiError("not_found", "no such loyalty program", { resource: "loyalty_program" });
}

function writeProgram(program: StoredProgram): PlatformAnswerOf<"loyalty-program/get"> {
  return {
    id: encodeId("lp", program.id),
    name: program.name,
    qualifying_threshold: program.qualifyingThreshold,
    reward_config: program.rewardConfig,
    display_content: program.displayContent,
    rules: writeRules(program.rules),
    created_at: program.createdAt.toISOString(),
    updated_at: program.updatedAt.toISOString(),
  };
}
