-- What keeps one webhook's backlog, or a lock on its queue, from holding up the others.

-- Replays of more events than one transaction puts into deliveries. They go on in steps after their request is
-- answered, one step at a time for each webhook, and end with their webhook.
create table webhook_replays (
  id bigint generated always as identity,
  -- Numbers above the first and up to the second are still to be looked at; of events that happened from since on
  -- and before until.
  after_sequence bigint not null default 0,
  upto_sequence bigint not null default 0,
  -- The last place that was given to it. The next step waits until the queue is past this place …
  place bigint not null default 0,
  -- … and has made deliveries of the events that were announced then: so each waits for one step at most.
  announced bigint not null default 0,
  -- How many events are still to be put into deliveries, as far as they were counted.
  events bigint not null default 0,
  -- Of failed deliveries, those in a place up to this one.
  upto_place bigint not null default 0,
  -- When it is looked at next. A process that makes a step puts it off first, and another goes on if that one dies.
  due_at timestamptz not null,
  webhook_id uuid not null,
  -- Null: it is of failed deliveries.
  since timestamptz,
  until timestamptz,
  -- Of failed deliveries, the last that was looked at.
  after_delivery uuid,
  constraint webhook_replays_pkey primary key (id),
  -- Of the queue and not of the webhook: who makes one has locked the queue, and a deletion locks the webhook first.
  constraint webhook_replays_queue_fkey foreign key (webhook_id) references webhook_queues (webhook_id) on delete cascade
);
create index webhook_replays_due_idx on webhook_replays (due_at);
create index webhook_replays_webhook_idx on webhook_replays (webhook_id, id);

-- Announcements that were not made, since another held the lock on the webhook's queue for long. The horizon has
-- passed their events; they are made as soon as the lock can be had. No foreign key: it would wait for that lock.
-- One of a webhook that is gone is removed when its turn comes.
create table webhook_announcements (
  -- Events above the first and up to the second: the horizon as it was, and the last one that the webhook wants.
  after_sequence bigint not null,
  upto_sequence bigint not null,
  webhook_id uuid not null,
  constraint webhook_announcements_pkey primary key (webhook_id)
);
