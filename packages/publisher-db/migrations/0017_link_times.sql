-- Which enrolments and clips a purchase has is settled by times (contract, section 9): by when they were made and when it was
-- authorized, and by what the program or deal says. A removed one keeps what it said last: its outcomes may still come.
alter table loyalty_programs add column retroactive boolean not null default false;
alter table deals add column retroactive boolean not null default false;

-- Enrolments and clips that were just made. One may count for purchases that were ingested before, of which no message
-- comes any more: ingest publishes their records anew and deletes the row. No foreign keys: what is gone meanwhile has no
-- purchases, and the row goes like any other.
create table new_links (
  id uuid not null,
  made_at timestamptz not null,
  member_id uuid not null,
  -- Of an enrolment; null for a clip.
  loyalty_program_id uuid,
  deal_id uuid,
  constraint new_links_pkey primary key (id),
  constraint new_links_one_target check (num_nonnulls(loyalty_program_id, deal_id) = 1)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
