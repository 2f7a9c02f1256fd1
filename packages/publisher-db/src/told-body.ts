import type { Fragment, Sql } from "#postgres";
import { NO_MEMBER, withMember } from "./event-member.ts";

/**
 * The whole body of an event, of a row `e` of `events`: with its member's `ref`, or without a member once that is deleted or its
 * memberbase is. Looked up whenever it is read, so that no event keeps a `ref`.
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
        left(e.body, ${-withMember(NO_UUID).length}::int) || ${`${NO_MEMBER}}`}::text
      )
    end`;
}

const NO_UUID = "00000000-0000-0000-0000-000000000000";
