-- No purchase is judged while a revision that began before it is not committed; a change has others read only what it changed; and a
-- retailer that comes later gets the purchases of before.

-- The version of the configuration that has it first, and the length of its settings as a text.
alter table platform.revisions add column version bigint not null default 0;
alter table platform.revisions add column bytes integer not null default 0;
update platform.revisions set bytes = octet_length(settings::text) where settings is not null;
create index revisions_version_idx on platform.revisions (version);

-- A change holds the lock from before its revision begins until its commit, and whoever judges waits for it (below). So what began
-- at a moment is seen by all who judge after that moment, and versions and times go up together. The service takes the lock before it
-- changes anything; here it is taken for who does not.
create or replace function platform.keep_revision() returns trigger
language plpgsql set search_path = platform, pg_temp as $$
declare
  before jsonb;
  now_in_force jsonb;
  number bigint := 0;
begin
  case tg_table_name
    when 'loyalty_programs' then
      if tg_op <> 'INSERT' then before := platform.program_settings(old); end if;
      if tg_op <> 'DELETE' then now_in_force := platform.program_settings(new); number := new.revision; end if;
    when 'deals' then
      if tg_op <> 'INSERT' then before := platform.deal_settings(old); end if;
      if tg_op <> 'DELETE' then now_in_force := platform.deal_settings(new); end if;
    else
      if tg_op <> 'INSERT' then before := platform.retailer_settings(old); end if;
      if tg_op <> 'DELETE' then now_in_force := platform.retailer_settings(new); end if;
  end case;
  if now_in_force is not distinct from before then return null; end if;
  perform pg_advisory_xact_lock(7301014, 0);
  insert into platform.revisions (since, version, revision, bytes, id, kind, settings)
  select
    clock_timestamp(), c.version + 1, number, coalesce(octet_length(now_in_force::text), 0),
    case tg_op when 'DELETE' then old.id else new.id end,
    case tg_table_name when 'loyalty_programs' then 'program' when 'deals' then 'deal' else 'retailer' end,
    now_in_force
  from platform.configuration c;
  return null;
end
$$;

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
  position bigint generated always as identity,
  kept_at timestamptz not null default now(),
  transaction_id uuid not null,
  -- Of the record: one that comes again is kept once.
  hash bytea not null,
  -- As the publisher told it.
  record text not null,
  constraint unrouted_records_pkey primary key (position),
  constraint unrouted_records_hash_key unique (hash)
);
create index unrouted_records_transaction_idx on platform.unrouted_records (transaction_id);
