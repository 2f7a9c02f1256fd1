-- incompatible: an older ingest process takes a deleted member's id from purchases at once, so that what they have earned cannot settle; stop ingest before, and start it anew after

-- What a purchase earns follows from its facts (decision 42): rules travel with outcomes, redemptions are made when due, and
-- what a deleted member's purchases have earned stays until it is final.

-- The reward in force for the purchase, as its outcome said. Null: that of the stored program.
alter table qualifying_purchases add column if not exists reward_config jsonb;

-- The threshold in force for the newest stamp. Null: none was made since this is kept. `waiting_threshold` is written by
-- processes of the version before only: what they left waiting is redeemed with the next thing that happens to its card, by
-- the threshold that it had reached.
alter table stamp_collections add column if not exists threshold int;

-- A deleted member's enrolments and clips stay until nothing can come of them any more, out of everybody's reach, since what
-- its purchases earned before the deletion settles by the same rules. So a member_id without a member is normal here, too.
alter table stamp_collections drop constraint if exists stamp_collections_member_fkey;
alter table clips drop constraint if exists clips_member_fkey;

-- When the background work looks at the member next: at once, and later where something may still come.
alter table deleted_members add column if not exists due_at timestamptz not null default now();
drop index concurrently if exists deleted_members_due_idx;
create index concurrently deleted_members_due_idx on deleted_members (due_at, member_id);

-- A clip whose purchase is reverted is open again, unless the deal was saved anew, and may be redeemed a second time; a purchase
-- redeems a deal once, whatever clip it is by (rewards make sure of that under the clips' locks).
drop index concurrently if exists cashbacks_clip_key;
create unique index concurrently cashbacks_clip_key on cashbacks (clip_id, transaction_id) where clip_id is not null;
drop index concurrently if exists clips_deal_idx;
create index concurrently clips_deal_idx on clips (member_id, deal_id, id);
