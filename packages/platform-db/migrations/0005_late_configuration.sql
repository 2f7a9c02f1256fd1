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
-- before it, so the second sees the change that the first has waited for. A change takes milliseconds; where one is left open, whoever
-- judges is told whose it is, and comes again.
create function platform.settled_version() returns bigint
language plpgsql volatile set search_path = platform, pg_temp set lock_timeout = '2s' as $$
declare
  holder record;
begin
  -- Nearly always so. It does not overtake a change that waits.
  if not pg_try_advisory_xact_lock_shared(7301014, 0) then
    begin
      perform pg_advisory_xact_lock_shared(7301014, 0);
    exception when lock_not_available then
      select a.pid, a.application_name, a.usename, to_char(a.xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
        into holder
        from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.classid = 7301014 and l.objid = 0 and l.objsubid = 2 and l.mode = 'ExclusiveLock'
          and l.database = (select oid from pg_database where datname = current_database())
        order by l.granted desc, l.pid limit 1;
      -- It has just ended.
      if holder.pid is null then raise; end if;
      raise exception using errcode = 'lock_not_available',
        message = format(
          'session %s (%s, role %s, since %s) has an open change of retailers, programs or deals',
          holder.pid, holder.application_name, holder.usename, holder.since
        ),
        hint = 'it should commit; select pg_terminate_backend of its number ends it';
    end;
  end if;
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
