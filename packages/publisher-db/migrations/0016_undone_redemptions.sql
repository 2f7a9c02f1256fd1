-- A trace looks for the redemptions that took a stamp and were undone. Few are.
drop index concurrently if exists redemptions_undone_idx;
create index concurrently redemptions_undone_idx on redemptions (stamp_collection_id, id) where undone_at is not null;
