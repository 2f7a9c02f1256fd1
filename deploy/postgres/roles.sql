-- A database role for each service, with what its statements need and nothing else. Who may do what, and why, is in
-- docs/operations/roles.md; test/flow/security holds this file, the code and that table together.
--
-- Run it as an administrator (a superuser, or the database's owner with CREATEROLE), in the database, before the first
-- `stampede migrate` and after each that applied something: what a migration makes is open to nobody but its owner until
-- then. It can be run at any time: all of it is one transaction, which revokes first.
--
--   psql -v ON_ERROR_STOP=1 -f deploy/postgres/roles.sql "$ADMIN_DATABASE_URL"
--   psql -c "\password stampede_edge" …    (none has a password yet, so none can log in by one)
--
-- `stampede migrate` and the other commands log in as stampede_owner; the services each as their own.
begin;

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

-- The database: whoever has a role here, and nobody else, may enter it.
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
-- others in public.
create function pg_temp.adopt(kind text, object text) returns void language plpgsql as $$
begin
  execute format('alter %s %s owner to stampede_owner', kind, object);
end $$;

select pg_temp.adopt('table', format('%I.%I', schemaname, tablename))
from pg_tables
where tableowner <> 'stampede_owner' and (
  schemaname = 'platform' or (schemaname = 'public' and tablename in (
    'api_tokens', 'batch_parts', 'cashbacks', 'clips', 'console_audit', 'console_links', 'console_sessions', 'deals', 'deleted_members', 'events', 'idempotency_keys',
    'ingest_positions', 'installation', 'loyalty_programs', 'memberbases', 'members', 'new_links', 'organisations',
    'qualifying_purchases', 'redemptions',
    'schema_migrations', 'stamp_collections', 'transaction_rejections', 'transaction_retention', 'transactions',
    'webhook_attempts',
    'webhook_deliveries', 'webhook_horizon', 'webhook_queues', 'webhook_secrets', 'webhook_subscriptions', 'webhooks')));
select pg_temp.adopt('sequence', format('%I.%I', schemaname, sequencename))
from pg_sequences
where sequenceowner <> 'stampede_owner' and schemaname = 'public' and sequencename = 'transactions_settled_order';
select pg_temp.adopt('function', p.oid::regprocedure::text)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where pg_get_userbyid(p.proowner) <> 'stampede_owner' and (
  n.nspname = 'platform' or (n.nspname = 'public' and proname in (
    'count_created_members', 'count_deleted_members', 'delete_collected', 'keep_webhook_subscriptions')));

-- Functions and tables of later migrations: for nobody, until a line below says so.
alter default privileges for role stampede_owner revoke execute on functions from public;

-- From here on: everything is revoked, then granted anew. `privileges` without columns is of the whole table; a table that
-- is not there yet is left out.
create function pg_temp.allow(who text, privileges text, object text) returns void language plpgsql as $$
begin
  if to_regclass(object) is not null then
    execute format('grant %s on table %s to %I', privileges, object, 'stampede_' || who);
  end if;
end $$;

do $$
declare
  place text;
  who text;
begin
  if to_regnamespace('platform') is not null then
    alter schema platform owner to stampede_owner;
    revoke all on schema platform from public;
    grant usage on schema platform to stampede_platform;
    revoke execute on all functions in schema platform from public;
    grant execute on all functions in schema platform to stampede_platform;
  end if;
  foreach place in array array['public', 'platform'] loop
    if to_regnamespace(place) is not null then
      foreach who in array array['public', 'stampede_edge', 'stampede_ingest', 'stampede_rewards', 'stampede_webhooks',
                                 'stampede_platform', 'stampede_console'] loop
        execute format('revoke all on all tables in schema %I from %s', place, who);
        execute format('revoke all on all sequences in schema %I from %s', place, who);
      end loop;
    end if;
  end loop;
end $$;

-- A table's revoke takes the columns' grants with it. Where a role only locks rows (`for update`), PostgreSQL wants UPDATE
-- on some column: it has the one that says least.

select pg_temp.allow(who, 'select', 'public.schema_migrations')
from unnest(array['edge', 'ingest', 'rewards', 'webhooks', 'console']) as who;

-- edge: tokens, members, enrolments, webhooks; reads transactions and what came of them, and the events that tell of it. It
-- seals webhook secrets and cannot read them.
select pg_temp.allow('edge', 'select, insert, update (last_used_at, revoked_at)', 'public.api_tokens');
select pg_temp.allow('edge', 'select', 'public.batch_parts');
select pg_temp.allow('edge', 'select', 'public.cashbacks');
select pg_temp.allow('edge', 'select, insert, update (created_at)', 'public.clips');
select pg_temp.allow('edge', 'select', 'public.deals');
select pg_temp.allow('edge', 'insert', 'public.deleted_members');
select pg_temp.allow('edge', 'select (sequence, at, written_at, id, organisation_id, transaction_id, type, body)', 'public.events');
select pg_temp.allow('edge', 'select, insert, update', 'public.idempotency_keys');
select pg_temp.allow('edge', 'select (partition, applied, published)', 'public.ingest_positions');
select pg_temp.allow('edge', 'select', 'public.installation');
select pg_temp.allow('edge', 'select', 'public.loyalty_programs');
select pg_temp.allow('edge', 'select, insert, update (member_count, updated_at, deleted_at)', 'public.memberbases');
select pg_temp.allow('edge', 'select, insert, update, delete', 'public.members');
select pg_temp.allow('edge', 'insert', 'public.new_links');
select pg_temp.allow('edge', 'select', 'public.qualifying_purchases');
select pg_temp.allow('edge', 'select', 'public.redemptions');
select pg_temp.allow('edge', 'select, insert, update (created_at)', 'public.stamp_collections');
select pg_temp.allow('edge', 'select', 'public.transaction_rejections');
select pg_temp.allow('edge', 'select', 'public.transactions');
select pg_temp.allow('edge', 'select', 'public.webhook_attempts');
select pg_temp.allow('edge', 'select, insert, update', 'public.webhook_deliveries');
select pg_temp.allow('edge', 'select', 'public.webhook_horizon');
select pg_temp.allow('edge', 'select, insert, update', 'public.webhook_queues');
select pg_temp.allow('edge', 'select (webhook_id, expires_at), insert, update (expires_at), delete', 'public.webhook_secrets');
select pg_temp.allow('edge', 'select (webhook_id, type), insert, delete', 'public.webhook_subscriptions');
select pg_temp.allow('edge', 'select, insert, update, delete', 'public.webhooks');

-- ingest: transactions, and the links of members to them. No token, no webhook, no member's attributes, no kept answer;
-- of events it adds some and reads none.
select pg_temp.allow('ingest', 'select, insert, update (created_at), delete', 'public.batch_parts');
select pg_temp.allow('ingest', 'select (id, organisation_id, transaction_id, transaction_ref, redemption_id, member_id, state, created_at, cleared_at, reverted_at), update (member_id), delete', 'public.cashbacks');
select pg_temp.allow('ingest', 'select (id, member_id, deal_id, redeemed_at, created_at), update (created_at)', 'public.clips');
select pg_temp.allow('ingest', 'select (id, retroactive)', 'public.deals');
select pg_temp.allow('ingest', 'select, insert, delete', 'public.deleted_members');
select pg_temp.allow('ingest', 'insert', 'public.events');
select pg_temp.allow('ingest', 'select (organisation_id, route, key, created_at), update (created_at), delete', 'public.idempotency_keys');
select pg_temp.allow('ingest', 'select, insert, update', 'public.ingest_positions');
select pg_temp.allow('ingest', 'select', 'public.installation');
select pg_temp.allow('ingest', 'select (id, retroactive)', 'public.loyalty_programs');
select pg_temp.allow('ingest', 'select, update (member_count)', 'public.memberbases');
select pg_temp.allow('ingest', 'select (id, organisation_id, memberbase_id, ref, linked), update (updated_at), delete', 'public.members');
select pg_temp.allow('ingest', 'select, update (made_at), delete', 'public.new_links');
select pg_temp.allow('ingest', 'select (id, member_id, loyalty_program_id, created_at), update (created_at)', 'public.stamp_collections');
select pg_temp.allow('ingest', 'select (id, organisation_id, stamp_collection_id, transaction_id, transaction_ref, redemption_id, created_at, voided_at), delete', 'public.qualifying_purchases');
select pg_temp.allow('ingest', 'select (id, stamp_collection_id, stamp_ids), delete', 'public.redemptions');
select pg_temp.allow('ingest', 'select, insert, update (member_id, rejected), delete', 'public.transaction_rejections');
select pg_temp.allow('ingest', 'select, update', 'public.transaction_retention');
select pg_temp.allow('ingest', 'select, insert, update, delete', 'public.transactions');
-- A sequence: UPDATE is what drawing a number wants.
select pg_temp.allow('ingest', 'update', 'public.transactions_settled_order');

-- rewards: stamps, redemptions, cashbacks, and the configuration that they follow. Of a transaction it reads what it
-- rewards: no identifier, no merchant.
select pg_temp.allow('rewards', 'select, insert, update', 'public.cashbacks');
select pg_temp.allow('rewards', 'select, update (redeemed_at)', 'public.clips');
select pg_temp.allow('rewards', 'select, insert, update', 'public.deals');
select pg_temp.allow('rewards', 'insert', 'public.events');
select pg_temp.allow('rewards', 'select, insert, update', 'public.loyalty_programs');
select pg_temp.allow('rewards', 'select, insert, update (redemption_id, voided_at)', 'public.qualifying_purchases');
select pg_temp.allow('rewards', 'select, insert, update (undone_at)', 'public.redemptions');
select pg_temp.allow('rewards', 'select, update (unredeemed_purchases, next_position, waiting_threshold, pending_redemptions)', 'public.stamp_collections');
select pg_temp.allow('rewards', 'select (id, organisation_id, external_id, member_id, amount, currency, state, authed_at, settled_order), update (updated_at)', 'public.transactions');

-- webhooks: events, deliveries, and the secrets that requests are signed with.
select pg_temp.allow('webhooks', 'select, insert, update (at), delete', 'public.events');
select pg_temp.allow('webhooks', 'select (delivery_id, number), insert, delete', 'public.webhook_attempts');
select pg_temp.allow('webhooks', 'select, insert, update, delete', 'public.webhook_deliveries');
select pg_temp.allow('webhooks', 'select, update (sequence, swept)', 'public.webhook_horizon');
select pg_temp.allow('webhooks', 'select, update', 'public.webhook_queues');
select pg_temp.allow('webhooks', 'select', 'public.webhook_secrets');
select pg_temp.allow('webhooks', 'select', 'public.webhook_subscriptions');
select pg_temp.allow('webhooks', 'select, update (failing_since, state)', 'public.webhooks');

-- console: its own tables. Of the publisher's it reads which organisation each of its tokens is of, and that one's name; all
-- else it asks the API for, with those tokens.
select pg_temp.allow('console', 'select (id, organisation_id, access, secret_hash)', 'public.api_tokens');
select pg_temp.allow('console', 'select, insert, update (subject, outcome, completed_at), delete', 'public.console_audit');
select pg_temp.allow('console', 'select, insert, update (used_at), delete', 'public.console_links');
select pg_temp.allow('console', 'select, insert, delete', 'public.console_sessions');
select pg_temp.allow('console', 'select (id, name)', 'public.organisations');

-- platform: another system, which happens to be here. Nothing of the publisher's schema.
select pg_temp.allow('platform', 'select, update (version)', 'platform.configuration');
select pg_temp.allow('platform', 'select, insert, update', 'platform.deals');
select pg_temp.allow('platform', 'select, insert, update, delete', 'platform.idempotency_keys');
select pg_temp.allow('platform', 'select, insert, update', 'platform.loyalty_programs');
select pg_temp.allow('platform', 'select, insert, delete', 'platform.open_payments');
select pg_temp.allow('platform', 'select, insert, delete', 'platform.open_records');
select pg_temp.allow('platform', 'select, insert, update (queued_at), delete', 'platform.outcome_queue');
select pg_temp.allow('platform', 'select, insert, update, delete', 'platform.payments');
select pg_temp.allow('platform', 'select, insert, update, delete', 'platform.records');
select pg_temp.allow('platform', 'select, insert, update, delete', 'platform.retailers');
select pg_temp.allow('platform', 'select', 'platform.schema_migrations');
select pg_temp.allow('platform', 'select', 'platform.tokens');

commit;
