-- Outcomes of ingest batches whose caller was answered before they were known (202). One row for each part that travelled
-- in one stream message, named by the place of its first event: redelivered or published twice, it meets itself. Kept for
-- 7 days.
create table batch_parts (
  batch_id uuid not null,
  -- Place in its request of the part's first event.
  first_event int not null,
  -- Events in the whole batch, and in this part.
  batch_events int not null,
  part_events int not null,
  organisation_id uuid not null,
  created_at timestamptz not null default now(),
  -- Array of rejected events, in the form of the API.
  rejected jsonb not null default '[]',
  constraint batch_parts_pkey primary key (batch_id, first_event)
);

-- A member's transactions, newest first, and what to unlink when the member is deleted. Both columns never change, so
-- transitions stay HOT.
create index transactions_member_idx on transactions (member_id, id);
