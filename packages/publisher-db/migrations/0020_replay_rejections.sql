-- Events that were read again after a restore and name a member of which the restored database knows nothing: it was made after
-- the restored moment, over HTTP. They are kept until the member is there again (`stampede replay again`), at most 30 days.
-- Written with the position of their batch, so each of them is here once.
create table replay_rejections (
  -- In the order of the stream, for events of one transaction.
  place bigint generated always as identity,
  kept_at timestamptz not null default now(),
  organisation_id uuid not null,
  -- As the event names it.
  member_id uuid not null,
  external_id text not null,
  -- The event as the row that it would have made, JSON: identifiers, no card data.
  event text not null,
  constraint replay_rejections_pkey primary key (place)
);
create index replay_rejections_kept_idx on replay_rejections (kept_at);

-- Up to when the position was done when its partition was taken over first in a PostgreSQL server (when the stream stored that
-- message, in milliseconds since 1970; null: not known). `replay_through` has been set then, too, and no more by later owners.
alter table ingest_positions add column replay_since double precision;
