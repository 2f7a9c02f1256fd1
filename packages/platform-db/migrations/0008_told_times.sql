-- A revision begins at the moment that the answer to its change tells, to the millisecond. Before, it began when its trigger ran:
-- microseconds after `updated_at`, on a busy machine milliseconds. A purchase that was authorized in between was judged by the
-- previous revision, although the answer had told that it was replaced.

-- When the changes of this database transaction begin: at the first whole millisecond after the transaction got the lock that judging
-- shares. So no purchase of that moment was judged without the change. The function waits for the moment, so the next change has a
-- later one.
create function platform.change_time() returns timestamptz
language plpgsql volatile set search_path = platform, pg_temp set datestyle = 'ISO' as $$
declare
  said text := current_setting('stampede.change_time', true);
  moment timestamptz;
begin
  if coalesce(said, '') <> '' then return said::timestamptz; end if;
  perform pg_advisory_xact_lock(7301014, 0);
  moment := date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond';
  while clock_timestamp() < moment loop
    perform pg_sleep(0.0002);
  end loop;
  perform set_config('stampede.change_time', moment::text, true);
  return moment;
end
$$;
-- Defaults and triggers call it as the role that makes the change. Processes of the previous version make changes before `migrate` has
-- given the rights.
grant execute on function platform.change_time() to public;

create function platform.time_revision() returns trigger
language plpgsql set search_path = platform, pg_temp as $$
begin
  if new.since >= statement_timestamp() then new.since := platform.change_time(); end if;
  return new;
end
$$;
-- Triggers run in the order of their names: this one after `revisions_numbered`, whose time it replaces, and before `revisions_ordered`.
create trigger revisions_of_change before insert on platform.revisions
  for each row execute function platform.time_revision();

alter table platform.loyalty_programs alter column created_at set default platform.change_time();
alter table platform.loyalty_programs alter column updated_at set default platform.change_time();
alter table platform.deals alter column created_at set default platform.change_time();
alter table platform.deals alter column updated_at set default platform.change_time();
alter table platform.retailers alter column created_at set default platform.change_time();
alter table platform.retailers alter column updated_at set default platform.change_time();
