import { encodeId } from "#domain";

/** The end of the body of an event without a member, before the brace. */
export const NO_MEMBER = ',"member_id":null,"member_ref":null';

/** The end of the body of a member's event; its length is always the same. */
export function withMember(memberId: string): string {
  return `,"member_id":"${encodeId("m", memberId)}"}`;
}
