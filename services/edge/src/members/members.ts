import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError, type RequestOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, jsonResponse, readPage, writePage } from "#http";
import type { Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { filterScope, readFilters } from "../list-filters.ts";
import { unknownMemberbase } from "../memberbases/memberbases.ts";
import { getMember, listMembers, type Member, type MemberKey } from "./member-rows.ts";
import { upsertMembers } from "./upsert-members.ts";

const FILTER_KEYS = {
  id: { column: "id", read: (id: string) => decodeId("m", id) },
  ref: { column: "ref", read: (ref: string) => ref },
} as const;

export function memberEndpoints(store: Store, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("member/bulk-upsert", async ({ body, caller }) => {
      const memberbaseId = decodeId("mb", body.member_base_id);
      if (memberbaseId === undefined) throw unknownMemberbase();
      const ids = await upsertMembers(store, {
        organisationId: caller.organisationId,
        memberbaseId,
        members: body.members,
        ids: body.members.map(() => uuidv7()),
      });
      if (ids === undefined) throw unknownMemberbase();
      return jsonResponse(200, ids.map((id) => encodeId("m", id)) satisfies AnswerOf<"member/bulk-upsert">);
    }),

    defineEndpoint("member/bulk-delete", async ({ body, caller }) => {
      const { organisationId } = caller;
      const memberbaseId = decodeId("mb", body.member_base_id);
      if (memberbaseId === undefined) throw unknownMemberbase();
      const deleted = await deleteMembers(store, { organisationId, memberbaseId, which: chosen(body) });
      if (deleted === undefined) throw unknownMemberbase();
      return jsonResponse(200, { deleted } satisfies AnswerOf<"member/bulk-delete">);
    }),

    defineEndpoint("member/list", async ({ body, caller }) => {
      const { organisationId } = caller;
      const filter = readFilters(body.filters, FILTER_KEYS);
      const scope = `member/list ${body.member_base_id} ${filterScope(filter)}`;
      const request = readPage(cursors, scope, organisationId, body.pagination);
      const memberbaseId = decodeId("mb", body.member_base_id);
      if (memberbaseId === undefined) throw unknownMemberbase();
      const page = await listMembers(store, { organisationId, memberbaseId, filter }, request);
      if (page === undefined) throw unknownMemberbase();
      return jsonResponse(200, writePage(cursors, scope, organisationId, page, writeMember));
    }),

    defineEndpoint("member/get", async ({ body, caller }) => {
      const key = memberKey(body);
      const member = key === undefined ? undefined : await getMember(store, caller.organisationId, key);
      if (member === undefined) throw new ApiError("not_found", "no such member", { resource: "member" });
      return jsonResponse(200, writeMember(member));
    }),
  ];
}

/** The schema has seen to it that one of the two is there. An id that is none of ours is no member's. */
function chosen({ member_ids = [], refs }: RequestOf<"member/bulk-delete">) {
  if (refs !== undefined) return { refs };
  return { ids: member_ids.map((id) => decodeId("m", id)).filter((id) => id !== undefined) };
}

function memberKey(body: RequestOf<"member/get">): MemberKey | undefined {
  if ("id" in body) {
    const id = decodeId("m", body.id);
    return id === undefined ? undefined : { id };
  }
  const memberbaseId = decodeId("mb", body.member_base_id);
  return memberbaseId === undefined ? undefined : { memberbaseId, ref: body.ref };
}

function writeMember(member: Member): AnswerOf<"member/get"> {
  return {
    id: encodeId("m", member.id),
    member_base_id: encodeId("mb", member.memberbaseId),
    ref: member.ref,
    attributes: member.attributes,
    created_at: member.createdAt.toISOString(),
    updated_at: member.updatedAt.toISOString(),
  };
}
