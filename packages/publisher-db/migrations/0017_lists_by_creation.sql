-- Ids of cashbacks and redemptions are made of facts, and lists are in the order of creation.
drop index concurrently if exists cashbacks_created_idx;
create index concurrently cashbacks_created_idx on cashbacks (member_id, created_at, id);
drop index concurrently if exists redemptions_created_idx;
create index concurrently redemptions_created_idx on redemptions (stamp_collection_id, created_at, id);
-- They double those; lists of the version before sort a member's few.
drop index concurrently if exists cashbacks_member_idx;
drop index concurrently if exists redemptions_collection_idx;
