-- The reference platform's own tables (contract, section 8): what counts, whose it is, who may say so, and
-- the two halves of purchases. All of it is in the schema `platform`, so that it may share a database with a
-- publisher and touch nothing of it.
--
-- * Keys are UUIDv7 made by the caller; creation order is key order.
-- * What the background removes is found by when the database wrote it. That time is the same for all rows of
--   a statement, so that an index on it takes six bytes a row (deduplication).
-- * Columns stand in the order that costs no padding and lets Postgres compute fixed offsets for the longest
--   prefix: fixed width and never null (8 bytes first, then uuids: 16 bytes without alignment), fixed width
--   and nullable, then what varies. An int or a boolean stands where it pushes no wider column out of its
--   alignment. A null takes no space.

-- One row, made here.
create table platform.configuration (
  -- Grows in the transaction of every change of a retailer, program or deal: who reads it again and finds it
  -- the same has all changes that were answered before.
  version bigint not null default 0,
  is_only boolean not null default true,
  -- Signs list cursors: 32 bytes.
  cursor_key bytea not null,
  constraint configuration_pkey primary key (is_only),
  constraint configuration_one_row check (is_only),
  constraint configuration_cursor_key_length check (octet_length(cursor_key) = 32)
);

-- Two random UUIDs carry 244 bits from the server's cryptographic source.
insert into platform.configuration (cursor_key)
values (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));

-- Who may configure.
create table platform.tokens (
  created_at timestamptz not null default now(),
  id uuid not null,
  description text not null,
  secret_hash bytea not null,
  constraint tokens_pkey primary key (id),
  constraint tokens_secret_hash_key unique (secret_hash),
  -- SHA-256. A shorter value would mean that somebody stored something else, perhaps the secret itself.
  constraint tokens_secret_hash_length check (octet_length(secret_hash) = 32)
);

-- The first answer to an upsert with an idempotency key that made a record, for 24 hours (contract, section
-- 8): the same table as the publisher's, which is another system's. A retailer's token is not in it.
create table platform.idempotency_keys (
  created_at timestamptz not null default now(),
  -- The platform has one owner: always the same. The code that it shares with the publisher asks for it.
  organisation_id uuid not null,
  status int not null,
  route text collate "C" not null,
  key text collate "C" not null,
  -- SHA-256 of the request body in a canonical form: another body under the same key is a conflict.
  request_hash bytea not null,
  key_id text,
  answer bytea not null,
  constraint idempotency_keys_pkey primary key (organisation_id, route, key),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
-- For the sweep of old ones.
create index idempotency_keys_created_idx on platform.idempotency_keys (created_at);

create table platform.retailers (
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid not null,
  name text not null,
  merchant_ids text[] not null,
  -- Prefixes.
  statement_descriptors text[] not null,
  -- When the previous token ends; null: there is none.
  previous_token_until timestamptz,
  -- SHA-256 of the token for the retailer's software, and of the one before it while both count.
  token_hash bytea not null,
  previous_token_hash bytea,
  constraint retailers_pkey primary key (id),
  constraint retailers_token_hash_key unique (token_hash),
  constraint retailers_previous_token_hash_key unique (previous_token_hash),
  constraint retailers_token_hash_length check (octet_length(token_hash) = 32 and octet_length(previous_token_hash) = 32),
  constraint retailers_previous_token_whole check (num_nulls(previous_token_hash, previous_token_until) in (0, 2))
);

-- Programs and deals reach the publishers through a stream. A row is its own entry in the outbox: what is not
-- published yet has a published_revision below its revision. A deleted one stays, for its removal is
-- published like any change, to publishers that begin from nothing too.
create table platform.loyalty_programs (
  revision bigint not null default 1,
  published_revision bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid not null,
  deleted_at timestamptz,
  qualifying_threshold int not null,
  name text not null,
  reward_config jsonb not null,
  display_content jsonb not null,
  -- As in the API; its times in UTC, to the microsecond.
  rules jsonb not null,
  constraint loyalty_programs_pkey primary key (id)
);
-- The outbox.
create index loyalty_programs_unpublished_idx on platform.loyalty_programs (id)
  where published_revision < revision;

create table platform.deals (
  revision bigint not null default 1,
  published_revision bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid not null,
  deleted_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  name text not null,
  reward_config jsonb not null,
  display_content jsonb not null,
  rules jsonb not null,
  constraint deals_pkey primary key (id)
);
-- The outbox.
create index deals_unpublished_idx on platform.deals (id) where published_revision < revision;

-- The two halves of purchases, records of publishers and payments of retailers, and what their meeting came
-- to.
--
-- * A half is open while it has no other half and may still find one. Only open halves have keys, in tables
--   of their own: what is looked through for a partner is what waits, not all that was ever paired.
-- * Pairing changes columns of records and payments that no index holds, so that it is a HOT update wherever
--   the page has room; the fill factors see to that for halves that have waited. It deletes keys, and never
--   updates them.
create table platform.records (
  authed_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  transaction_id uuid not null,
  retailer_id uuid not null,
  payment_id uuid,
  is_open boolean not null,
  -- Several retailers have its merchant id, and the descriptor decided which one it is of.
  shared boolean not null,
  state text not null,
  merchant_id text not null,
  statement_descriptor text,
  -- SHA-256s, one after the other in their order, 32 bytes each; two of a card, and never more than eight.
  identifiers bytea not null,
  -- Pairs, flat and in their order: clip, its deal, …; stamp collection, its program, …. Null: none.
  clips uuid[],
  enrolments uuid[],
  -- Ids of the outcomes that were emitted; what is in here is never emitted again. Null: none.
  outcomes uuid[],
  constraint records_pkey primary key (transaction_id),
  constraint records_state_known check (state in ('authorized', 'cleared', 'reverted')),
  constraint records_open_agrees check (not is_open or (payment_id is null and state <> 'reverted')),
  constraint records_identifiers_length check (
    octet_length(identifiers) between 32 and 256 and octet_length(identifiers) % 32 = 0
  )
) with (fillfactor = 85);
-- What the background removes, the oldest first.
create index records_arrived_idx on platform.records (arrived_at);

create table platform.payments (
  paid_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  amount bigint not null,
  -- Made from the retailer and its payment_id: the primary key is what makes a payment that is sent again the
  -- same one.
  id uuid not null,
  retailer_id uuid not null,
  transaction_id uuid,
  is_open boolean not null default true,
  currency text not null,
  payment_id text collate "C" not null,
  identifiers bytea not null,
  constraint payments_pkey primary key (id),
  constraint payments_open_agrees check (not is_open or transaction_id is null),
  constraint payments_amount_range check (amount between 0 and 9007199254740991),
  constraint payments_identifiers_length check (
    octet_length(identifiers) between 32 and 256 and octet_length(identifiers) % 32 = 0
  )
) with (fillfactor = 85);
-- What the background removes, the oldest first.
create index payments_arrived_idx on platform.payments (arrived_at);

-- Where a half is looked for: 64 bits of a SHA-256 over retailer and identifier, one for each identifier. Two
-- purchases that share one by chance are told apart by their identifiers when they are loaded. A weaker hash
-- would not do: whoever could aim at the key of another retailer could bury that one's halves under his own.
-- Not strict, or it would not be inlined. The list of places says eight where generate_series would have the
-- planner think of a thousand.
create function platform.half_keys(retailer_id uuid, identifiers bytea) returns setof bigint
language sql immutable parallel safe
begin atomic
  select ('x' || encode(
    substring(sha256(uuid_send(retailer_id) || substring(identifiers from 32 * n + 1 for 32)) from 1 for 8),
    'hex'
  ))::bit(64)::bigint
  from unnest('{0,1,2,3,4,5,6,7}'::int[]) as n
  where n < octet_length(identifiers) / 32;
end;

-- One row for each identifier of an open half. Without a primary key: rows are made and deleted under the
-- lock of their half only, and a unique index over key and half would be twice the size of the one on key and
-- time.
create table platform.open_records (
  key bigint not null,
  authed_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  transaction_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- The time in it: the nearest halves of a key are found without reading the others, however many there are.
create index open_records_key_idx on platform.open_records (key, authed_at);
-- What has waited for too long, the oldest first.
create index open_records_arrived_idx on platform.open_records (arrived_at);

create table platform.open_payments (
  key bigint not null,
  paid_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  payment_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- As of open records.
create index open_payments_key_idx on platform.open_payments (key, paid_at);
create index open_payments_arrived_idx on platform.open_payments (arrived_at);

-- Outcomes that are decided and not yet published, in the transaction that decided them. Rows live for
-- milliseconds, so it is vacuumed by their number and not by a share of a table that is mostly empty.
create table platform.outcome_queue (
  position bigint generated always as identity,
  queued_at timestamptz not null default now(),
  -- The JSON of an `Outcome`.
  outcome text not null,
  -- The span that decided it (W3C Trace Context): its publication goes on in the same trace. Null where
  -- tracing is off.
  traceparent text,
  constraint outcome_queue_pkey primary key (position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
