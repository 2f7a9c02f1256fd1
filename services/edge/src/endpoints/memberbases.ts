import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type Endpoint, jsonResponse } from "#http";
import { createMemberbase, getMemberbase, listMemberbases, type Memberbase, type Store } from "#store";
import type { CursorKey } from "../cursor.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { readPage, writePage } from "../page.ts";

export function memberbaseEndpoints(store: Store, cursors: CursorKey): Endpoint[] {
  return [
    defineEndpoint("member-base/create", async ({ body, caller }) => {
      const memberbase = await createMemberbase(store, {
        id: uuidv7(),
        organisationId: caller.organisationId,
        name: body.name,
      });
      return jsonResponse(200, writeMemberbase(memberbase));
    }),

    defineEndpoint("member-base/get", async ({ body, caller }) => {
      const id = decodeId("mb", body.id);
      const memberbase = id === undefined ? undefined : await getMemberbase(store, caller.organisationId, id);
      if (memberbase === undefined) throw unknownMemberbase();
      return jsonResponse(200, writeMemberbase(memberbase));
    }),

    defineEndpoint("member-base/list", async ({ body, caller }) => {
      const scope = "member-base/list";
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listMemberbases(store, caller.organisationId, request);
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeMemberbase));
    }),
  ];
}

export function unknownMemberbase(): ApiError {
  return new ApiError("not_found", "no such memberbase", { resource: "member_base" });
}

function writeMemberbase(memberbase: Memberbase): AnswerOf<"member-base/get"> {
  return {
    id: encodeId("mb", memberbase.id),
    name: memberbase.name,
    created_at: memberbase.createdAt.toISOString(),
    updated_at: memberbase.updatedAt.toISOString(),
    ...(memberbase.deletedAt !== null && { deleted_at: memberbase.deletedAt.toISOString() }),
  };
}
