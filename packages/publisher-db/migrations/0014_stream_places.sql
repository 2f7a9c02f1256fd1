-- How far the readers of OUTCOMES and SETTLEMENT are, beside the work that they have done: streams keep what is done for a
-- while, and a database that went back reads on from its own place.
create table stream_places (
  -- Everything up to this sequence of the stream is done.
  done bigint not null default 0,
  -- When the stream stored that message, in milliseconds since 1970; null: not known.
  stored_at double precision,
  updated_at timestamptz not null default now(),
  partition int not null,
  hop text not null,
  -- When the stream was made, as it says itself: sequences mean nothing in another one. Empty: nothing is done yet.
  stream_created text not null default '',
  -- The session that holds the partition's lock; no other one moves the place.
  session text not null,
  constraint stream_places_pkey primary key (hop, partition)
-- Rewritten every second: a page with room for several versions keeps each update on it.
) with (fillfactor = 20);

-- Outcomes that came before their transaction: a database that was restored reads them while ingest still applies the
-- transactions again. Each is applied when its transaction is there, and dropped after two days.
create table early_outcomes (
  kept_at timestamptz not null default now(),
  transaction_id uuid not null,
  -- The stamp collection or the clip.
  target_id uuid not null,
  -- As the platform told it, JSON.
  outcome text not null,
  constraint early_outcomes_pkey primary key (transaction_id, target_id)
);
