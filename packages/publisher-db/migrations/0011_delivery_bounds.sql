-- What holds deliveries together at any size and through every change of a webhook (decision 44).
--
-- An older webhooks process beside a new one loses nothing: while one is connected, new ones tell stopped webhooks too, as it
-- does, and it never moves the cursor of one that was not told.

-- Counts changes of the address and each start: what an attempt says of the webhook counts only if it was made under the
-- revision that still holds. How long it has failed is the sum of the times between failed attempts. What was asked for where
-- it is more than a list of types, and `events` is what it comes to today.
alter table webhooks add column revision bigint not null default 0;
alter table webhooks add column failing_ms bigint not null default 0;
alter table webhooks add column last_failure_at timestamptz;
alter table webhooks add column asked text[];

-- The types by which `taken` was cut, and the last of `taken` then: an older process leaves both as they were.
alter table webhook_queues add column taken_types text[];
alter table webhook_queues add column taken_upto bigint;
-- It was started, and is not told yet of what has come since it was stopped.
alter table webhook_queues add column untold boolean not null default false;

-- Those queues, to be found. A row leaves with what it stands for, so there are few.
create table webhook_starts (
  webhook_id uuid not null,
  constraint webhook_starts_pkey primary key (webhook_id),
  constraint webhook_starts_queue_fkey foreign key (webhook_id) references webhook_queues (webhook_id) on delete cascade
);

-- webhook_subscriptions without the webhooks that are stopped: an event finds no other here.
create table webhook_subscribers (
  organisation_id uuid not null,
  webhook_id uuid not null,
  type text collate "C" not null,
  constraint webhook_subscribers_pkey primary key (organisation_id, type, webhook_id),
  constraint webhook_subscribers_webhook_fkey foreign key (webhook_id) references webhooks (id) on delete cascade
);
create index webhook_subscribers_webhook_idx on webhook_subscribers (webhook_id);

-- Of whom the event tells: its ref is looked up whenever the event is read. Null: the body says all there is.
alter table events add column member_id uuid;

-- Changed when started webhooks are told, so that a step that began before, and does not see them, moves nothing.
alter table webhook_horizon add column tellings bigint not null default 0;

-- All of these are triggers because older processes and people change webhooks, too. Those that write to other tables run as their
-- owner: no role needs rights there.
create function keep_webhook_subscribers() returns trigger language plpgsql security definer set search_path from current as $$
begin
  delete from webhook_subscribers
  where webhook_id = new.id and (new.state <> 'enabled' or type <> all (new.events));
  insert into webhook_subscribers (organisation_id, webhook_id, type)
  select new.organisation_id, new.id, wanted.type from unnest(new.events) as wanted (type)
  where new.state = 'enabled'
  on conflict do nothing;
  return null;
end
$$;

create trigger webhooks_subscribing after insert on webhooks
  for each row execute function keep_webhook_subscribers();
create trigger webhooks_subscribing_anew after update of events, state on webhooks
  for each row when (new.events <> old.events or new.state <> old.state)
  execute function keep_webhook_subscribers();

create function judge_webhook_anew() returns trigger language plpgsql as $$
begin
  new.revision = old.revision + 1;
  new.failing_since = null;
  new.failing_ms = 0;
  new.last_failure_at = null;
  return new;
end
$$;

create trigger webhooks_judged_anew before update of url, state on webhooks
  for each row when (new.url <> old.url or new.state = 'enabled' and old.state <> 'enabled')
  execute function judge_webhook_anew();

-- What an older process sets is a list of types.
create function forget_what_was_asked() returns trigger language plpgsql as $$
begin
  new.asked = null;
  return new;
end
$$;

create trigger webhooks_asked before update of events on webhooks
  for each row when (new.events <> old.events and new.asked = old.asked)
  execute function forget_what_was_asked();

-- A stopped webhook is not told of events, and its queue always has something to look for, so that no later announcement
-- moves its cursor: not past what came while it was stopped. The webhooks service tells a started one of all that.
create function stop_or_start_webhook() returns trigger language plpgsql security definer set search_path from current as $$
begin
  if new.state = 'enabled' then
    update webhook_queues set enabled = true, untold = true, due_at = null where webhook_id = new.id;
    insert into webhook_starts (webhook_id) select webhook_id from webhook_queues where webhook_id = new.id
    on conflict do nothing;
    return null;
  end if;
  delete from webhook_starts where webhook_id = new.id;
  update webhook_queues q
  set enabled = false,
      untold = false,
      due_at = null,
      -- Of one that is not told yet of what came while it was stopped, nothing is known to be behind the cursor.
      cursor = case when q.cursor >= q.announced and not q.untold then greatest(q.cursor, reached.upto) else q.cursor end,
      announced = greatest(
        q.announced, q.cursor, case when q.cursor >= q.announced and not q.untold then reached.upto end
      ) + 1
  from (
    -- As `passed` has it.
    select coalesce(
      (select a.after_sequence from webhook_announcements a where a.webhook_id = new.id),
      (select sequence from webhook_horizon)
    ) as upto
  ) reached
  where q.webhook_id = new.id;
  return null;
end
$$;

create trigger webhooks_stopped_or_started after update of state on webhooks
  for each row when ((old.state = 'enabled') <> (new.state = 'enabled'))
  execute function stop_or_start_webhook();

-- Behind the triggers, which have locked the table of webhooks against changes.
insert into webhook_subscribers (organisation_id, webhook_id, type)
select w.organisation_id, w.id, wanted.type from webhooks w cross join lateral unnest(w.events) as wanted (type)
where w.state = 'enabled'
on conflict do nothing;
