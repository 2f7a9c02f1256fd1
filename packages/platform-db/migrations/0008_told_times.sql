-- A revision begins at the very moment that the answer to its change tells, which has milliseconds. Before, it began when its trigger
-- ran: microseconds after `updated_at`, or milliseconds on a busy machine. A purchase that was authorized in between was judged by
-- what the answer had said to be replaced.

-- When the changes of this database transaction begin: the first whole millisecond that has not passed yet. So nothing that was judged
-- before the change held its lock is of that moment. To be called under the lock of `platform.number_revision`.
create function platform.change_time() returns timestamptz
language plpgsql volatile set search_path = platform, pg_temp as $$
declare
  said text := current_setting('stampede.change_time', true);
begin
  if coalesce(said, '') = '' then
    said := (date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond')::text;
    perform set_config('stampede.change_time', said, true);
  end if;
  return said::timestamptz;
end
$$;

create or replace function platform.number_revision() returns trigger
language plpgsql set search_path = platform, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(7301014, 0) then
    perform pg_advisory_xact_lock(7301014, 0);
    new.since := greatest(new.since, date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond');
  end if;
  new.version := (select version + 1 from platform.configuration);
  new.bytes := coalesce(octet_length(new.settings::text), 0);
  return new;
end
$$;

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
  insert into platform.revisions (since, revision, id, kind, settings)
  values (
    platform.change_time(), number, case tg_op when 'DELETE' then old.id else new.id end,
    case tg_table_name when 'loyalty_programs' then 'program' when 'deals' then 'deal' else 'retailer' end,
    now_in_force
  )
  on conflict (id, since) do update set settings = excluded.settings, revision = excluded.revision;
  return null;
end
$$;

alter table platform.loyalty_programs alter column created_at set default platform.change_time();
alter table platform.loyalty_programs alter column updated_at set default platform.change_time();
alter table platform.deals alter column created_at set default platform.change_time();
alter table platform.deals alter column updated_at set default platform.change_time();
alter table platform.retailers alter column created_at set default platform.change_time();
alter table platform.retailers alter column updated_at set default platform.change_time();
