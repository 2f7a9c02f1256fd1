-- Clips that a purchase has redeemed which is not final: what the member buys meanwhile may redeem them in the end. A member may
-- have redeemed any number of clips, so the index holds those alone whose cashback is pending.
drop index concurrently if exists cashbacks_pending_clips_idx;
create index concurrently cashbacks_pending_clips_idx on cashbacks (member_id)
  where clip_id is not null and state = 'pending';
