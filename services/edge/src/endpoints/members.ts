import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError, type RequestOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type Endpoint, jsonResponse } from "#http";
import { getMember, type Member, type MemberKey, type Store, upsertMembers } from "#store";
import { defineEndpoint } from "../define-endpoint.ts";
import { unknownMemberbase } from "./memberbases.ts";

export function memberEndpoints(store: Store): Endpoint[] {
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

    defineEndpoint("member/get", async ({ body, caller }) => {
      const key = memberKey(body);
      const member = key === undefined ? undefined : await getMember(store, caller.organisationId, key);
      if (member === undefined) throw new ApiError("not_found", "no such member", { resource: "member" });
      return jsonResponse(200, writeMember(member));
    }),
  ];
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
