import { encodeId } from "#domain";

/** What the body of an event of nobody ends with, but for its brace. */
export const NO_MEMBER = ',"member_id":null,"member_ref":null';

/** What the body of a member's event ends with, which is always as long. */
export function withMember(memberId: string): string {
  return `,"member_id":"${encodeId("m", memberId)}"}`;
}
