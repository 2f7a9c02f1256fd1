-- What the platform's role may do with the platform's tables, as packages/publisher-db/rights.sql says it of the publisher's.
-- The platform is another system: its role has nothing of the publisher's schema.
revoke all on schema platform from public;
grant usage on schema platform to stampede_platform;
revoke execute on all functions in schema platform from public;
grant execute on all functions in schema platform to stampede_platform;
grant select, update (version) on platform.configuration to stampede_platform;
grant select, insert, update on platform.deals to stampede_platform;
grant select, insert, update, delete on platform.idempotency_keys to stampede_platform;
grant select, insert, update on platform.loyalty_programs to stampede_platform;
grant select, insert, delete on platform.open_payments to stampede_platform;
grant select, insert, delete on platform.open_records to stampede_platform;
grant select, insert, update (queued_at), delete on platform.outcome_queue to stampede_platform;
grant select, insert, update, delete on platform.payments to stampede_platform;
grant select, insert, update, delete on platform.records to stampede_platform;
grant select, update, delete on platform.release_walks to stampede_platform;
grant select, insert, update, delete on platform.retailers to stampede_platform;
grant select, insert, update, delete on platform.revisions to stampede_platform;
grant select on platform.schema_migrations to stampede_platform;
grant select, insert, update on platform.stream_places to stampede_platform;
grant select on platform.tokens to stampede_platform;
grant select, insert, update, delete on platform.unrouted_records to stampede_platform;
