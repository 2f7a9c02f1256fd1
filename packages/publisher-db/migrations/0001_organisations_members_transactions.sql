-- Who may call (organisations, API tokens), whose purchases they are (memberbases, members), and the purchases.
-- Keys are UUIDv7 made by the caller: a retried insert meets itself, and creation order is key order.
-- Text is bounded at the edge (contract, sections 5 and 6); here stand only the rules another row's meaning rests on.

create table organisations (
  id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  constraint organisations_pkey primary key (id)
);

create table api_tokens (
  id uuid not null,
  organisation_id uuid not null,
  access text not null,
  description text not null,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_tokens_pkey primary key (id),
  constraint api_tokens_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint api_tokens_access_known check (access in ('read', 'write')),
  constraint api_tokens_secret_hash_key unique (secret_hash),
  -- SHA-256. A shorter value would mean that somebody stored something else, perhaps the secret itself.
  constraint api_tokens_secret_hash_length check (octet_length(secret_hash) = 32)
);

-- Listing by organisation in creation order.
create index api_tokens_organisation_id_idx on api_tokens (organisation_id, id);

create table memberbases (
  id uuid not null,
  organisation_id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint memberbases_pkey primary key (id),
  constraint memberbases_organisation_fkey foreign key (organisation_id) references organisations (id),
  -- Serves the listing in creation order, and is what members refer to.
  constraint memberbases_organisation_id_key unique (organisation_id, id)
);

create table members (
  id uuid not null,
  organisation_id uuid not null,
  memberbase_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Exact bytes: no locale makes two refs equal, and an upgrade of the C library cannot reorder the index.
  ref text collate "C" not null,
  attributes jsonb not null default '{}',
  constraint members_pkey primary key (id),
  -- Both columns: a member cannot be of another organisation than its memberbase, whatever a statement forgets.
  constraint members_memberbase_fkey foreign key (organisation_id, memberbase_id)
    references memberbases (organisation_id, id),
  constraint members_memberbase_ref_key unique (memberbase_id, ref),
  constraint members_attributes_object check (jsonb_typeof(attributes) = 'object')
);

-- Listing a memberbase in creation order.
create index members_memberbase_id_idx on members (memberbase_id, id);

-- The hot table. Its rules:
--
-- * One index, the key. The lifecycle changes state, cleared_at, reverted_at, amount, currency, statement_descriptor,
--   identifier_8, written_by and updated_at: none of them may enter an index, so that a transition stays a HOT update;
--   fillfactor 85 leaves the room for it on the same page.
-- * No foreign keys. Each would fire a trigger a row, and the one to members would also lock, and so rewrite, the
--   member for every transaction. Organisations are never removed and the organisation comes from the caller's token.
--   The ingest statement looks the member up anyway (contract, section 6: unknown is not_found). Deleting a member sets
--   member_id to null here; a transaction whose statement saw the member just before can slip past that, so the
--   deletion looks a second time once every such statement is over, and until then a reader takes a member_id without
--   a member for null.
-- * Columns stand in the order that costs no padding and lets Postgres compute fixed offsets for the longest prefix:
--   fixed width and never null (8-byte aligned first; a uuid is 16 bytes without alignment), fixed width and nullable,
--   then what varies. A null takes no space.
create table transactions (
  -- Stream sequence of the message that last wrote the row: on redelivery it tells which rows to publish again.
  written_by bigint not null,
  authed_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  organisation_id uuid not null,
  id uuid not null,
  amount bigint,
  cleared_at timestamptz,
  reverted_at timestamptz,
  member_id uuid,
  external_id text collate "C" not null,
  state text not null,
  network text not null,
  merchant_id text not null,
  -- Raw SHA-256 over six and eight digits of the BIN (contract, section 7); the second only where eight were given.
  identifier_6 bytea not null,
  identifier_8 bytea,
  statement_descriptor text,
  currency text,
  constraint transactions_pkey primary key (organisation_id, external_id),
  -- The state is named by its dates, and never both of them (contract, section 6).
  constraint transactions_state_agrees check (
    case state
      when 'authorized' then cleared_at is null and reverted_at is null
      when 'cleared' then cleared_at is not null and reverted_at is null
      when 'reverted' then reverted_at is not null and cleared_at is null
      else false
    end
  ),
  -- Up to 2^53 - 1: every amount is exact in JSON and in JavaScript.
  constraint transactions_amount_range check (amount between 0 and 9007199254740991),
  constraint transactions_identifier_length check (
    octet_length(identifier_6) = 32 and octet_length(identifier_8) = 32
  )
) with (fillfactor = 85);
