-- What the platform configures, as its last message said. A removed record stays as an empty row with its revision, so
-- that an older message which comes late does not bring it back. They belong to no organisation: every publisher of
-- this installation offers them.
create table loyalty_programs (
  id uuid not null,
  revision bigint not null,
  created_at timestamptz,
  updated_at timestamptz,
  removed_at timestamptz,
  qualifying_threshold int,
  name text,
  currency text,
  reward_config jsonb,
  display_content jsonb,
  constraint loyalty_programs_pkey primary key (id),
  constraint loyalty_programs_whole check (
    removed_at is not null
    or num_nulls(created_at, updated_at, qualifying_threshold, name, reward_config, display_content) = 0
  )
);

create table deals (
  id uuid not null,
  revision bigint not null,
  created_at timestamptz,
  updated_at timestamptz,
  removed_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  name text,
  reward_config jsonb,
  display_content jsonb,
  constraint deals_pkey primary key (id),
  constraint deals_whole check (
    removed_at is not null or num_nulls(created_at, updated_at, name, reward_config, display_content) = 0
  )
);

-- Stamps that are neither voided nor redeemed. The reward engine keeps it; enrolments begin with none.
alter table stamp_collections add column unredeemed_purchases int not null default 0;
alter table stamp_collections
  add constraint stamp_collections_unredeemed_range check (unredeemed_purchases >= 0);

-- Listings of a member in creation order; the enrolments' unique key serves the look-up by program.
create index stamp_collections_member_idx on stamp_collections (member_id, id);
create index clips_member_idx on clips (member_id, id);

-- What members got, or will get once their transaction clears. The member may be gone; what was paid stays.
create table cashbacks (
  id uuid not null,
  organisation_id uuid not null,
  transaction_id uuid not null,
  amount bigint not null,
  created_at timestamptz not null default now(),
  cleared_at timestamptz,
  reverted_at timestamptz,
  member_id uuid,
  -- Of a clip: clip_id and deal_id. Of a redemption: the other three.
  clip_id uuid,
  deal_id uuid,
  loyalty_program_id uuid,
  stamp_collection_id uuid,
  redemption_id uuid,
  -- The transaction's external_id.
  transaction_ref text collate "C" not null,
  state text not null,
  currency text not null,
  constraint cashbacks_pkey primary key (id),
  constraint cashbacks_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint cashbacks_amount_range check (amount between 0 and 9007199254740991),
  constraint cashbacks_state_agrees check (
    case state
      when 'pending' then cleared_at is null and reverted_at is null
      when 'cleared' then cleared_at is not null and reverted_at is null
      when 'reverted' then reverted_at is not null
      else false
    end
  ),
  constraint cashbacks_one_source check (
    (num_nulls(clip_id, deal_id) = 0 and num_nonnulls(loyalty_program_id, stamp_collection_id, redemption_id) = 0)
    or (num_nonnulls(clip_id, deal_id) = 0 and num_nulls(loyalty_program_id, stamp_collection_id, redemption_id) = 0)
  )
);
create index cashbacks_member_idx on cashbacks (member_id, id);
-- What a transaction has earned, and the cashbacks that settle with it.
create index cashbacks_transaction_idx on cashbacks (transaction_id);
