-- No purchase is judged while a revision that began before it is not committed; a change has others read only what it changed; and a
-- retailer that comes later gets the purchases of before.

-- The version of the configuration that has it first, and the length of its settings as a text. Of those from before they are 0.
alter table platform.revisions add column version bigint not null default 0;
alter table platform.revisions add column bytes integer not null default 0;

-- A change holds the lock from before its revision begins until its commit, and whoever judges waits for it (below). So what began
-- at a moment is seen by all who judge after that moment, and versions and times go up together. The service takes the lock before it
-- changes anything; for who does not, the revision begins once it has it. This trigger comes before `revisions_ordered`, by its name.
create function platform.number_revision() returns trigger
language plpgsql set search_path = platform, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7301014, 0);
  if new.since >= statement_timestamp() then new.since := clock_timestamp(); end if;
  new.version := (select version + 1 from platform.configuration);
  new.bytes := coalesce(octet_length(new.settings::text), 0);
  return new;
end
$$;
create trigger revisions_numbered before insert on platform.revisions
  for each row execute function platform.number_revision();

-- The version by which purchases may be judged that were authorized until now. In a function each statement sees what was committed
-- before it, so the second sees the change that the first has waited for.
create function platform.settled_version() returns bigint
language plpgsql volatile set search_path = platform, pg_temp as $$
begin
  perform pg_advisory_xact_lock_shared(7301014, 0);
  return (select version from platform.configuration);
end
$$;

-- Records of merchant ids that no retailer has ever had, where rules of their links name them: once one has it, they are read again.
create table platform.unrouted_records (
  transaction_id uuid not null,
  -- Another one after each change: what is told while a walk handles the row is not removed with it.
  position bigint generated always as identity,
  kept_at timestamptz not null default now(),
  -- In the form in which merchant ids are compared.
  merchant_id text collate "C" not null,
  authed_at timestamptz not null,
  -- An array: what the publisher told, and no two that differ in links alone.
  records text not null,
  constraint unrouted_records_pkey primary key (transaction_id)
);
create index unrouted_records_merchant_idx on platform.unrouted_records (merchant_id, authed_at);
create index unrouted_records_kept_idx on platform.unrouted_records (kept_at);
