import { NIL_UUID } from "#domain";
import type { Fragment, Sql } from "#postgres";
import { NO_MEMBER, withMember } from "./event-member.ts";

/**
 * The body of an event, a row `e` of `events`, with its member's `ref`; without a member if the member or its memberbase is deleted.
 * The `ref` is looked up at each read, so that no event keeps it.
 */
export function toldBody(sql: Sql): Fragment {
  return sql`
    case
      when e.member_id is null then e.body
      else coalesce(
        (
          select left(e.body, -1) || ',"member_ref":' || to_json(m.ref) || '}'
          from members m join memberbases b on b.id = m.memberbase_id
          where m.id = e.member_id and b.deleted_at is null
        ),
        left(e.body, ${-withMember(NIL_UUID).length}::int) || ${`${NO_MEMBER}}`}::text
      )
    end`;
}
