import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, jsonResponse, readPage, writePage } from "#http";
import type { Store } from "#postgres";
import type { PublisherEndpoint } from "../caller.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { defineRepeatable } from "../define-repeatable.ts";
import type { IdempotencyKeys } from "../idempotency-keys.ts";
import { filterScope, readFilters } from "../read-filters.ts";
import { createMemberbase } from "./create-memberbase.ts";
import { deleteMemberbase } from "./delete-memberbase.ts";
import { getMemberbase } from "./get-memberbase.ts";
import { listMemberbases } from "./list-memberbases.ts";
import type { Memberbase } from "./memberbase.ts";

const FILTER_KEYS = { name: { column: "name", read: (name: string) => name } } as const;

export function memberbaseEndpoints(
  store: Store,
  cursors: CursorKey,
  keys: IdempotencyKeys,
): PublisherEndpoint[] {
  return [
    defineRepeatable(keys, "member-base/create", async ({ body, caller }, sql) => {
      const memberbase = await createMemberbase(sql, {
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

    defineEndpoint("member-base/delete", async ({ body, caller }) => {
      const id = decodeId("mb", body.id);
      const memberbase =
        id === undefined ? undefined : await deleteMemberbase(store, caller.organisationId, id);
      if (memberbase === undefined) throw unknownMemberbase();
      return jsonResponse(200, writeMemberbase(memberbase));
    }),

    defineEndpoint("member-base/list", async ({ body, caller }) => {
      const filter = readFilters(body.filters, FILTER_KEYS);
      const scope = `member-base/list ${filterScope(filter)}`;
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listMemberbases(store, caller.organisationId, request, filter);
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
