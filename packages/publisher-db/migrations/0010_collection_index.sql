-- A member has few enrolments: `stamp_collections_member_program_key` finds them all, and a list sorts them.
drop index concurrently if exists stamp_collections_member_idx;
