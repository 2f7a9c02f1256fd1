-- Delivery of events to webhooks (contract, section 10). The table of events is the outbox; a webhook's backlog is a place
-- in it and no rows of its own, however long it is.

-- No event is written from here on, so the horizon below is one: its writers hold this lock or the advisory one.
lock table events in share row exclusive mode;

-- A webhook reads its organisation's events onwards from its cursor; a replay looks for those of a time.
create index events_organisation_sequence_idx on events (organisation_id, sequence);
create index events_organisation_at_idx on events (organisation_id, at);

-- Up to where events are settled: all with a number up to this are committed or gone, and their webhooks were told.
create table webhook_horizon (
  is_only boolean not null default true,
  sequence bigint not null,
  constraint webhook_horizon_pkey primary key (is_only),
  constraint webhook_horizon_one_row check (is_only)
);
insert into webhook_horizon (sequence) select coalesce(max(sequence), 0) from events;

-- Both change with every success.
alter table webhooks set (fillfactor = 70);

-- How far each webhook is, and which process makes its deliveries. Its row is locked whenever deliveries are made of
-- events, settled or replayed; who needs the webhook's row too locks that first.
create table webhook_queues (
  -- Events up to this one were put into deliveries, or are of no type that it wants.
  cursor bigint not null,
  -- Up to this one there is something for it.
  announced bigint not null,
  -- Deliveries have places in the order in which they are made, and parts of a place where one was split: the highest
  -- there is, and the one up to which everything is delivered or failed. What is pending is found between them by an
  -- index on what never changes, so that settling a delivery is a HOT update.
  last_place bigint not null default 0,
  done_place bigint not null default 0,
  -- When it is to be taken up; null: there is nothing to do, or it is not enabled.
  due_at timestamptz,
  lease_until timestamptz,
  webhook_id uuid not null,
  organisation_id uuid not null,
  owner uuid,
  last_part int not null default 0,
  done_part int not null default 0,
  -- As the webhook's state says; here, because what depends on it must see it under this row's lock.
  enabled boolean not null,
  constraint webhook_queues_pkey primary key (webhook_id),
  constraint webhook_queues_webhook_fkey foreign key (webhook_id) references webhooks (id) on delete cascade
) with (fillfactor = 50);
create index webhook_queues_organisation_idx on webhook_queues (organisation_id);
create index webhook_queues_due_idx on webhook_queues (due_at) where due_at is not null;

insert into webhook_queues (webhook_id, organisation_id, cursor, announced, enabled)
select id, organisation_id, sequence, sequence, state = 'enabled'
from webhooks cross join webhook_horizon;

-- Requests to webhooks, made or to be made, each with the same events at every attempt. No foreign key: it would write to
-- the webhook's row with every delivery, and deleting a webhook would delete all of its past. What it leaves is not
-- reachable and is swept.
create table webhook_deliveries (
  created_at timestamptz not null,
  last_attempt_at timestamptz,
  -- Null: as soon as it is its turn.
  next_attempt_at timestamptz,
  -- When it was parked. Set for failed ones only, which are few and have an index.
  failed_at timestamptz,
  replayed_at timestamptz,
  -- Null for a test, which stands in no order.
  place bigint,
  -- The `webhook-id`.
  id uuid not null,
  webhook_id uuid not null,
  organisation_id uuid not null,
  -- 1 and up for the single events of a delivery that was split, which stand in its place.
  part int not null default 0,
  attempts int not null default 0,
  -- Failed attempts, of which the schedule follows, and those of them that were refused.
  failures int not null default 0,
  refusals int not null default 0,
  -- Of the last attempt.
  status int,
  duration_ms int,
  state text not null default 'pending',
  error_class text,
  -- In order.
  event_sequences bigint[] not null,
  answer text,
  constraint webhook_deliveries_pkey primary key (id),
  constraint webhook_deliveries_state_known check (state in ('pending', 'delivered', 'failed')),
  constraint webhook_deliveries_failed_at_set check ((failed_at is not null) = (state = 'failed'))
) with (fillfactor = 50);
-- Listing in creation order, what is next, and what failed.
create index webhook_deliveries_webhook_idx on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_place_idx on webhook_deliveries (webhook_id, place, part);
create index webhook_deliveries_failed_idx on webhook_deliveries (webhook_id, id) where failed_at is not null;
