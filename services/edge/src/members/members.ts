import { uuidv7 } from "uuidv7";
import { type AnswerOf, type Issue, LIMITS, type RequestOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { answerList, type CursorKey, found, jsonResponse, malformed, notFound } from "#http";
import type { SharedStore } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { filterScope, readFilters } from "../lists/list-filters.ts";
import { findMembers } from "./find-members.ts";
import { type OversizedMember, OversizedMembersError } from "./member-bounds.ts";
import { getMember, listMembers, type Member, type MemberKey } from "./member-rows.ts";
import { unknownMemberbase } from "./memberbases.ts";
import { upsertMembers } from "./upsert-members.ts";

const FILTER_KEYS = {
  id: { column: "id", read: (id: string) => decodeId("m", id) },
  ref: { column: "ref", read: (ref: string) => ref },
} as const;

export function memberEndpoints(store: SharedStore, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint(
      "member/bulk-upsert",
      async ({ body, caller: { organisationId } }) => {
        const memberbaseId = found(decodeId("mb", body.member_base_id), unknownMemberbase);
        const { members } = body;
        const upserts = { organisationId, memberbaseId, members, ids: members.map(() => uuidv7()) };
        const ids = await upsertMembers(store.lineOf(organisationId), upserts).catch(refuseOversized);
        const answer: AnswerOf<"member/bulk-upsert"> = found(ids, unknownMemberbase).map((id) =>
          encodeId("m", id),
        );
        return jsonResponse(200, answer);
      },
      { isHeavy: true },
    ),

    defineEndpoint(
      "member/bulk-delete",
      async ({ body, caller }) => {
        const { organisationId } = caller;
        const memberbaseId = found(decodeId("mb", body.member_base_id), unknownMemberbase);
        const deleted = await deleteMembers(store.lineOf(organisationId), {
          organisationId,
          memberbaseId,
          which: chosen(body),
        });
        const answer: AnswerOf<"member/bulk-delete"> = { deleted: found(deleted, unknownMemberbase) };
        return jsonResponse(200, answer);
      },
      { isHeavy: true },
    ),

    defineEndpoint("member/list", ({ body, caller: { organisationId } }) => {
      const filter = readFilters(body.filters, FILTER_KEYS);
      const scope = `member/list ${body.member_base_id} ${filterScope(filter)}`;
      return answerList(
        { cursors, scope, owner: organisationId, pagination: body.pagination },
        async (page) => {
          const memberbaseId = found(decodeId("mb", body.member_base_id), unknownMemberbase);
          const members = await listMembers(
            store.lineOf(organisationId),
            { organisationId, memberbaseId, filter },
            page,
          );
          return found(members, unknownMemberbase);
        },
        writeMember,
      );
    }),

    defineEndpoint("member/find", ({ body: { ref, pagination }, caller: { organisationId } }) =>
      answerList(
        { cursors, scope: `member/find ${ref}`, owner: organisationId, pagination },
        (page) => findMembers(store.lineOf(organisationId), { organisationId, ref }, page),
        writeMember,
      ),
    ),

    defineEndpoint("member/get", async ({ body, caller: { organisationId } }) => {
      const key = found(memberKey(body), unknownMember);
      const member = found(await getMember(store.lineOf(organisationId), organisationId, key), unknownMember);
      return jsonResponse(200, writeMember(member));
    }),
  ];
}

/** @throws ApiError `bad_request` naming the members that would be too large */
function refuseOversized(error: unknown): never {
  if (!(error instanceof OversizedMembersError)) throw error;
  const [first, ...more] = error.members.slice(0, LIMITS.issuesPerAnswer).map(toIssue);
  throw malformed({ issues: [first as Issue, ...more], total: error.members.length });
}

function toIssue({ index, keys, bytes }: OversizedMember): Issue {
  const { attributesPerMember, attributeBytesPerMember } = LIMITS;
  const message =
    keys > attributesPerMember
      ? `would give the member ${keys} attributes; it may have ${attributesPerMember}`
      : `would give the member ${bytes} bytes of attributes; it may have ${attributeBytesPerMember}`;
  return { path: `/members/${index}/attributes`, message };
}

/**
 * The schema guarantees that one of the two is present. An id of another form belongs to no member and is
 * left out.
 */
function chosen({ member_ids = [], refs }: RequestOf<"member/bulk-delete">) {
  if (refs !== undefined) return { refs };
  return { ids: member_ids.map((id) => decodeId("m", id)).filter((id) => id !== undefined) };
}

export const unknownMember = () => notFound("member");

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
