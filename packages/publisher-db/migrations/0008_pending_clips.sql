-- Clips that a purchase has redeemed which is not final: what the member buys meanwhile may redeem them in the end. A member may
-- have redeemed any number of clips, and ingest asks with every event, so the index holds those alone whose cashback is
-- pending, and is small. The price: a cashback that settles is no HOT update any more. Few purchases earn one.
drop index concurrently if exists cashbacks_pending_clips_idx;
create index concurrently cashbacks_pending_clips_idx on cashbacks (member_id)
  where clip_id is not null and cleared_at is null and reverted_at is null;
