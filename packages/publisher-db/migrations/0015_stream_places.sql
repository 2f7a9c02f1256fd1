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
  -- When its server was started.
  server_started timestamptz not null default pg_postmaster_start_time(),
  constraint stream_places_pkey primary key (hop, partition)
-- Rewritten every second: a page with room for several versions keeps each update on it.
) with (fillfactor = 20);

-- What the partition's stream held when it was taken over, and when the server was started that it was taken over in. Where the
-- database was restored, outcomes and settlements wait until ingest has applied all of that again.
alter table ingest_positions add column replay_through bigint;
alter table ingest_positions add column server_started timestamptz;

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

-- Where events were numbered anew: the horizon as it was when a PostgreSQL server first moved it. A server that was restored, or a
-- standby that was promoted, may lack the last numbers and give them again, so whoever has read up to a higher one before goes on from
-- here. A server that was only restarted lacks none, and nobody has read beyond its horizon. Kept for as long as events are.
create table event_eras (
  began_at timestamptz not null default now(),
  sequence bigint not null,
  era uuid not null default gen_random_uuid(),
  constraint event_eras_pkey primary key (began_at)
);

-- When the server that moved the horizon last was started.
-- The default gives it to the row that is there.
alter table webhook_horizon add column server_started timestamptz default pg_postmaster_start_time();
alter table webhook_horizon add column era uuid not null default '00000000-0000-0000-0000-000000000000';

-- As a trigger, so that no process moves the horizon without it. It runs as its owner: no role needs rights there.
create function begin_event_era() returns trigger language plpgsql security definer set search_path from current as $$
begin
  delete from event_eras where began_at < now() - interval '31 days';
  insert into event_eras (sequence) values (old.sequence) returning era into new.era;
  new.server_started := pg_postmaster_start_time();
  return new;
end
$$;

create trigger webhook_horizon_server before update of sequence on webhook_horizon
  for each row when (old.server_started is distinct from pg_postmaster_start_time())
  execute function begin_event_era();

-- When the member was deleted, or ingest noticed last that a purchase of it changed, to about an hour: to find that among all its
-- purchases takes as long as there are many. Of the rows that are there it is not known what changed since: so they say now.
alter table deleted_members add column changed_at timestamptz not null default now();
