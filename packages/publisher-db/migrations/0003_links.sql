-- What connects a member to the platform: enrolments in loyalty programs and clipped deals. Every platform record of a
-- transaction carries the ids of its member's, so that the platform can tell a publisher what matched.
create table stamp_collections (
  id uuid not null,
  organisation_id uuid not null,
  member_id uuid not null,
  loyalty_program_id uuid not null,
  created_at timestamptz not null default now(),
  constraint stamp_collections_pkey primary key (id),
  constraint stamp_collections_member_fkey foreign key (member_id) references members (id) on delete cascade,
  -- A member can be enrolled in a program only once.
  constraint stamp_collections_member_program_key unique (member_id, loyalty_program_id)
);

create table clips (
  id uuid not null,
  organisation_id uuid not null,
  member_id uuid not null,
  deal_id uuid not null,
  created_at timestamptz not null default now(),
  redeemed_at timestamptz,
  constraint clips_pkey primary key (id),
  constraint clips_member_fkey foreign key (member_id) references members (id) on delete cascade
);

-- At most one open clip of a deal for a member; also how open clips are found.
create unique index clips_open_key on clips (member_id, deal_id) where redeemed_at is null;

-- Whether a member has ever had an enrolment or a clip. Ingest reads the member's row anyway; for the many members
-- without any, this saves it two look-ups. Set in the transaction that makes the first one, never reset.
alter table members add column linked boolean not null default false;
