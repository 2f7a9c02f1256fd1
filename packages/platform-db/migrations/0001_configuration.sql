-- The reference platform's own tables (contract, section 8): what counts, whose it is, and who may say so. All of it is in
-- the schema `platform`, so that it may share a database with a publisher and touch nothing of it.
-- Keys are UUIDv7 made by the caller; creation order is key order.

-- One row, made here.
create table platform.configuration (
  is_only boolean not null default true,
  -- Grows in the transaction of every change of a retailer, program or deal: who reads it again and finds it the same
  -- has all changes that were answered before.
  version bigint not null default 0,
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
  id uuid not null,
  description text not null,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  constraint tokens_pkey primary key (id),
  constraint tokens_secret_hash_key unique (secret_hash),
  -- SHA-256. A shorter value would mean that somebody stored something else, perhaps the secret itself.
  constraint tokens_secret_hash_length check (octet_length(secret_hash) = 32)
);

create table platform.retailers (
  id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name text not null,
  merchant_ids text[] not null,
  -- Prefixes.
  statement_descriptors text[] not null,
  -- Of the token for the retailer's software, likewise.
  token_hash bytea not null,
  constraint retailers_pkey primary key (id),
  constraint retailers_token_hash_key unique (token_hash),
  constraint retailers_token_hash_length check (octet_length(token_hash) = 32)
);

-- Programs and deals reach the publishers through a stream. A row is its own entry in the outbox: what is not published
-- yet has a published_revision below its revision. A deleted one stays, for its removal is published like any change, to
-- publishers that begin from nothing too.
create table platform.loyalty_programs (
  id uuid not null,
  revision bigint not null default 1,
  published_revision bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  qualifying_threshold int not null,
  name text not null,
  reward_config jsonb not null,
  display_content jsonb not null,
  -- As in the API; its times in UTC, to the microsecond.
  rules jsonb not null,
  constraint loyalty_programs_pkey primary key (id)
);
create index loyalty_programs_unpublished_idx on platform.loyalty_programs (id) where published_revision < revision;

create table platform.deals (
  id uuid not null,
  revision bigint not null default 1,
  published_revision bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  name text not null,
  reward_config jsonb not null,
  display_content jsonb not null,
  rules jsonb not null,
  constraint deals_pkey primary key (id)
);
create index deals_unpublished_idx on platform.deals (id) where published_revision < revision;
