-- Purchases that would have redeemed a deal while its clip was redeemed by another one. If that one is reverted, the clip is open
-- again, and the newest of these redeems it (contract, section 9); or the member saves the deal again, and the new clip counts for
-- them. The platform tells of each once, so they are kept here, for as long as a clip may count for them.
create table deal_candidates (
  authed_at timestamptz not null,
  kept_at timestamptz not null default now(),
  clip_id uuid not null,
  transaction_id uuid not null,
  -- As the platform told it, JSON.
  outcome text not null,
  constraint deal_candidates_pkey primary key (clip_id, transaction_id)
);
