-- How far the readers of PLATFORM_TX are, beside the work that they have done: streams keep what is done for a
-- while, and a database that went back reads on from its own place.
create table platform.stream_places (
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
  -- When its server was started.
  server_started timestamptz not null default pg_postmaster_start_time(),
  constraint stream_places_pkey primary key (hop, partition)
-- Rewritten every second: a page with room for several versions keeps each update on it.
) with (fillfactor = 20);
