-- A database role for each service, and the owner of all tables. What each may do is given by `stampede migrate`, which
-- logs in as stampede_owner, like the other commands; docs/operations/roles.md has the whole table.
--
-- Run it as an administrator (a superuser, or the database's owner with CREATEROLE), in the database, once before the first
-- `stampede migrate`, and again only when a release says that it has a new role. It can be run at any time: all of it is
-- one transaction, and what is there stays.
--
--   psql -v ON_ERROR_STOP=1 -f deploy/postgres/roles.sql "$ADMIN_DATABASE_URL"
--   psql -c "\password stampede_edge" …    (none has a password yet, so none can log in by one)
begin;

-- An administrator runs this. Up to PostgreSQL 14 every role may make functions in public, and one whose arguments fit better
-- than those of a function below would be called in its place, with the administrator's rights.
set local search_path = pg_catalog, pg_temp;

do $$
declare
  name text;
begin
  foreach name in array array['stampede_owner', 'stampede_edge', 'stampede_ingest', 'stampede_rewards',
                              'stampede_webhooks', 'stampede_platform', 'stampede_console'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login nosuperuser nocreatedb nocreaterole noreplication noinherit', name);
    end if;
  end loop;
end $$;

-- Who makes base backups (docs/operations/backup.md): copies all of the server's files, and reads no table. Giving REPLICATION
-- takes a superuser; a service that runs PostgreSQL for you gives none, and makes backups itself.
do $$
begin
  if exists (select from pg_roles where rolname = 'stampede_backup') then
    return;
  end if;
  create role stampede_backup login nosuperuser nocreatedb nocreaterole replication noinherit;
exception when insufficient_privilege then
  raise notice 'no role stampede_backup: only a superuser may give REPLICATION';
end $$;

-- The database: only the roles here may enter it.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to stampede_edge, stampede_ingest, stampede_rewards, stampede_webhooks,
                  stampede_platform, stampede_console', current_database());
  execute format('grant connect, create, temporary on database %I to stampede_owner', current_database());
end $$;

-- Schemas: the publisher's is public, the platform's is platform (in the same database or in one of its own).
revoke all on schema public from public;
grant usage, create on schema public to stampede_owner;
grant usage on schema public to stampede_edge, stampede_ingest, stampede_rewards, stampede_webhooks, stampede_console;

-- What an earlier installation made as another user becomes the owner's. Stampede's own tables, by name: there may be
-- others in public. `batch_parts` is in databases before migration 0024 alone, which drops it as its owner.
create function pg_temp.adopt(kind text, object text) returns void language plpgsql as $$
begin
  execute format('alter %s %s owner to stampede_owner', kind, object);
end $$;

select pg_temp.adopt('table', format('%I.%I', schemaname, tablename))
from pg_tables
where tableowner <> 'stampede_owner' and (
  schemaname = 'platform' or (schemaname = 'public' and tablename in (
    'api_tokens', 'batch_parts', 'cashbacks', 'clips', 'console_audit', 'console_audit_steps', 'console_links', 'console_sessions', 'deal_candidates', 'deals', 'deleted_members', 'early_outcomes', 'event_eras', 'events', 'idempotency_keys',
    'ignored_fields', 'ingest_gaps', 'ingest_positions', 'installation', 'late_retroactive', 'loyalty_programs', 'memberbases', 'members', 'new_links', 'organisations',
    'qualifying_purchases', 'redemptions', 'replay_rejections',
    'schema_migrations', 'stamp_collections', 'stream_places', 'transaction_rejections', 'transaction_retention', 'transactions',
    'webhook_announcements', 'webhook_attempts',
    'webhook_deliveries', 'webhook_horizon', 'webhook_queues', 'webhook_replays', 'webhook_secrets', 'webhook_starts', 'webhook_subscribers',
    'webhook_subscriptions', 'webhooks')));
select pg_temp.adopt('sequence', format('%I.%I', schemaname, sequencename))
from pg_sequences
where sequenceowner <> 'stampede_owner' and schemaname = 'public' and sequencename = 'transactions_settled_order';
select pg_temp.adopt('function', p.oid::regprocedure::text)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where pg_get_userbyid(p.proowner) <> 'stampede_owner' and (
  n.nspname = 'platform' or (n.nspname = 'public' and proname in (
    'begin_event_era', 'count_created_members', 'count_deleted_members', 'delete_collected', 'forget_what_was_asked', 'judge_webhook_anew',
    'keep_webhook_subscribers', 'keep_webhook_subscriptions', 'stop_or_start_webhook')));

do $$
begin
  if to_regnamespace('platform') is not null then
    alter schema platform owner to stampede_owner;
  end if;
end $$;

-- Functions and tables of later migrations: for no role, until `stampede migrate` has given rights on them.
alter default privileges for role stampede_owner revoke execute on functions from public;

commit;
